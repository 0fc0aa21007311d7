// Sessions of the store as files of this machine: in a private temporary folder, so that the commands that show a session run
// on them as on any other, or as a source to restore from.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { type RestorableFile, type RestoreSource, restoreFrom } from '../../library/archive/index.ts';
import { referenceWords } from '../../memory/reference/index.ts';
import type { PackedFile, PackedSession } from '../../team/source/index.ts';
import type { CommandInput } from '../command/index.ts';
import { storeChoice } from '../input/index.ts';
import { withStore } from './open-source.ts';
import { privateFolder, removeFolder } from './private-folder.ts';

/** `projects`: the folder of project folders to restore to. */
export function packedSource({ stored, files, content }: PackedSession, projects: string): RestoreSource {
  const { sessionId, project: slug } = stored.session;
  if (slug === '' || path.basename(slug) !== slug || slug === '..' || slug === '.')
    throw new UserError(`the store has no project folder for session ${sessionId}`, 'push the session again');
  const byPath = new Map(files.map((file) => [file.path, file]));
  const bytesOf = (file: RestorableFile): AsyncGenerator<Buffer> => content(byPath.get(file.path) as PackedFile); // one of files
  return { sessionId, projects, slug, files, kind: 'one in the store', content: bytesOf };
}

/**
 * Runs a command that reads sessions by name. With --store, the sessions are fetched into a folder that only the user can
 * read and that is removed when the command ends, also by a signal.
 */
export async function onStoreCopies(
  input: CommandInput,
  action: string,
  run: (input: CommandInput) => Promise<void>,
): Promise<void> {
  const choice = await storeChoice(input);
  if (choice === undefined) return run(input);
  const root = privateFolder();
  try {
    const words: string[] = [];
    await withStore(choice, async (store) => {
      for (const word of input.words) {
        const named = referenceWords(word);
        const packed = await store.packed(await store.find(named?.session ?? word), action);
        const { path: main } = await restoreFrom(packedSource(packed, path.join(root, 'projects')));
        words.push(named === undefined ? main : word);
      }
    });
    const { store: _, person: __, group: ___, everyone: ____, ...flags } = input.flags;
    await run({ ...input, words, argument: words[0], flags: { ...flags, root: [root] } });
  } finally {
    removeFolder(root);
  }
}
