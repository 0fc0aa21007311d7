// clew show SESSION: a session for a reader, turn by turn, or all of it as JSON.
import { forkedFromOf } from '../../session/facts/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { chosenBranch, chosenTurns, loadSessionArgument, readLineage } from '../input/index.ts';
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
