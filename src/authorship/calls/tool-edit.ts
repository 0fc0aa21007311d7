// The input of a call and its stored result → what it did to a file. The result wins over the input: a client may have
// changed quotes, and the user may have changed the text before accepting it.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { isHunk } from '../../format/entry/index.ts';
import { linesOf } from '../lines/index.ts';
import type { EditAction, Replacement } from './file-edit.ts';
import { readPatch } from './patch-text.ts';

export interface ToolEdit {
  /** As the call names it. */
  readonly path: string;
  readonly action: EditAction;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly ownLines: ReadonlySet<string> | undefined;
}

export const editTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

export function isPatchTool(name: string): boolean {
  return /(?:^|_)(?:apply_?)?patch$/i.test(name);
}

export function toolEdits(name: string, input: JsonObject, result: JsonValue | undefined): readonly ToolEdit[] {
  if (isPatchTool(name)) return patchEdits(input);
  const stored = asObject(result) ?? {};
  const path = asString(input.file_path) ?? asString(input.notebook_path);
  if (path === undefined) return [];
  if (name === 'NotebookEdit') return notebookEdit(path, input, stored);
  const action = actionOf(name, input);
  if (action === undefined) return [];
  const before = plain(asString(stored.originalFile) ?? asString(stored.originalFileContents));
  const after = name === 'Write' ? plain(asString(stored.content)) : patched(before, stored.structuredPatch);
  const ownLines = stored.userModified === true ? new Set(linesOf(inputText(action))) : undefined;
  return [{ path, action, before, after, ownLines }];
}

function plain(text: string | undefined): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}

function actionOf(name: string, input: JsonObject): EditAction | undefined {
  if (name === 'Write') {
    const text = plain(asString(input.content));
    return text === undefined ? undefined : { kind: 'content', text };
  }
  const edits = isArray(input.edits) ? input.edits.filter(isObject) : [input];
  const replacements = edits.flatMap((edit): readonly Replacement[] => {
    const from = plain(asString(edit.old_string));
    const to = plain(asString(edit.new_string));
    return from === undefined || to === undefined ? [] : [{ from, to, isEverywhere: edit.replace_all === true }];
  });
  return replacements.length === 0 ? undefined : { kind: 'replace', replacements };
}

function inputText(action: EditAction): string {
  if (action.kind === 'replace') return action.replacements.map(({ to }) => to).join('\n');
  return action.kind === 'content' ? action.text : '';
}

/** The file after the stored hunks; `undefined` if they do not fit. */
function patched(before: string | undefined, hunks: JsonValue | undefined): string | undefined {
  if (before === undefined || !isArray(hunks) || hunks.length === 0 || !hunks.every(isHunk)) return undefined;
  const lines = before.split('\n');
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    if (!isHunk(hunk)) return undefined;
    const start = Math.max(0, Number(hunk.oldStart) - 1);
    if (start < at) return undefined;
    result.push(...lines.slice(at, start));
    at = start;
    for (const line of hunk.lines) {
      const content = line.slice(1).replace(/\r$/, '');
      if (line[0] === '+') result.push(content);
      else if (line[0] === ' ' || line[0] === '-') {
        if (lines[at]?.trimEnd() !== content.trimEnd()) return undefined;
        if (line[0] === ' ') result.push(lines[at] as string);
        at++;
      }
    }
  }
  return [...result, ...lines.slice(at)].join('\n');
}

function notebookEdit(path: string, input: JsonObject, stored: JsonObject): readonly ToolEdit[] {
  const before = plain(asString(stored.original_file));
  const after = plain(asString(stored.updated_file));
  if (after !== undefined)
    return [{ path, action: { kind: 'content', text: after }, before, after, ownLines: undefined }];
  const source = linesOf(plain(asString(input.new_source)) ?? '');
  if (source.length === 0) return [];
  // A cell is a list of JSON strings, one for each line. Where it went is not known.
  const text = source.map((line, i) => JSON.stringify(i === source.length - 1 ? line : `${line}\n`)).join(',\n');
  const replacements = [{ from: '', to: text, isEverywhere: false }];
  return [
    { path, action: { kind: 'replace', replacements }, before: undefined, after: undefined, ownLines: undefined },
  ];
}

function patchEdits(input: JsonObject): readonly ToolEdit[] {
  const text = Object.values(input).find((value) => typeof value === 'string' && /^(?:\*\*\*|---|@@) /m.test(value));
  if (typeof text !== 'string') return [];
  return readPatch(text).map(({ path, content, replacements }) => ({
    path,
    action: content === undefined ? { kind: 'replace', replacements } : { kind: 'content', text: content },
    before: undefined,
    after: undefined,
    ownLines: undefined,
  }));
}
