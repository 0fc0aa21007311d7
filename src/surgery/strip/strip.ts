// Removes tool calls with their results, long results, thinking, images, progress or bookkeeping from a session, or from its
// older turns. The chain is repaired; thinking is never altered.

import { UserError } from '../../base/errors/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import type { Session } from '../../session/load/index.ts';
import { countingSnapshot } from '../../session/resume/request/index.ts';
import { isMessage, type Node, type Transcript } from '../../session/transcript/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import {
  addEdits,
  type Dropped,
  droppedBy,
  freshUsageEdits,
  newSession,
  type Plan,
  type Rewrite,
  relinkInto,
  type Source,
  sameSession,
  sessionOf,
} from '../engine/index.ts';
import { leanTrace, openRoundOf, resumedLines } from '../request/index.ts';
import { type Stripped, stripLines } from './strip-lines.ts';
import { type StripOptions, takesAnything } from './strip-options.ts';
import { checkStripped } from './strip-promise.ts';

interface Scope {
  has(node: Node): boolean;
  /** From this time on nothing may be changed. */
  readonly until: number;
}

export type Limits = Pick<StripOptions, 'olderThanTurns' | 'olderThanTime' | 'keepLast'>;

export function findScope(session: Session, limits: Limits): Scope {
  const turns = turnsOf(session);
  const { olderThanTurns, olderThanTime, keepLast } = limits;
  let first = turns.length;
  for (const count of [olderThanTurns, keepLast])
    if (count !== undefined) first = Math.min(first, turns.length - count);
  if (olderThanTime !== undefined) {
    const recent = turns.findIndex(({ nodes }) => nodes.some(({ time }) => time >= olderThanTime));
    if (recent >= 0) first = Math.min(first, recent);
  }
  const kept = turns.slice(Math.max(0, first));
  const [start] = kept[0]?.nodes ?? [];
  if (start === undefined) return { has: () => true, until: Number.POSITIVE_INFINITY };
  const later = new Set(kept.flatMap(({ nodes }) => nodes));
  return { has: (node) => node.index < start.index && !later.has(node), until: start.time };
}

/** A sub-agent's transcript is stripped completely or not at all, because turns belong to the main conversation. */
function holdsAgent(scope: Scope, nodes: readonly Node[]): boolean {
  return nodes.every(({ time }) => Number.isNaN(time) || time < scope.until);
}

/** Plans a session without tool calls, long results, thinking, images or other content. */
export function planStrip(source: Source, options: StripOptions): Plan {
  if (!takesAnything(options))
    throw new UserError('nothing to strip was chosen', 'choose what to strip, for example `--tools`');
  const { session } = source;
  const scope = findScope(session, options);
  const { stripped, isOpen, isOpenRound } = stripMain(session, scope, options);
  const main = repaired(session, stripped, true);
  const rewrites = new Map([[session.transcript.path, main.rewrite]]);
  const dropped: Dropped[] = [...droppedBy(session.transcript, main.rewrite.drops)];
  for (const agent of options.agents === true ? agentsOf(source, scope) : []) {
    const { path } = agent.transcript;
    const { rewrite } = repaired(agent, stripAgent(agent, session.id, options), false);
    if (rewrite.edits.size === 0 && rewrite.drops.size === 0) continue;
    rewrites.set(path, rewrite);
    dropped.push(...droppedBy(agent.transcript, rewrite.drops, path));
  }
  if (main.isEmpty && rewrites.size === 1)
    throw new UserError(
      `nothing to strip in ${isLimited(options) ? 'the older turns of ' : ''}${session.id}`,
      `run \`clew strip ${session.id}\` for an overview`,
    );
  const messages = resumedLines(session).filter(isMessage);
  if (messages.length > 0 && messages.every((node) => stripped.drops.has(node.index)))
    throw new UserError('nothing of the conversation would remain', 'name fewer tools, or keep turns: --keep-last 1');
  return {
    operation: 'strip',
    words: wordsOf(options),
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [options.isInPlace === true ? sameSession(source, { rewrites }) : newSession(source, { rewrites })],
    dropped,
    notes: main.hasFreshUsage ? [freshUsageNote] : [],
    expects: ({ session: result }) =>
      checkStripped(session, result, { options, calls: stripped.calls, isOpen, isOpenRound }),
  };
}

function isLimited({ keepLast, olderThanTurns, olderThanTime }: StripOptions): boolean {
  return (keepLast ?? olderThanTurns ?? olderThanTime) !== undefined;
}

export const freshUsageNote =
  'the usage of the last answer is set to 0, so that clients do not consider the context full';

export function stripMain(
  session: Session,
  scope: Scope,
  options: StripOptions,
): { readonly stripped: Stripped; isOpen(node: Node): boolean; isOpenRound(node: Node): boolean } {
  const traced = leanTrace(session);
  const sent = new Set('refused' in traced ? [] : traced.messages.flatMap(({ lines }) => lines));
  const chain = new Set(resumedLines(session));
  const isOpen = (node: Node): boolean =>
    scope.has(node) && (!node.isSidechain || session.isAgent || options.agents === true || chain.has(node));
  const isLeftOut = (node: Node): boolean => chain.has(node) && !sent.has(node);
  const round = openRoundOf([...chain]);
  const isOpenRound = (node: Node): boolean => round !== undefined && node.message?.id === round;
  const isPrompt = promptOf(session.transcript, [...chain]);
  const source = { transcript: session.transcript, sessionId: session.id, isOpen, isLeftOut, isOpenRound, isPrompt };
  return { stripped: stripLines(source, options), isOpen, isOpenRound };
}

function stripAgent({ transcript }: Session, sessionId: string, options: StripOptions): Stripped {
  const isPrompt = promptOf(transcript, transcript.nodes);
  const never = (): boolean => false;
  const source = { transcript, sessionId, isOpen: () => true, isLeftOut: never, isOpenRound: never, isPrompt };
  return stripLines(source, options);
}

function promptOf(transcript: Transcript, lines: readonly Node[]): (node: Node) => boolean {
  const line = countingSnapshot(lines, (node) => transcript.read(node))?.line;
  return (node) => line !== undefined && node.line === line;
}

function agentsOf(source: Source, scope: Scope): readonly Session[] {
  return source.files
    .slice(1)
    .filter(({ transcript }) => transcript !== undefined && holdsAgent(scope, transcript.nodes))
    .map((file) => sessionOf(source, file));
}

interface Repaired {
  readonly rewrite: Rewrite & { readonly edits: Map<number, readonly Edit[]>; readonly drops: Map<number, string> };
  readonly isEmpty: boolean;
  readonly hasFreshUsage: boolean;
}

function repaired(session: Session, stripped: Stripped, hasContext: boolean): Repaired {
  const drops = new Map(stripped.drops);
  const edits = new Map<number, readonly Edit[]>(stripped.edits);
  const isEmpty = drops.size === 0 && edits.size === 0;
  relinkInto(session, edits, drops);
  const chain = hasContext ? resumedLines(session) : [];
  const hasShrunk = chain.some(
    ({ index, type }) => type !== 'attachment' && (stripped.edits.has(index) || drops.has(index)),
  );
  const fresh = hasShrunk
    ? freshUsageEdits(
        session,
        chain.filter(({ index }) => !drops.has(index)),
      )
    : new Map();
  addEdits(edits, fresh);
  return {
    rewrite: { edits, drops: new Map([...drops].sort((a, b) => a[0] - b[0])) },
    isEmpty,
    hasFreshUsage: fresh.size > 0,
  };
}

function wordsOf(options: StripOptions): string[] {
  const words: string[] = [];
  const { tools, truncateResults, truncateInputs, olderThanTurns, olderThanTime, keepLast } = options;
  if (tools !== undefined) words.push('--tools', ...(tools.length === 0 ? [] : [tools.join(',')]));
  if (truncateResults !== undefined) words.push('--truncate-results', String(truncateResults));
  if (truncateInputs !== undefined) words.push('--truncate-inputs', String(truncateInputs));
  for (const kind of ['thinking', 'images', 'progress', 'bookkeeping', 'agents'] as const)
    if (options[kind] === true) words.push(`--${kind}`);
  if (options.prompt === true) words.push('--all');
  if (olderThanTurns !== undefined) words.push('--older-than', String(olderThanTurns));
  if (olderThanTime !== undefined) words.push('--older-than', new Date(olderThanTime).toISOString());
  if (keepLast !== undefined) words.push('--keep-last', String(keepLast));
  if (options.isInPlace === true) words.push('--in-place');
  return words;
}
