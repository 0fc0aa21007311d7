// A tool call → one line with its input summary and its outcome; folded below it edits as a diff, commands with their
// output, other tools with input and output. The content of a file that was read stays in the transcript.
import path from 'node:path';
import { asObject, isArray, isObject, type JsonObject } from '../../base/json/json.ts';
import { prettyJson } from '../../base/json/json-text.ts';
import { oneLine } from '../../base/text/terminal-text.ts';
import { outcomeOf } from '../../session/calls/call-result.ts';
import type { DiffDetail, StoredHunk, TodoDetail } from '../../session/items/detail.ts';
import type { CallItem } from '../../session/items/item.ts';
import { shortened } from './markdown-cut.ts';
import type { Piece } from './markdown-items.ts';
import { codeSpan, fenced, plainLine, safeMarkdown, summaryText } from './markdown-text.ts';

interface CallOptions {
  readonly full: boolean;
  /** The level of the topmost headings in a plan. */
  readonly top: number;
}

export const marks = { done: '✓', failed: '✗', open: '?' } as const;

export function* callPieces(call: CallItem, options: CallOptions): Generator<Piece> {
  const { tool, state, result, output } = call;
  const mark = marks[state];
  const summary = oneLine(call.summary, summaryChars);
  // The diff shows the outcome of a change.
  const isChanged = state === 'done' && changes.has(tool);
  const outcome = isChanged ? '' : outcomeOf({ isError: state === 'failed', result }, output, summary);
  const folded = foldedParts(call, options);
  if (folded.length === 0) {
    const line = [
      `- ${mark} **${plainLine(tool, 60)}**`,
      codeSpan(summary),
      outcome === '' ? '' : `· ${plainLine(outcome, 100)}`,
    ];
    yield { text: line.filter((part) => part !== '').join(' '), isItem: true };
    return;
  }
  const name = `<b>${summaryText(tool, 60)}</b>`;
  const code = summary === '' ? '' : ` <code>${summaryText(summary, summaryChars)}</code>`;
  const end = outcome === '' ? '' : ` · ${summaryText(outcome, 100)}`;
  yield { text: `<details>\n<summary>${mark} ${name}${code}${end}</summary>` };
  for (const text of folded) yield { text };
  yield { text: '</details>' };
}

const summaryChars = 100;
const changes: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write']);

function foldedParts(call: CallItem, { full, top }: CallOptions): readonly string[] {
  const { tool, detail, output: text } = call;
  const input = asObject(call.input) ?? {};
  const isError = call.state === 'failed';
  const output = text.trim() === '' ? [] : [fenced(shortened(text, full))];
  const plain = [...inputPart(input, full), ...output];
  switch (detail.as) {
    case 'file':
      return isError || full ? output : [];
    case 'search':
      return tool !== 'LS' ? plain : isError || full ? output : [];
    case 'shell':
      return tool === 'Bash' ? [...commandPart(detail.command.text, full), ...output] : plain;
    case 'diff':
      return !changes.has(tool) ? plain : isError ? output : changeParts(detail, full);
    case 'todos':
      return tool === 'TodoWrite' ? [todoList(detail)] : plain;
    case 'plan':
      return tool === 'ExitPlanMode' ? [safeMarkdown(detail.plan.text, { top }), ...(isError ? output : [])] : plain;
    case 'web-search':
    case 'web-fetch':
    case 'agent':
    case 'questions':
    case 'json':
      return plain;
    default:
      return detail satisfies never;
  }
}

/** Nothing if the line shows it whole. */
function commandPart(text: string, full: boolean): readonly string[] {
  return text === '' || oneLine(text, summaryChars) === text.trim() ? [] : [fenced(shortened(text, full), 'bash')];
}

function changeParts({ change, file }: DiffDetail, full: boolean): readonly string[] {
  switch (change.from) {
    case 'patch':
      return [fenced(shortened(diffText(change.hunks), full), 'diff')];
    case 'content':
      return change.content === null ? [] : [fenced(shortened(change.content, full), languageOf(file))];
    case 'edits': {
      const { edits } = change.input;
      return (isArray(edits) ? edits.filter(isObject) : [change.input]).flatMap((edit) => {
        const lines = [...changed('-', edit.old_string), ...changed('+', edit.new_string)];
        return lines.length === 0 ? [] : [fenced(shortened(lines.join('\n'), full), 'diff')];
      });
    }
  }
}

function diffText(hunks: readonly StoredHunk[]): string {
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n');
}

function changed(mark: string, text: unknown): string[] {
  return typeof text === 'string' && text !== '' ? text.split('\n').map((line) => mark + line) : [];
}

function languageOf(file: string): string {
  const extension = path.extname(file).slice(1);
  return /^\w{1,10}$/.test(extension) ? extension : '';
}

function todoList({ todos }: TodoDetail): string {
  const items = todos.map(({ content, status }) => {
    const isDone = status === 'completed';
    return `- [${isDone ? 'x' : ' '}] ${plainLine(content)}${status === 'in_progress' ? ' *(in progress)*' : ''}`;
  });
  return items.join('\n');
}

/** Nothing if the line says it all: one short text. */
function inputPart(input: JsonObject, full: boolean): readonly string[] {
  const values = Object.values(input);
  const [only] = values;
  if (values.length === 0) return [];
  if (values.length === 1 && typeof only === 'string' && oneLine(only, summaryChars) === only.trim()) return [];
  return [fenced(shortened(prettyJson(input), full), 'json')];
}
