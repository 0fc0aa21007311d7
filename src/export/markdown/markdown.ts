// A session → Markdown that reads well in a repository: a title, a small table of facts, a section for each turn. It
// is written a block at a time, so that a session of any length needs no more memory than its longest line.
import path from 'node:path';
import { counted } from '../../base/text/index.ts';
import { sessionUsage, summarise, turnUsage, usageText } from '../../session/facts/index.ts';
import type { AttachedContext } from '../../session/items/index.ts';
import { versionsOf } from '../../session/load/index.ts';
import { attachedLine, Story } from '../../session/story/index.ts';
import type { Turn } from '../../session/turns/index.ts';
import { type ExportSource, modelsOf, openSourceAgent, type SecretCount } from '../source/index.ts';
import { itemPieces, type Piece, type PieceOptions, shortened } from './markdown-items.ts';
import { codeSpan, fenced, plainLine, quoted, summaryText } from './markdown-text.ts';

/** Options of `exportMarkdown`. */
export interface MarkdownOptions {
  /** Whole paths and ids, and outputs without a cut. */
  readonly full?: boolean;
  readonly thinking?: boolean;
  /** From 1; the active one unless it is given. */
  readonly branch?: number;
  /** Only this turn of it, from 1, without the table of facts. */
  readonly turn?: number;
}

/** Yields a session as Markdown. */
export async function* exportMarkdown(source: ExportSource, options: MarkdownOptions = {}): AsyncGenerator<string> {
  for await (const { text } of markdownByTurn(source, options)) yield text;
}

export interface MarkdownPiece {
  /** The turn it belongs to; 0 before the first. */
  readonly turn: number;
  readonly text: string;
}

export async function* markdownByTurn(
  source: ExportSource,
  options: MarkdownOptions = {},
): AsyncGenerator<MarkdownPiece> {
  let wasItem = false;
  let isFirst = true;
  let turn = 0;
  for await (const { text, isItem = false, opens = turn } of pieces(source, options)) {
    turn = opens;
    if (text === '') continue;
    // Names of tools and models do not come from the lines, which are already redacted.
    yield { turn, text: source.hide(`${isFirst || (wasItem && isItem) ? '' : '\n'}${text}\n`) };
    isFirst = false;
    wasItem = isItem;
  }
}

async function* pieces(source: ExportSource, options: MarkdownOptions): AsyncGenerator<Piece> {
  const { session } = source;
  const { full = false, thinking = false, branch = 1 } = options;
  const story = new Story(session, {
    branch: session.branches[branch - 1],
    open: (root, agent) => openSourceAgent(source, root, agent),
  });
  const pieceOptions = { source, full, thinking, isAgent: false };
  const { turns } = story;
  if (options.turn !== undefined) {
    for (const turn of turns.filter(({ index }) => index === options.turn))
      yield* turnPieces(story, turn, pieceOptions);
    return;
  }
  yield* header(source, full);
  if (turns.length === 0) yield { text: '*No conversation in this session, only bookkeeping.*' };
  for (const turn of turns) yield* turnPieces(story, turn, pieceOptions);
  for (const { text } of story.waiting) {
    yield { text: quoted(text) };
    yield { text: '*(typed, but never sent)*' };
  }
  if (source.isRedacted) yield { text: `---\n\n*${redactionNote(source.secrets())}*` };
}

function* header(source: ExportSource, full: boolean): Generator<Piece> {
  const { session } = source;
  const { title, cwd, startedAt, endedAt, turns, damage } = summarise(session);
  yield { text: `# ${plainLine(firstLine(source.hide(title ?? '')), 100) || 'Untitled session'}` };
  const rows: (readonly [string, string])[] = [
    ['Session', codeSpan(full ? session.id : session.id.slice(0, 8))],
    ['Project', cwd === undefined ? '' : full ? codeSpan(source.hide(cwd)) : plainLine(baseName(source.hide(cwd)))],
    ['When', timeSpan(startedAt, endedAt)],
    [
      'Model',
      modelsOf(session)
        .map((model) => plainLine(model, 60))
        .join(', '),
    ],
    [
      'Turns',
      counted(turns, 'turn') + (session.agents.length === 0 ? '' : `, ${counted(session.agents.length, 'sub-agent')}`),
    ],
    ['Tokens', usageText(sessionUsage(session))],
    [
      'Claude Code',
      versionsOf(session)
        .map((version) => plainLine(version, 20))
        .join(', '),
    ],
    ['Damage', damage === 0 ? '' : `${counted(damage, 'place')} of the transcript could not be read as written`],
  ];
  const known = rows.filter(([, value]) => value !== '').map(([name, value]) => `| ${name} | ${value} |`);
  yield { text: ['| | |', '| --- | --- |', ...known].join('\n') };
}

/** A prompt as a title may be pages long. */
function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** On Windows too: a session may come from any machine. */
function baseName(folder: string): string {
  return path.win32.basename(folder);
}

async function* turnPieces(story: Story, turn: Turn, options: PieceOptions): AsyncGenerator<Piece> {
  yield* turnHead(story, turn, options.full);
  for (const item of story.items(turn)) yield* itemPieces(story, item, options);
}

function* turnHead(story: Story, turn: Turn, full: boolean): Generator<Piece> {
  const prompt = story.prompt(turn);
  const text = prompt?.text.text.trim() ?? '';
  const words = plainLine(firstLine(text).replaceAll('`', ''), 72);
  yield {
    text: `## ${turn.index}. ${words === '' ? (prompt === undefined ? 'Before the first prompt' : 'Prompt') : words}`,
    opens: turn.index,
  };
  const usage = turnUsage(story.session, turn);
  const facts = [
    minute(turn.nodes[0]?.time ?? Number.NaN),
    usage.messages === 0 ? '' : usageText(usage),
    turn.promptKind === 'queued' ? 'typed while it worked' : '',
  ];
  const line = facts.filter((fact) => fact !== '').join(' · ');
  yield { text: line === '' ? '' : `*${line}*` };
  yield { text: text === '' ? '' : quoted(text) };
  for (const each of prompt?.attached ?? []) yield* attachedPieces(story, each, full);
  yield { text: attachments(prompt?.images.length ?? 0, 'image') };
  yield { text: attachments(prompt?.documents.length ?? 0, 'document') };
}

/** What the editor attached to the prompt; reminders of the client are context, which Markdown leaves out. */
function* attachedPieces(story: Story, context: AttachedContext, full: boolean): Generator<Piece> {
  if (context.source === 'reminder') return;
  const line = `Attached: ${attachedLine(context, full ? undefined : story.cwd)}`;
  if (context.text.isBlank) yield { text: `*${plainLine(line, 200)}*` };
  else {
    yield { text: `<details>\n<summary>${summaryText(line, 200)}</summary>` };
    yield { text: fenced(shortened(context.text.text, full)) };
    yield { text: '</details>' };
  }
}

function attachments(count: number, noun: string): string {
  return count === 0 ? '' : `*[${count === 1 ? noun : counted(count, noun)}]*`;
}

export function redactionNote(secrets: readonly SecretCount[]): string {
  const made = 'Exported by Clew';
  if (secrets.length === 0) return `${made}; secrets were looked for, none was found.`;
  const kinds = secrets.map(({ kind, count }) => `${count} ${kind}`).join(', ');
  return `${made}; secrets were replaced by placeholders: ${plainLine(kinds, 2000)}.`;
}

/** In UTC, so that the same session gives the same page on every machine. */
function minute(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ');
}

function timeSpan(startedAt: number, endedAt: number): string {
  const [from, to] = [minute(startedAt), minute(endedAt)];
  if (from === '') return '';
  const end = to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to;
  return from === to ? `${from} UTC` : `${from} – ${end} UTC`;
}
