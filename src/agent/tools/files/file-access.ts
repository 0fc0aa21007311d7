// Opens the regular file at a path, without blocking on a pipe or a device, and resolves links. A failure is a message
// for the model.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { formatBytes } from '../../../base/text/index.ts';
import type { CallContext, Workspace } from '../../contract/index.ts';
import { describeMissing, ToolFailure } from '../shared/index.ts';

export interface FoundFile {
  /** The requested path, made absolute. */
  readonly file: string;
  /** The path after following links, which is the key in the memory of seen files. */
  readonly realPath: string;
  readonly sizeBytes: number;
}

/** Passes the opened file to `use` and closes it afterwards. The target of a link must be allowed as well. */
export async function withFile<T>(
  context: CallContext,
  access: 'read' | 'write',
  file: string,
  use: (handle: FileHandle, found: FoundFile) => Promise<T>,
): Promise<T> {
  const handle = await openFile(context.workspace, file);
  try {
    const realPath = await realPathOf(handle, file);
    refuseElsewhere(context, access, file, realPath);
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw new ToolFailure(`${file} is a directory. Use Glob with path "${file}" or ls in Bash to see what is in it.`);
    if (!stats.isFile()) throw new ToolFailure(`${file} is not a regular file but a device, pipe or socket.`);
    return await use(handle, { file, realPath, sizeBytes: stats.size });
  } finally {
    await handle.close();
  }
}

export async function readWhole(handle: FileHandle, found: FoundFile, maxBytes: number): Promise<Buffer> {
  if (found.sizeBytes > maxBytes) throw new ToolFailure(describeTooLarge(found, maxBytes));
  const bytes = await handle.readFile();
  if (bytes.length > maxBytes) throw new ToolFailure(describeTooLarge({ ...found, sizeBytes: bytes.length }, maxBytes));
  return bytes;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The target of a broken link at `file`. */
export async function readLinkTarget(file: string): Promise<string | undefined> {
  try {
    return (await lstat(file)).isSymbolicLink() ? await readlink(file) : undefined;
  } catch {
    return undefined;
  }
}

/** Added after a path, so that user and model see which file it is. */
export function linkNote({ file, realPath }: FoundFile): string {
  return file === realPath ? '' : ` (leads to ${realPath})`;
}

function describeTooLarge({ file, sizeBytes }: FoundFile, maxBytes: number): string {
  return `${file} is too large: ${formatBytes(sizeBytes)}, the limit is ${formatBytes(maxBytes)}. Use Bash for files of this size.`;
}

async function openFile(workspace: Workspace, file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new ToolFailure(await describeMissing(workspace, file));
    if (code === 'EACCES' || code === 'EPERM') throw new ToolFailure(`${file} may not be read (${code}).`);
    if (code === 'ELOOP') throw new ToolFailure(`${file} is a link that leads back to itself.`);
    if (code === 'ENXIO') throw new ToolFailure(`${file} is not a regular file but a device, pipe or socket.`);
    throw error;
  }
}

const isLinux = process.platform === 'linux';

/** The real path of an open file or folder. */
async function realPathOf(handle: FileHandle, file: string): Promise<string> {
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
