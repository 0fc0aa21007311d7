// clew rewind SESSION --to TURN: the same session, going on from an earlier turn.
import { planRewind } from '../surgery/rewind.ts';
import type { CommandInput } from './command.ts';
import { neededFlag, runPlan, sourceArgument } from './surgery-command.ts';

export async function run(input: CommandInput): Promise<void> {
  const to = neededFlag(input, 'to', 'TURN');
  const source = await sourceArgument(input);
  await runPlan(input, planRewind(source, { to, isInPlace: input.flags['in-place'] === true }), [source]);
}
