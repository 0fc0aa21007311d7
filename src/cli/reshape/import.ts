// clew import FILE: adds the sessions of a bundle, ready to resume in a folder of this machine.
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { discoverSessions, projectsFolder } from '../../store/index.ts';
import { planImport, unpackBundle } from '../../surgery/bundle/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { runPlan } from '../operation/index.ts';
import { folderArgument, realFolder } from './move.ts';

export async function run(input: CommandInput): Promise<void> {
  const { io, flags } = input;
  const file = path.resolve(io.cwd, input.argument ?? '');
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('there is no root to import into', 'name one with --root');
  const to = realFolder(folderArgument(textFlag(flags, 'to') ?? '.', io.cwd));
  const { sessions, problems } = await discoverSessions([root]);
  await unpackBundle(file, io.env, async (manifest, unpacked) => {
    const { plan, sources } = await planImport(manifest, {
      file,
      unpacked,
      projects: projectsFolder(root),
      to,
      home: io.env.HOME ?? homedir(),
      keepsPrompt: flags['keep-prompt'] === true,
      // The id of a session that cannot be read is also taken.
      taken: new Set([...sessions, ...problems].map(({ path: each }) => path.basename(each, '.jsonl').toLowerCase())),
    });
    await runPlan(input, plan, sources);
  });
}
