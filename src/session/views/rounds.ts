// Seed 004's view of a session: each user line as the kind of round it begins, by that document's priorities. The
// view is offered because people think in it; what it says of `permissionMode` and roots is a guess (docs/format.md),
// so nothing else in Clew is built on it.

import type { Session } from '../load/session.ts';
import type { Node } from '../transcript/node.ts';

/** How a round of a session starts. */
export type RoundType = 'new_session' | 'continue' | 'new_round' | 'resume';

/** A point at which a session was started or continued. */
export interface Round {
  readonly type: RoundType;
  readonly node: Node;
}

const resumeGapMs = 5 * 60 * 1000;

/** Returns the points at which a session was started or continued. */
export function roundsOf(session: Session): readonly Round[] {
  const nodes = session.branches[0]?.nodes ?? [];
  let previous: Node | undefined;
  const rounds: Round[] = [];
  for (const node of nodes) {
    if (node.type === 'user') rounds.push({ type: roundType(node, previous), node });
    if (node.type === 'user' || node.type === 'assistant') previous = node;
  }
  return rounds;
}

export function roundType(node: Node, previous: Node | undefined): RoundType {
  if (node.hasPermissionMode || node.parentUuid === null || node.parentUuid === undefined) return 'new_session';
  if (node.userKind === 'results') return 'continue';
  return previous !== undefined && node.time - previous.time > resumeGapMs ? 'resume' : 'new_round';
}
