// clew split SESSION --at TURN: two sessions of one.
import { planSplit } from '../surgery/split.ts';
import type { CommandInput } from './command.ts';
import { neededFlag, runPlan, sourceArgument } from './surgery-command.ts';

export async function run(input: CommandInput): Promise<void> {
  const at = neededFlag(input, 'at', 'TURN');
  const source = await sourceArgument(input);
  await runPlan(input, planSplit(source, { at }), [source]);
}
