// Large tool outputs are files in the session's side folder, whose full path is in `toolUseResult` and in the text for the
// model (`<persisted-output>`). These edits update the paths when the side folder moves.
import { asObject, asString, isArray, type JsonValue } from '../../base/json/json.ts';
import type { Edit, JsonPath } from '../../format/bytes/edit.ts';
import { rangesOf, type Transcript } from '../../session/transcript/transcript.ts';
import { inStyleOf, isWindowsPath } from './relocate.ts';

export interface SideFolderMove {
  /** The session whose side folder the paths name. */
  readonly sessionId: string;
  /** The new side folder. */
  readonly to: string;
}

export function persistedEdits(transcript: Transcript, move: SideFolderMove): ReadonlyMap<number, readonly Edit[]> {
  const edits = new Map<number, readonly Edit[]>();
  const ranges = rangesOf(transcript);
  const mark = Buffer.from(toolResults);
  for (const node of transcript.nodes) {
    if (node.type !== 'user' || !ranges.read(node.offset, node.length).includes(mark)) continue;
    const entry = transcript.read(node);
    const own: Edit[] = [];
    const content = asObject(entry.message)?.content;
    if (isArray(content))
      for (const [i, block] of content.entries()) resultEdits(block, ['message', 'content', i], move, own);
    outputEdits(entry.toolUseResult, move, own);
    if (own.length > 0) edits.set(node.index, own);
  }
  return edits;
}

const toolResults = 'tool-results';

function resultEdits(block: JsonValue, path: JsonPath, move: SideFolderMove, edits: Edit[]): void {
  const result = asObject(block);
  if (result?.type !== 'tool_result') return;
  if (isArray(result.content)) {
    for (const [i, inner] of result.content.entries())
      textEdit(asObject(inner)?.text, [...path, 'content', i, 'text'], move, edits);
  } else textEdit(result.content, [...path, 'content'], move, edits);
}

function outputEdits(result: JsonValue | undefined, move: SideFolderMove, edits: Edit[]): void {
  textEdit(result, ['toolUseResult'], move, edits);
  const path = asString(asObject(result)?.persistedOutputPath);
  const moved = path === undefined ? undefined : moveSidePath(path, move);
  if (moved !== undefined && moved !== path) edits.push({ path: ['toolUseResult', 'persistedOutputPath'], set: moved });
}

function textEdit(value: JsonValue | undefined, path: JsonPath, move: SideFolderMove, edits: Edit[]): void {
  const text = asString(value);
  if (text === undefined || !text.startsWith('<persisted-output>')) return;
  const moved = text.replace(
    /^(Output too large .*Full output saved to: )(.*)$/m,
    (_, said: string, saved: string) => said + (moveSidePath(saved, move) ?? saved),
  );
  if (moved !== text) edits.push({ path, set: moved });
}

/** `…/projects/<any>/<sessionId>/tool-results/x` → `<to>/tool-results/x`; `undefined` for any other path. */
export function moveSidePath(file: string, { sessionId, to }: SideFolderMove): string | undefined {
  const rest = restInside(file, sessionId);
  if (rest === undefined) return undefined;
  return to + inStyleOf(rest, /[\\]/.test(rest) && !rest.startsWith('/'), isWindowsPath(to));
}

function restInside(file: string, sessionId: string): string | undefined {
  for (const separator of ['/', '\\']) {
    const at = file.indexOf(`${separator}${sessionId}${separator}${toolResults}${separator}`);
    if (at >= 0) return file.slice(at + 1 + sessionId.length);
  }
  return undefined;
}
