// Which lines may be changed, by limits in turns or time. All other lines stay byte for byte.

import type { Session } from '../../session/load/session.ts';
import type { Node } from '../../session/transcript/node.ts';
import { turnsOf } from '../../session/turns/turns.ts';
import type { StripOptions } from './strip-options.ts';

export interface Scope {
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
export function holdsAgent(scope: Scope, nodes: readonly Node[]): boolean {
  return nodes.every(({ time }) => Number.isNaN(time) || time < scope.until);
}
