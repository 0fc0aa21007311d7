// clew graft SESSION SESSION_B, also called merge: one session of two forks.
import { UserError } from '../base/errors.ts';
import { planGraft } from '../surgery/graft.ts';
import { type CommandInput, textFlag } from './command.ts';
import { runPlan, sourceArgument } from './surgery-command.ts';

export async function run(input: CommandInput): Promise<void> {
  const order = textFlag(input.flags, 'order') ?? 'given';
  if (order !== 'given' && order !== 'time')
    throw new UserError(`--order cannot be "${order}"`, 'give `given` or `time`');
  const first = await sourceArgument(input);
  const second = await sourceArgument({ ...input, argument: input.words[1] });
  await runPlan(input, planGraft(first, second, { order }), [first, second]);
}
