// Stars and unstars a session: a file in Clew's own state folder, with the history and undo of every other operation.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { starFile } from '../../library/stars/index.ts';
import { readFileState, stateFolder, writeNewFile } from '../../store/index.ts';
import type { PlannedSource } from '../journal/index.ts';
import { type FileChange, type LogOptions, logOperation } from '../journal/index.ts';

export interface StarOptions extends LogOptions {
  readonly isRemoved?: boolean;
}

export function isStarred(sessionId: string, env: Environment = process.env): boolean {
  return existsSync(starFile(stateFolder(env), sessionId));
}

/** Returns the operation's id; `undefined` if nothing had to change. */
export function starSession(session: PlannedSource, options: StarOptions = {}): Promise<string | undefined> {
  const file = starFile(stateFolder(options.env), session.sessionId);
  const isRemoved = options.isRemoved === true;
  return logOperation(options, async (folder) => {
    if (existsSync(file) !== isRemoved) return undefined;
    const change = isRemoved ? await unstar(file) : await star(file, folder);
    return { operation: 'star', words: isRemoved ? ['--remove'] : [], from: [session], to: [], files: [change] };
  });
}

async function star(file: string, folder: string): Promise<FileChange> {
  const staged = path.join('staged', '0');
  await writeNewFile(path.join(folder, staged), Buffer.alloc(0));
  return { path: file, kind: 'made', staged, after: await readFileState(path.join(folder, staged)) };
}

async function unstar(file: string): Promise<FileChange> {
  return { path: file, kind: 'removed', backup: path.join('backup', '0'), before: await readFileState(file) };
}
