// clew restore --store SESSION: a session that was pushed from another machine, in its project folder below a root of this one.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { jsonText } from '../../base/json/index.ts';
import { projectsFolder } from '../../store/index.ts';
import { restoreWithUndo } from '../../surgery/keep/index.ts';
import type { PackedSession } from '../../team/source/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { refuseWithStore, rootsOf, type StoreChoice } from '../input/index.ts';
import { operationNotices } from '../operation/index.ts';
import { packedSource, withStore } from '../source/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { restoredJson, restoredText } from './restored.ts';

/** Files that exist with the same bytes stay: an interrupted restore continues. */
export async function restoreFromStore(input: CommandInput, choice: StoreChoice): Promise<void> {
  const { argument = '', flags, io } = input;
  refuseWithStore(input, {
    to: 'choose the root with --to-root',
    copy: 'the store has one copy of a session',
  });
  const named = textFlag(flags, 'to-root');
  const [root = ''] = named === undefined ? rootsOf(input) : [path.resolve(io.cwd, named)];
  const isDryRun = flags['dry-run'] === true;
  await withStore(choice, async (store) => {
    const packed = await store.packed(await store.find(argument), 'restore');
    const source = packedSource(packed, projectsFolder(root));
    const restored = await restoreWithUndo(source, {
      ...operationNotices(io),
      isForced: flags.force === true,
      isDryRun,
    });
    const text =
      flags.json === true
        ? `${jsonText({ ...restoredJson(restored), isOriginal: packed.isOriginal }, 2)}\n`
        : restoredText(restored, isDryRun, 'in the store');
    await writeOut([text], io);
    for (const note of notesOn(packed)) writeNotice(io.stderr, note);
  });
}

function* notesOn({ isOriginal, stored: { session } }: PackedSession): Generator<string> {
  if (!isOriginal) yield 'the store has the text of this session without its secrets: placeholders are in their place';
  const { cwd, sessionId } = session;
  if (cwd !== undefined && !existsSync(cwd))
    yield `its folder ${cwd} is not on this machine; \`clew move ${sessionId} --to FOLDER\` takes it to another one`;
}
