// clew show SESSION: a session for a reader, turn by turn, or all of it as JSON.
import { UserError } from '../../base/errors/index.ts';
import { forkedFromOf } from '../../session/facts/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { loadSessionArgument, readLineage } from '../input/index.ts';
import { proseWidth, terminalWidth, writeOut } from '../terminal/index.ts';
import { showJson } from './json.ts';
import { showText } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const session = await loadSessionArgument(input);
  const branch = chosenBranch(session, textFlag(flags, 'branch'));
  const turns = chosenTurns(turnsOf(session, branch), textFlag(flags, 'turn'));
  const full = flags.full === true;
  const { id: sessionId, transcript } = session;
  const forkedFrom = forkedFromOf(session);
  const lineage = (await readLineage(io))({ path: transcript.path, sessionId, forkedFrom });
  if (flags.json === true) return writeOut(showJson(session, turns, { full, lineage }), io);
  const options = {
    full,
    lineage,
    style: io.style,
    width: proseWidth(io.stdout, io.env),
    cutWidth: terminalWidth(io.stdout, io.env),
    isExcerpt: textFlag(flags, 'turn') !== undefined,
  };
  await writeOut(showText(session, branch, turns, options), { ...io, pager: true });
}

function chosenBranch(session: Session, wanted: string | undefined): Branch | undefined {
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

function chosenTurns(turns: readonly Turn[], wanted: string | undefined): readonly Turn[] {
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
