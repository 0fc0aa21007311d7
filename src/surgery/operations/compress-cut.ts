// Finds where to cut the history so that a number of turns stays. A cut never separates a call from its result or the lines
// of a message, and does not summarize again what a compaction has summarized.
import { UserError } from '../../base/errors/errors.ts';
import type { Session } from '../../session/load/session.ts';
import { callsOf, isBoundary, type Node, resultsOf } from '../../session/transcript/node.ts';
import { type Turn, turnsOf } from '../../session/turns/turns.ts';
import { messageKey } from '../strip/strip-calls.ts';

export interface CompressCut {
  /** The turns to summarize, since the last compaction. */
  readonly older: readonly Turn[];
  readonly kept: readonly Turn[];
  /** The last compaction, whose summary is summarized too. */
  readonly boundary: Node | undefined;
}

export function findCompressCut(session: Session, keepTurns: number): CompressCut {
  const turns = turnsOf(session);
  const branch = session.branches[0]?.nodes ?? [];
  const boundary = branch.findLast(isBoundary);
  const summarised = boundary === undefined ? 0 : turns.findIndex(({ nodes }) => nodes.includes(boundary)) + 1;
  const unsafe = unsafeCuts(turns);
  let from = Math.max(0, turns.length - keepTurns);
  while (from > 0 && unsafe.has(from)) from--;
  if (from <= summarised && !(from === summarised && from > 0 && hasAnswerAfter(turns[from - 1], boundary))) {
    const what =
      summarised === 0
        ? `it has ${turns.length === 1 ? '1 turn' : `${turns.length} turns`}`
        : `turns 1 to ${summarised} are already summarised`;
    const next = turns.length - summarised > 1 ? 'keep fewer turns: --keep-turns N' : 'see `clew strip` for other ways';
    throw new UserError(`nothing to compress in ${session.id}: ${what}`, next);
  }
  return { older: turns.slice(Math.max(0, summarised - 1), from), kept: turns.slice(from), boundary };
}

/** The turns before which a cut would separate a message, or a call and its result. */
function unsafeCuts(turns: readonly Turn[]): ReadonlySet<number> {
  const firsts = new Map<string, number>();
  const farthest: number[] = turns.map((_, i) => i);
  for (const [i, { nodes }] of turns.entries()) {
    for (const key of nodes.flatMap(keysOf)) {
      const first = firsts.get(key) ?? i;
      firsts.set(key, first);
      farthest[first] = Math.max(farthest[first] ?? i, i);
    }
  }
  const unsafe = new Set<number>();
  let reach = 0;
  for (const [i, far] of farthest.entries()) {
    if (reach >= i && i > 0) unsafe.add(i);
    reach = Math.max(reach, far);
  }
  return unsafe;
}

function keysOf(node: Node): string[] {
  const message = messageKey(node);
  return [
    ...(message === undefined ? [] : [`message ${message}`]),
    ...callsOf(node).map(({ id }) => `call ${id}`),
    ...resultsOf(node).map(({ toolUseId }) => `call ${toolUseId}`),
  ];
}

function hasAnswerAfter(turn: Turn | undefined, boundary: Node | undefined): boolean {
  return turn?.nodes.some((node) => node.type === 'assistant' && node.index > (boundary?.index ?? 0)) === true;
}
