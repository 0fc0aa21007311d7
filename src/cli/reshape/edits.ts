// The commands that are little more than a plan: rewind, graft (also called merge), split, rename and tag.
import { UserError } from '../../base/errors/index.ts';
import { planGraft, planRename, planRewind, planSplit, planTag } from '../../surgery/operations/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { neededFlag, runPlan, sourceArgument } from '../operation/index.ts';

export async function runRewind(input: CommandInput): Promise<void> {
  const to = neededFlag(input, 'to', 'TURN');
  const source = await sourceArgument(input);
  await runPlan(input, planRewind(source, { to, isInPlace: input.flags['in-place'] === true }), [source]);
}

export async function runGraft(input: CommandInput): Promise<void> {
  const order = textFlag(input.flags, 'order') ?? 'given';
  if (order !== 'given' && order !== 'time')
    throw new UserError(`--order cannot be "${order}"`, 'use `given` or `time`');
  const first = await sourceArgument(input);
  const second = await sourceArgument({ ...input, argument: input.words[1] });
  await runPlan(input, planGraft(first, second, { order }), [first, second]);
}

export async function runSplit(input: CommandInput): Promise<void> {
  const at = neededFlag(input, 'at', 'TURN');
  const source = await sourceArgument(input);
  await runPlan(input, planSplit(source, { at }), [source]);
}

export async function runRename(input: CommandInput): Promise<void> {
  const source = await sourceArgument(input);
  await runPlan(input, planRename(source, input.words[1] ?? ''), [source]);
}

export async function runTag(input: CommandInput): Promise<void> {
  const [, tag] = input.words;
  const isRemoved = input.flags.remove === true;
  if (isRemoved !== (tag === undefined))
    throw new UserError('tag takes either TAG or --remove', 'see `clew tag --help`');
  const source = await sourceArgument(input);
  await runPlan(input, planTag(source, tag), [source]);
}
