// clew rename SESSION TITLE: another title, in the session itself.
import { planRename } from '../surgery/rename.ts';
import type { CommandInput } from './command.ts';
import { runPlan, sourceArgument } from './surgery-command.ts';

export async function run(input: CommandInput): Promise<void> {
  const source = await sourceArgument(input);
  await runPlan(input, planRename(source, input.words[1] ?? ''), [source]);
}
