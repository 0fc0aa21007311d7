// The items of a story → blocks of Markdown: answers as they are, calls as a line each with their input and output folded
// away below it, sub-agents folded in the same way.

import path from 'node:path';
import { asObject, isArray, isObject, type JsonObject, prettyJson } from '../../base/json/index.ts';
import { formatCount, oneLine } from '../../base/text/index.ts';
import { outputText } from '../../session/facts/index.ts';
import type {
  CallItem,
  DiffDetail,
  Item,
  NoteItem,
  StoredHunk,
  StoryAgent,
  TodoDetail,
} from '../../session/items/index.ts';
import { compactionFacts, nameOfAgent, type Story } from '../../session/story/index.ts';
import type { ExportSource } from '../source/index.ts';
import { codeSpan, escapeHtml, fenced, plainLine, quoted, safeMarkdown, summaryText } from './markdown-text.ts';

// A tool call → one line with its input summary and its outcome; folded below it edits as a diff, commands with their
// output, other tools with input and output. The content of a file that was read stays in the transcript.

interface CallOptions {
  readonly full: boolean;
  /** The level of the topmost headings in a plan. */
  readonly top: number;
}

const marks = { done: '✓', failed: '✗', declined: '⊘', interrupted: '⊘', open: '?' } as const;

function* callPieces(call: CallItem, options: CallOptions): Generator<Piece> {
  const { tool, state } = call;
  const mark = marks[state];
  const summary = oneLine(call.summary, summaryChars);
  // The diff shows the outcome of a change.
  const isChanged = state === 'done' && changes.has(tool);
  const outcome = isChanged ? '' : call.outcome;
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
  const isRefused = call.state === 'declined' || call.state === 'interrupted';
  const output = text.trim() === '' || isSaid(call) ? [] : [fenced(shortened(text, full))];
  const plain = [...inputPart(input, full), ...output];
  switch (detail.as) {
    case 'file':
      return isError || full ? output : [];
    case 'search':
      return tool !== 'LS' ? plain : isError || full ? output : [];
    case 'shell':
      return tool === 'Bash' ? [...commandPart(detail.command.text, full), ...output] : plain;
    case 'diff':
      return !changes.has(tool)
        ? plain
        : isError
          ? output
          : isRefused
            ? [...changeParts(detail, full), ...output]
            : changeParts(detail, full);
    case 'todos':
      return tool === 'TodoWrite' ? [todoList(detail)] : plain;
    case 'plan':
      return tool === 'ExitPlanMode'
        ? [safeMarkdown(detail.plan.text, { top }), ...(isError || isRefused ? output : [])]
        : plain;
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

/** Whether the line says all that the model got: an error of one line, or the user's refusal with its reason. */
function isSaid({ state, output, outcome, reply }: CallItem): boolean {
  if (state === 'declined') return reply === null || reply.text.length <= 100;
  return state === 'failed' && output.trim() === outcome && outcome.length <= 100;
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

const headLines = 40;
const tailLines = 10;
const lineChars = 500;

export function shortened(text: string, full: boolean): string {
  if (full) return text;
  const lines = text.split('\n');
  const left = lines.length - headLines - tailLines;
  // Leaving out a line or two would save nothing.
  if (left < 5) return lines.map(shortLine).join('\n');
  const note = `… ${formatCount(left)} lines left out …`;
  return [...lines.slice(0, headLines).map(shortLine), note, ...lines.slice(-tailLines).map(shortLine)].join('\n');
}

function shortLine(line: string): string {
  if (line.length <= lineChars + 100) return line;
  return `${line.slice(0, lineChars)} … ${formatCount(line.length - lineChars)} characters left out`;
}

/** A block of the page; items that follow one another make one list. */
export interface Piece {
  readonly text: string;
  readonly isItem?: boolean;
  /** The turn that begins with it. */
  readonly opens?: number;
}

export interface PieceOptions {
  readonly source: ExportSource;
  /** Whole outputs. */
  readonly full: boolean;
  readonly thinking: boolean;
  readonly isAgent: boolean;
}

export async function* itemPieces(story: Story, item: Item, options: PieceOptions): AsyncGenerator<Piece> {
  const { full, thinking, isAgent } = options;
  switch (item.kind) {
    case 'prompt':
      if (isAgent) yield { text: quoted(item.text.text) }; // of the session itself, it heads the turn
      return;
    case 'queued':
      yield { text: quoted(item.text.text) };
      yield { text: '*(typed while it worked)*' };
      return;
    case 'text':
      yield { text: safeMarkdown(item.text.text, { top: topHeading(isAgent) }) };
      return;
    case 'thinking':
      if (thinking && item.text !== null) yield* folded('<i>Thinking</i>', item.text.text);
      return;
    case 'call':
      if (item.agent === undefined) yield* callPieces(item, { full, top: topHeading(isAgent) });
      else yield* agentPieces(story, item, item.agent, options);
      return;
    case 'error':
      yield {
        text: `**✗ ${noteLine(item.text.text)}${item.repeats.length === 0 ? '' : ` (${item.repeats.length + 1} times)`}**`,
      };
      return;
    case 'note':
      yield { text: noteText(item, full) };
      return;
    case 'compaction':
      yield {
        text: `---\n\n**The history was ${compactionFacts(item)
          .map((fact) => plainLine(fact))
          .join(' · ')}**`,
      };
      return;
    case 'summary':
      yield* folded('Summary of what was said before', shortened(item.text.text, full));
      return;
    case 'image':
    case 'block':
      yield { text: `*[${plainLine(item.kind === 'image' ? 'image' : item.type, 60)}]*` };
      return;
    case 'context':
    case 'fork':
      return;
    default:
      item satisfies never;
  }
}

/** The level of the topmost headings in answers. */
function topHeading(isAgent: boolean): number {
  return isAgent ? 5 : 3;
}

function* folded(title: string, text: string): Generator<Piece> {
  yield { text: `<details>\n<summary>${title}</summary>` };
  yield { text: safeMarkdown(text, { top: 5 }) };
  yield { text: '</details>' };
}

function noteText({ about, label, text: { text } }: NoteItem, full: boolean): string {
  switch (about) {
    case 'interrupt':
      return `*■ ${noteLine(text)}*`;
    case 'notification':
      return `*◆ ${noteLine(text)}*`;
    case 'message':
      return `*◆ ${noteLine(label)}*\n\n${quoted(shortened(text, full))}`;
    case 'shell':
      return fenced(`! ${text}`, 'bash');
    case 'output':
      return fenced(shortened(text, full));
    case 'client':
    case 'system':
      return `*${noteLine(text)}*`;
  }
}

function noteLine(text: string): string {
  return plainLine(text, 400);
}

async function* agentPieces(
  story: Story,
  call: CallItem,
  agent: StoryAgent,
  options: PieceOptions,
): AsyncGenerator<Piece> {
  const name = options.source.hide(nameOfAgent(agent) ?? agent.agentId);
  const line = `**${plainLine(call.tool, 60)}** ${plainLine(name, 120)}`;
  const opened = await story.openAgent(agent);
  switch (opened.state) {
    case 'shown':
      yield { text: `- ${marks[call.state]} ${line} (shown above)`, isItem: true };
      return;
    case 'unreadable':
      yield { text: `- ✗ ${line} (its file cannot be read: ${plainLine(opened.reason, 20)})`, isItem: true };
      return;
    case 'open': {
      const head = `${marks[call.state]} <b>${summaryText(call.tool, 60)}</b> ${summaryText(name, 120)}`;
      yield { text: `<details>\n<summary>${head} · ${escapeHtml(outputText(opened.usage))}</summary>` };
      for (const turn of opened.story.turns) {
        for (const item of opened.story.items(turn)) {
          yield* itemPieces(opened.story, item, { ...options, isAgent: true });
        }
      }
      yield { text: '</details>' };
    }
  }
}
