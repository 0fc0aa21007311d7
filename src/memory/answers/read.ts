// A reference → the turn as text: the prompt, the answer, the calls, and on request thinking, output and files; as much as
// the budget allows, with a note how to read on.
import { UserError } from '../../base/errors/index.ts';
import { isoDate } from '../../base/json/index.ts';
import { type ExportSource, openSourceAgent } from '../../export/source/index.ts';
import type { DeletedPrompt, DeletedSession } from '../../library/deleted/index.ts';
import type { CallItem, Item } from '../../session/items/index.ts';
import { compactionFacts, Story } from '../../session/story/index.ts';
import type { Turn } from '../../session/turns/index.ts';
import type { ReadPart, ReadQuestion } from '../questions/index.ts';
import {
  formatReference,
  namedTurn,
  type PlacedTurn,
  type Reference,
  referenceOf,
  sessionPart,
} from '../reference/index.ts';
import { Answer, type SecretFilter } from '../text/index.ts';
import { quoteParts } from './parts.ts';

export async function readTurn(
  source: ExportSource,
  { turn: name }: Reference,
  question: ReadQuestion,
  secrets: SecretFilter,
): Promise<string> {
  const { session } = source;
  const [active] = session.branches;
  if (active === undefined) throw new UserError('the session has no conversation', 'search for another one');
  const placed = name === undefined ? firstTurn(session, active) : namedTurn(session, name);
  const story = new Story(session, {
    branch: placed.branch,
    open: (root, agent) => openSourceAgent(source, root, agent),
  });
  const { turn } = placed;
  const answer = new Answer(question.tokens);
  answer.say(headOf(source, placed));
  const cut = quoteParts(answer, partsOf(story, turn, new Set(question.include)), question.from, secrets);
  if (cut !== undefined) return answer.end(cut);
  const next = story.turns[turn.index];
  return answer.end(next === undefined ? 'end of the session' : `next turn: ${referenceOf(session.id, next)}`);
}

/** What is left of a session without a transcript: its prompts, from the one that the reference names. */
export function readPrompts(
  session: DeletedSession,
  prompts: readonly DeletedPrompt[],
  { turn }: Reference,
  { tokens }: Pick<ReadQuestion, 'tokens'>,
  secrets: SecretFilter,
): string {
  const from = turn !== undefined && 'line' in turn ? turn.line : 0;
  const answer = new Answer(tokens);
  const id = formatReference(sessionPart(session.id));
  answer.say(`${id} · the transcript was deleted; only prompts are left`);
  for (const { line, text, time } of prompts.filter((prompt) => prompt.line >= from)) {
    const { text: clean } = secrets.clean(`user: ${text.trim()}`);
    const isSaid =
      answer.left > leastTokens && answer.say(`${id}#L${line} · ${isoDate(time)?.slice(0, 10) ?? 'no date'}`);
    if (!isSaid) return answer.end(`cut: read on with reference ${id}#L${line}`);
    if (answer.quote(clean) < clean.length) answer.say('(cut)');
  }
  return answer.end();
}

/** More than a reference and a few words have. */
const leastTokens = 80;

function firstTurn(session: ExportSource['session'], branch: PlacedTurn['branch']): PlacedTurn {
  const turn = new Story(session, { branch }).turns[0];
  if (turn === undefined) throw new UserError('the session has no turns', 'search for another one');
  return { turn, branch };
}

function headOf({ session }: ExportSource, { turn, branch }: PlacedTurn): string {
  const time =
    isoDate(turn.nodes[0]?.time ?? Number.NaN)
      ?.slice(0, 16)
      .replace('T', ' ') ?? '';
  const where = branch.active ? `turn ${turn.index}` : 'a turn that was taken back';
  return `${referenceOf(session.id, turn)} · ${where}${time === '' ? '' : ` · ${time} UTC`}`;
}

/** Texts are made when they are reached: one may have fifty megabytes. */
function* partsOf(story: Story, turn: Turn, wanted: ReadonlySet<ReadPart>): Generator<() => string> {
  const prompt = story.prompt(turn);
  if (wanted.has('prompt') && prompt !== undefined) yield () => `user: ${prompt.text.text.trim()}`;
  const files = new Set<string>();
  for (const item of story.items(turn)) {
    if (item.kind === 'call') for (const file of filesOf(item)) files.add(file);
    const text = itemText(item, wanted);
    if (text !== undefined) yield text;
  }
  if (wanted.has('files') && files.size > 0) yield () => `files: ${[...files].slice(0, mostFiles).join(', ')}`;
}

const mostFiles = 200;
const inputChars = 400;

function filesOf({ detail }: CallItem): readonly string[] {
  return detail.as === 'file' || detail.as === 'diff' ? [detail.file] : [];
}

function itemText(item: Item, wanted: ReadonlySet<ReadPart>): (() => string) | undefined {
  switch (item.kind) {
    case 'queued':
      return wanted.has('prompt') ? () => `user, while it worked: ${item.text.text.trim()}` : undefined;
    case 'text':
      return wanted.has('answer') ? () => `assistant: ${item.text.text.trim()}` : undefined;
    case 'thinking': {
      const { text } = item;
      return wanted.has('thinking') && text !== null ? () => `thinking: ${text.text.trim()}` : undefined;
    }
    case 'call':
      return callText(item, wanted);
    case 'error':
      return wanted.has('answer') ? () => `error: ${item.text.text.trim()}` : undefined;
    case 'compaction':
      return () => `(the history was ${compactionFacts(item).join(' · ')})`;
    case 'summary':
      return wanted.has('answer') ? () => `summary of earlier turns: ${item.text.text.trim()}` : undefined;
    case 'note':
      return item.about === 'shell' || item.about === 'output'
        ? wanted.has('output')
          ? () => `${item.about}: ${item.text.text.trim()}`
          : undefined
        : undefined;
    case 'prompt':
    case 'context':
    case 'fork':
    case 'image':
    case 'block':
      return undefined;
    default:
      return item satisfies never;
  }
}

function callText(call: CallItem, wanted: ReadonlySet<ReadPart>): (() => string) | undefined {
  const { tool, summary, state, outcome, output } = call;
  const hasOutput = wanted.has('output') && output.trim() !== '';
  if (!wanted.has('calls') && !hasOutput) return undefined;
  return () => {
    const end = outcome === '' ? (state === 'done' ? '' : ` → ${state}`) : ` → ${outcome}`;
    const line = `${tool}: ${summary.slice(0, inputChars)}${end.slice(0, inputChars)}`.replace(/\s+/g, ' ');
    return hasOutput ? `${line}\n${output.trim()}` : line;
  };
}
