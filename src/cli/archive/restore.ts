// clew restore SESSION: a session from the archive, back in its folder or below another one.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { archiveFolder } from '../../library/archive/index.ts';
import { restoreWithUndo } from '../../surgery/keep/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { storeChoice } from '../input/index.ts';
import { operationNotices } from '../operation/index.ts';
import { writeOut } from '../terminal/index.ts';
import { restoredJson, restoredText } from './restored.ts';

export async function run(input: CommandInput): Promise<void> {
  const { argument = '', flags, io } = input;
  const choice = await storeChoice(input);
  if (choice !== undefined) return (await import('./restore-from-store.ts')).restoreFromStore(input, choice);
  if (flags['to-root'] !== undefined)
    throw new UserError("--to-root is for the team's store", 'add --store, or use --to');
  const to = textFlag(flags, 'to');
  const version = copyOf(textFlag(flags, 'copy'));
  const restored = await restoreWithUndo(argument, {
    ...operationNotices(io),
    folder: archiveFolder(io.env),
    ...(version === undefined ? {} : { version }),
    ...(to === undefined ? {} : { to: path.resolve(io.cwd, to) }),
    isForced: flags.force === true,
    isDryRun: flags['dry-run'] === true,
  });
  const text =
    flags.json === true
      ? `${jsonText(restoredJson(restored), 2)}\n`
      : restoredText(restored, flags['dry-run'] === true);
  await writeOut([text], io);
}

function copyOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UserError(`--copy takes a number from 1 on, not "${text}"`, 'run `clew archive --list` to see how many');
}
