// --branch and --turn: which part of a session a command shows.
import { UserError } from '../../base/errors/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import type { Turn } from '../../session/turns/index.ts';

export function chosenBranch(session: Session, wanted: string | undefined): Branch | undefined {
  if (wanted === undefined) return session.branches[0];
  const branch = /^\d+$/.test(wanted) ? session.branches[Number(wanted) - 1] : undefined;
  if (branch === undefined) {
    const count = session.branches.length;
    throw new UserError(
      `there is no branch ${named(wanted)}`,
      `the session has ${count === 1 ? 'one branch' : `branches 1 to ${count}`}`,
    );
  }
  return branch;
}

export function chosenTurns(turns: readonly Turn[], wanted: string | undefined): readonly Turn[] {
  if (wanted === undefined) return turns;
  const turn = /^\d+$/.test(wanted) ? turns[Number(wanted) - 1] : undefined;
  if (turn === undefined) {
    throw new UserError(
      `there is no turn ${named(wanted)}`,
      turns.length === 0 ? 'the session has none' : `the session has turns 1 to ${turns.length}`,
    );
  }
  return [turn];
}

function named(wanted: string): string {
  return /^\d+$/.test(wanted) ? wanted : `"${wanted}"`;
}
