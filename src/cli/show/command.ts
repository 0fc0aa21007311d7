// clew show SESSION: a session for a reader, turn by turn, or all of it as JSON.

import { namedTurn, readReference } from '../../memory/reference/index.ts';
import { forkedFromOf } from '../../session/facts/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { chosenBranch, chosenTurns, loadSessionArgument, readLineage, relationsOfSession } from '../input/index.ts';
import { onStoreCopies } from '../source/index.ts';
import { proseWidth, terminalWidth, writeOut } from '../terminal/index.ts';
import { showJson } from './json.ts';
import { showText } from './render.ts';

export function run(input: CommandInput): Promise<void> {
  return onStoreCopies(input, 'show', show);
}

async function show(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const session = await loadSessionArgument(input);
  const { branch, turns, isExcerpt } = chosenPart(input, session);
  const full = flags.full === true;
  const { id: sessionId, transcript } = session;
  const forkedFrom = forkedFromOf(session);
  const lineage = (await readLineage(io))({ path: transcript.path, sessionId, forkedFrom });
  const relations = relationsOfSession(input, session);
  if (flags.json === true) return writeOut(showJson(session, turns, { full, lineage, relations }), io);
  const options = {
    full,
    lineage,
    relations,
    style: io.style,
    width: proseWidth(io.stdout, io.env),
    cutWidth: terminalWidth(io.stdout, io.env),
    isExcerpt,
  };
  await writeOut(showText(session, branch, turns, options), { ...io, pager: true });
}

/** `--branch` and `--turn`, or the turn of a reference, on whatever branch it is. */
function chosenPart(
  { argument = '', flags }: CommandInput,
  session: Session,
): { readonly branch: Branch | undefined; readonly turns: readonly Turn[]; readonly isExcerpt: boolean } {
  const [wanted, turn] = [textFlag(flags, 'branch'), textFlag(flags, 'turn')];
  const name = argument.startsWith('clew:') ? readReference(argument)?.turn : undefined;
  if (name !== undefined && wanted === undefined && turn === undefined) {
    const placed = namedTurn(session, name);
    return { branch: placed.branch, turns: [placed.turn], isExcerpt: true };
  }
  const branch = chosenBranch(session, wanted);
  return { branch, turns: chosenTurns(turnsOf(session, branch), turn), isExcerpt: turn !== undefined };
}
