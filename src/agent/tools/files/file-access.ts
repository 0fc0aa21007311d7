// Opens the regular file at a path, without blocking on a pipe or a device, and resolves links. A failure is a message
// for the model.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { systemErrorCode } from '../../../base/errors/errors.ts';
import { formatBytes } from '../../../base/text/human.ts';
import type { CallContext, Workspace } from '../../contract/tool.ts';
import { ToolFailure } from '../shared/define.ts';
import { describeMissing } from '../shared/paths.ts';
import { realPathOf, refuseElsewhere } from './pinned-folder.ts';

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
