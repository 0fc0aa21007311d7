// clew fork SESSION: an independent copy of a session, whole or up to a turn.
import { isInLibrary } from '../../store/roots.ts';
import { planFork } from '../../surgery/operations/fork.ts';
import { type CommandInput, textFlag } from '../command/command.ts';
import { rootsOf } from '../input/session.ts';
import { runPlan, sourceArgument } from '../operation/operation.ts';
import { folderArgument, realFolder } from './move.ts';

export async function run(input: CommandInput): Promise<void> {
  const source = await sourceArgument(input);
  const at = textFlag(input.flags, 'at');
  const to = textFlag(input.flags, 'to');
  const title = textFlag(input.flags, 'title');
  const plan = planFork(source, {
    ...(at === undefined ? {} : { at }),
    ...(to === undefined ? {} : { to: realFolder(folderArgument(to, input.io.cwd)) }),
    ...(title === undefined ? {} : { title }),
    isForeign: input.flags['keep-prompt'] !== true && !isInLibrary(source.session.files.main, rootsOf(input)),
  });
  await runPlan(input, plan, [source]);
}
