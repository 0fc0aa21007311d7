// Stars and unstars a session: a file in Clew's own state folder, with the history and undo of every other operation.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { starFile } from '../../library/stars/index.ts';
import { makeFolder, stateFolder, writeNewFile } from '../../store/index.ts';
import { type LogOptions, logOperation, moveToBackup, type PlannedSource, stateOf } from '../engine/index.ts';

export interface StarOptions extends LogOptions {
  readonly isRemoved?: boolean;
}

export function isStarred(sessionId: string, env: Environment = process.env): boolean {
  return existsSync(starFile(stateFolder(env), sessionId));
}

/** Returns the operation's id; `undefined` if nothing had to change. */
export async function starSession(session: PlannedSource, options: StarOptions = {}): Promise<string | undefined> {
  const file = starFile(stateFolder(options.env), session.sessionId);
  const done = await logOperation(options, async (folder) => {
    if (existsSync(file) === (options.isRemoved !== true)) return undefined;
    const common = { from: [session], to: [] };
    if (options.isRemoved !== true) {
      const change = { path: file, kind: 'made', after: emptyState } as const;
      const write = async (): Promise<void> => {
        await makeFolder(path.dirname(file));
        await writeNewFile(file, Buffer.alloc(0));
      };
      return { change: { operation: 'star', words: [], ...common, files: [change] }, write };
    }
    const backup = path.join('backup', `0-${path.basename(file)}`);
    const change = { path: file, kind: 'removed', backup, before: await stateOf(file) } as const;
    const write = (): Promise<void> => moveToBackup(file, path.join(folder, backup));
    return { change: { operation: 'star', words: ['--remove'], ...common, files: [change] }, write };
  });
  return done?.id;
}

const emptyState = {
  sizeBytes: 0,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};
