// Holds the folder of a file open while the file is changed. A background command may replace the folder with a link at
// any moment, so the file is reached through the open folder (/proc, only on Linux) and not by its path.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/errors.ts';
import type { CallContext } from '../../contract/tool.ts';
import { ToolFailure } from '../shared/define.ts';

const isLinux = process.platform === 'linux';

/** The real path of an open file or folder. */
export async function realPathOf(handle: FileHandle, file: string): Promise<string> {
  return isLinux ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(file);
}

/** The permission check has seen `file`; if that leads elsewhere, the target is checked as well. */
export function refuseElsewhere(context: CallContext, access: 'read' | 'write', file: string, real: string): void {
  if (real === file || context.mayTouch(access, real)) return;
  throw new ToolFailure(
    `${file} leads to ${real}, which may not be ${access === 'read' ? 'read' : 'changed'} without asking. Name that path itself; the user is asked.`,
  );
}

export interface PinnedFile {
  /** Leads to the file even if the folders above it are replaced. */
  readonly exact: string;
  readonly realPath: string;
}

/** Creates missing folders, then passes the file in its open folder to `use`. */
export async function withPinned<T>(
  context: CallContext,
  file: string,
  use: (pinned: PinnedFile) => Promise<T>,
): Promise<T> {
  const missing = await missingFolders(path.dirname(file));
  const top = missing[0] === undefined ? path.dirname(file) : path.dirname(missing[0]);
  let handle = await openFolder(top, 0);
  try {
    const rest = path.relative(top, file);
    const realPath = path.join(await realPathOf(handle, top), rest);
    refuseElsewhere(context, 'write', file, realPath);
    for (const folder of missing) {
      const at = isLinux ? `/proc/self/fd/${handle.fd}/${path.basename(folder)}` : folder;
      await mkdir(at).catch((error: unknown) => {
        if (systemErrorCode(error) !== 'EEXIST') throw error;
      });
      const next = await openFolder(at, constants.O_NOFOLLOW);
      await handle.close();
      handle = next;
    }
    const exact = isLinux ? `/proc/self/fd/${handle.fd}/${path.basename(file)}` : realPath;
    return await use({ exact, realPath }).catch((error: unknown) => {
      // The model knows the file by its path.
      if (error instanceof Error) error.message = error.message.replaceAll(path.dirname(exact), path.dirname(file));
      throw error;
    });
  } finally {
    await handle.close();
  }
}

/** The missing folders of the path, outermost first. */
async function missingFolders(folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = folder; at !== path.dirname(at); at = path.dirname(at)) {
    const code = await stat(at).then(
      () => undefined,
      (error: unknown) => systemErrorCode(error),
    );
    if (code !== 'ENOENT') break;
    missing.unshift(at);
  }
  return missing;
}

async function openFolder(folder: string, flags: number): Promise<FileHandle> {
  return open(folder, constants.O_RDONLY | constants.O_DIRECTORY | flags);
}
