// A tool call → one line with what it did and what came of it; folded below it edits as a diff, commands with their
// output, other tools with input and output. What a file read brought stays in the transcript.
import path from 'node:path';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { prettyJson } from '../base/json-text.ts';
import { oneLine } from '../base/terminal-text.ts';
import { isToolResult } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { type Hunk, isHunk, isTodo } from '../format/tool-result.ts';
import { outcomeOf, resultText, withoutFolder } from '../session/call-result.ts';
import { resultBlocks } from '../session/result-blocks.ts';
import { readEntry } from '../session/session.ts';
import type { ToolCall } from '../session/tool-calls.ts';
import { summariseInput } from '../session/tool-summary.ts';
import { shortened } from './markdown-cut.ts';
import { codeSpan, fenced, plainLine, safeMarkdown, summaryText } from './markdown-text.ts';
import type { Piece, Telling } from './telling.ts';

export function* tellCall(telling: Telling, call: ToolCall, input: JsonValue | undefined): Generator<Piece> {
  const result = resultText(resultBlocks(telling.session, call)).replace(/<\/?tool_use_error>/g, '');
  const did = oneLine(withoutFolder(summariseInput(call.name, input), telling.cwd), didChars);
  // The diff says what a change came to.
  const isTold = call.result !== undefined && !call.isError && changes.has(call.name);
  const came = isTold ? '' : outcomeOf(call, result, did);
  const mark = call.result === undefined ? '?' : call.isError ? '✗' : '✓';
  const folded = foldedParts(telling, call, asObject(input) ?? {}, result);
  if (folded.length === 0) {
    const line = [
      `- ${mark} **${plainLine(call.name, 60)}**`,
      codeSpan(did),
      came === '' ? '' : `· ${plainLine(came, 100)}`,
    ];
    yield { text: line.filter((part) => part !== '').join(' '), isItem: true };
    return;
  }
  const facts = [
    `<b>${summaryText(call.name, 60)}</b>`,
    did === '' ? '' : `<code>${summaryText(did, didChars)}</code>`,
  ];
  const outcome = came === '' ? '' : ` · ${summaryText(came, 100)}`;
  yield { text: `<details>\n<summary>${mark} ${facts.filter((fact) => fact !== '').join(' ')}${outcome}</summary>` };
  for (const text of folded) yield { text };
  yield { text: '</details>' };
}

const didChars = 100;
const changes: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write']);

function foldedParts(telling: Telling, call: ToolCall, input: JsonObject, result: string): readonly string[] {
  const output = result.trim() === '' ? [] : [fenced(shortened(result, telling.full))];
  switch (call.name) {
    case 'Read':
    case 'NotebookRead':
    case 'LS':
      return call.isError || telling.full === true ? output : [];
    case 'Bash':
      return [...commandPart(telling, input), ...output];
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
      return call.isError ? output : changeParts(telling, call, input);
    case 'TodoWrite':
      return todoParts(input);
    case 'ExitPlanMode':
      return [safeMarkdown(asString(input.plan) ?? '', { top: telling.top }), ...(call.isError ? output : [])];
    default:
      return [...inputPart(telling, input), ...output];
  }
}

/** What the line shows whole is not said again. */
function commandPart({ full }: Telling, { command }: JsonObject): readonly string[] {
  const text = asString(command) ?? '';
  return text === '' || oneLine(text, didChars) === text.trim() ? [] : [fenced(shortened(text, full), 'bash')];
}

function changeParts(telling: Telling, call: ToolCall, input: JsonObject): readonly string[] {
  const hunks = patchOf(telling, call);
  if (hunks.length > 0) return [fenced(shortened(diffText(hunks), telling.full), 'diff')];
  const content = asString(input.content);
  if (content !== undefined) return [fenced(shortened(content, telling.full), languageOf(input.file_path))];
  const edits = isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return edits.flatMap((edit) => {
    const lines = [...changed('-', edit.old_string), ...changed('+', edit.new_string)];
    return lines.length === 0 ? [] : [fenced(shortened(lines.join('\n'), telling.full), 'diff')];
  });
}

/** The line of a result tells of one call; where it holds several results, nothing says whose it is. */
function patchOf({ session }: Telling, call: ToolCall): readonly Hunk[] {
  if (call.result === undefined) return [];
  const entry = readEntry(session, call.result);
  if (contentOf(entry).filter(isToolResult).length !== 1) return [];
  const patch = asObject((entry as JsonObject).toolUseResult)?.structuredPatch;
  return isArray(patch) ? patch.filter(isHunk) : [];
}

function diffText(hunks: readonly Hunk[]): string {
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n');
}

function changed(mark: string, text: unknown): string[] {
  return typeof text === 'string' && text !== '' ? text.split('\n').map((line) => mark + line) : [];
}

function languageOf(file: unknown): string {
  const extension = path.extname(asString(file) ?? '').slice(1);
  return /^\w{1,10}$/.test(extension) ? extension : '';
}

function todoParts({ todos }: JsonObject): readonly string[] {
  const items = (isArray(todos) ? todos.filter(isTodo) : []).map(({ content, status }) => {
    const isDone = status === 'completed';
    return `- [${isDone ? 'x' : ' '}] ${plainLine(content)}${status === 'in_progress' ? ' *(in progress)*' : ''}`;
  });
  return items.length === 0 ? [] : [items.join('\n')];
}

/** Nothing where the line says it all: one short text. */
function inputPart({ full }: Telling, input: JsonObject): readonly string[] {
  const values = Object.values(input);
  const [only] = values;
  if (values.length === 0) return [];
  if (values.length === 1 && typeof only === 'string' && oneLine(only, didChars) === only.trim()) return [];
  return [fenced(shortened(prettyJson(input), full), 'json')];
}
