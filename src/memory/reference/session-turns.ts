// A session → the turn that a reference names, on whatever branch it is now, and the reference of a turn.
import { UserError } from '../../base/errors/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import { formatReference, type Reference, sessionPart, turnPart } from './reference.ts';

export interface PlacedTurn {
  readonly turn: Turn;
  readonly branch: Branch;
}

/** Throws if the session has no such turn. */
export function namedTurn(session: Session, name: NonNullable<Reference['turn']>): PlacedTurn {
  const [active] = session.branches;
  if ('number' in name) {
    const turns = active === undefined ? [] : turnsOf(session, active);
    const turn = turns[name.number - 1];
    if (turn !== undefined && active !== undefined) return { turn, branch: active };
    throw new UserError(
      `there is no turn ${name.number}`,
      turns.length === 0 ? 'the session has none' : `the session has turns 1 to ${turns.length}`,
    );
  }
  if ('transcript' in name) throw new UserError('the session has no such turn', 'outline lists its turns');
  const isNamed = 'uuid' in name ? startsWith(name.uuid) : ({ line }: Line): boolean => line === name.line;
  const all = session.branches.flatMap((branch) => turnsOf(session, branch).map((turn) => ({ turn, branch })));
  // A line of a prompt names its turn; any other line is in one turn only.
  for (const linesOf of [({ promptLines }: Turn) => promptLines, ({ nodes }: Turn) => nodes]) {
    const [found, ...others] = all.filter(({ turn }) => linesOf(turn).some(isNamed));
    if (others.some(({ turn }) => turn.prompt?.uuid !== found?.turn.prompt?.uuid))
      throw new AmbiguousTurn(`${others.length + 1} turns begin with that uuid`, 'give more of the uuid');
    if (found !== undefined) return found;
  }
  throw new UserError('the session has no such turn', 'outline lists its turns');
}

/** More than one turn has that name. */
export class AmbiguousTurn extends UserError {}

type Line = { readonly uuid: string | undefined; readonly line: number };

function startsWith(start: string): (line: Line) => boolean {
  return ({ uuid }) => uuid?.toLowerCase().startsWith(start) === true;
}

/** A name that stays right when turns before it are taken back. */
export function referenceOf(sessionId: string, turn: Turn): string {
  const line = turn.prompt ?? turn.nodes.find(({ uuid }) => uuid !== undefined) ?? turn.nodes[0];
  return formatReference(sessionPart(sessionId), line === undefined ? String(turn.index) : turnPart(line));
}
