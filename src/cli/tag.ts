// clew tag SESSION TAG: a tag for lists of sessions, in the session itself; --remove takes it away.
import { UserError } from '../base/errors.ts';
import { planTag } from '../surgery/rename.ts';
import type { CommandInput } from './command.ts';
import { runPlan, sourceArgument } from './surgery-command.ts';

export async function run(input: CommandInput): Promise<void> {
  const [, tag] = input.words;
  const isRemoved = input.flags.remove === true;
  if (isRemoved !== (tag === undefined))
    throw new UserError('tag takes either TAG or --remove', 'see `clew tag --help`');
  const source = await sourceArgument(input);
  await runPlan(input, planTag(source, tag), [source]);
}
