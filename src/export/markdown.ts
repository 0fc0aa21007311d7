// A session → Markdown that reads well in a repository: a title, a small table of facts, a section for each turn. It
// comes out a block at a time, so that a session of any length needs no more memory than its longest line.
import path from 'node:path';
import { counted } from '../base/human.ts';
import { isDocument, isImage } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { promptText } from '../session/prompt-text.ts';
import { deliveredAt, type QueuedPrompt, typedDuring } from '../session/queue.ts';
import { readEntry, versionsOf } from '../session/session.ts';
import { summarise } from '../session/summary.ts';
import { toolCallsOf } from '../session/tool-calls.ts';
import { turnUsage } from '../session/turn-usage.ts';
import { type Turn, turnsOf } from '../session/turns.ts';
import { sessionUsage } from '../session/usage-lines.ts';
import { usageText } from '../session/usage-text.ts';
import { tellAnswer } from './markdown-answer.ts';
import { tellNote } from './markdown-note.ts';
import { quoted } from './markdown-quote.ts';
import { codeSpan, plainLine } from './markdown-text.ts';
import { modelsOf } from './models.ts';
import type { SecretCount, Subject } from './subject.ts';
import { type MarkdownOptions, type Piece, startTelling, type Telling } from './telling.ts';

/** Yields a session as Markdown. */
export async function* exportMarkdown(subject: Subject, options: MarkdownOptions = {}): AsyncGenerator<string> {
  for await (const { text } of markdownByTurn(subject, options)) yield text;
}

export interface MarkdownPiece {
  /** The turn it belongs to; 0 before the first. */
  readonly turn: number;
  readonly text: string;
}

export async function* markdownByTurn(subject: Subject, options: MarkdownOptions = {}): AsyncGenerator<MarkdownPiece> {
  let wasItem = false;
  let isFirst = true;
  let turn = 0;
  for await (const { text, isItem = false, opens = turn } of pieces(startTelling(subject, options))) {
    turn = opens;
    if (text === '') continue;
    // Names of tools and models stand beside the lines, where nothing was hidden yet.
    yield { turn, text: subject.hide(`${isFirst || (wasItem && isItem) ? '' : '\n'}${text}\n`) };
    isFirst = false;
    wasItem = isItem;
  }
}

async function* pieces(telling: Telling): AsyncGenerator<Piece> {
  const { session, subject } = telling;
  const turns = turnsOf(session, session.branches[(telling.branch ?? 1) - 1]);
  if (telling.turn !== undefined) {
    for (const turn of turns.filter(({ index }) => index === telling.turn)) yield* tellTurn(telling, turn);
    return;
  }
  yield* header(telling);
  if (turns.length === 0) yield { text: '*No conversation in this session, only bookkeeping.*' };
  for (const turn of turns) yield* tellTurn(telling, turn);
  for (const { text } of telling.queued.filter(({ outcome }) => outcome === 'waiting')) {
    yield { text: quoted(text) };
    yield { text: '*(typed, but never sent)*' };
  }
  if (subject.isRedacted) yield { text: `---\n\n*${redactionNote(subject.secrets())}*` };
}

function* header({ session, subject, full }: Telling): Generator<Piece> {
  const { title, cwd, startedAt, endedAt, turns, damage } = summarise(session);
  yield { text: `# ${plainLine(firstLine(subject.hide(title ?? '')), 100) || 'Untitled session'}` };
  const rows: (readonly [string, string])[] = [
    ['Session', codeSpan(full === true ? session.id : session.id.slice(0, 8))],
    [
      'Project',
      cwd === undefined ? '' : full === true ? codeSpan(subject.hide(cwd)) : plainLine(baseName(subject.hide(cwd))),
    ],
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
  const told = rows.filter(([, value]) => value !== '').map(([name, value]) => `| ${name} | ${value} |`);
  yield { text: ['| | |', '| --- | --- |', ...told].join('\n') };
}

/** A prompt that serves as a title may be pages long. */
function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** On Windows too: a session may come from any machine. */
function baseName(folder: string): string {
  return path.win32.basename(folder);
}

async function* tellTurn(telling: Telling, turn: Turn): AsyncGenerator<Piece> {
  const { session, queued } = telling;
  const calls = new Map(toolCallsOf(session, turn).map((call) => [call.id, call]));
  const typed = [...typedDuring(queued, turn.nodes)];
  yield* turnHead(telling, turn);
  for (const node of turn.nodes) {
    while (typed[0] !== undefined && deliveredAt(typed[0]) < node.index) yield* typedPrompt(typed.shift());
    if (node === turn.prompt) continue;
    if (node.type === 'assistant') yield* tellAnswer(telling, node, calls);
    else yield* tellNote(telling, node);
  }
  for (const prompt of typed) yield* typedPrompt(prompt);
}

function* turnHead({ session }: Telling, turn: Turn): Generator<Piece> {
  const blocks = turn.prompt === undefined ? [] : contentOf(readEntry(session, turn.prompt));
  const text = promptText(blocks).trim();
  const words = plainLine(firstLine(text).replaceAll('`', ''), 72);
  yield {
    text: `## ${turn.index}. ${words === '' ? (turn.prompt === undefined ? 'Before the first prompt' : 'Prompt') : words}`,
    opens: turn.index,
  };
  const usage = turnUsage(session, turn);
  const facts = [
    minute(turn.nodes[0]?.time ?? Number.NaN),
    usage.messages === 0 ? '' : usageText(usage),
    turn.promptKind === 'queued' ? 'typed while it worked' : '',
  ];
  const told = facts.filter((fact) => fact !== '').join(' · ');
  yield { text: told === '' ? '' : `*${told}*` };
  yield { text: text === '' ? '' : quoted(text) };
  yield { text: attachments(blocks.filter(isImage).length, 'image') };
  yield { text: attachments(blocks.filter(isDocument).length, 'document') };
}

function attachments(count: number, noun: string): string {
  return count === 0 ? '' : `*[${count === 1 ? noun : counted(count, noun)}]*`;
}

function* typedPrompt(prompt: QueuedPrompt | undefined): Generator<Piece> {
  if (prompt === undefined) return;
  yield { text: quoted(prompt.text) };
  yield { text: '*(typed while it worked)*' };
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
