// clew fork SESSION: an independent copy of a session, whole or up to a turn.
import { isInLibrary } from '../../store/index.ts';
import { planFork } from '../../surgery/operations/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { runPlan, sourceArgument } from '../operation/index.ts';
import { folderArgument, realFolder } from './move.ts';

export async function run(input: CommandInput): Promise<void> {
  const source = await sourceArgument(input, { isChange: false });
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
