// Reads a file up to a limit. Memory files, imports, mentions and commands are read here: their paths come from other
// people's files and may lead to a pipe, a device or a very large file.
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { shellQuote } from '../../base/text/index.ts';

export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: Buffer; readonly isCut: boolean }
  | { readonly kind: 'binary'; readonly bytes: Buffer; readonly isCut: boolean }
  | { readonly kind: 'folder' }
  /** `ENOENT`, `EACCES`, …, or `special` for anything that is neither a file nor a folder. */
  | { readonly kind: 'none'; readonly reason: string };

export async function readContent(file: string, maxBytes: number): Promise<FileContent> {
  let handle: FileHandle;
  try {
    // Non-blocking: opening a pipe without a writer would never return.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const reason = systemErrorCode(error) ?? 'invalid';
    return reason === 'EISDIR' ? { kind: 'folder' } : { kind: 'none', reason };
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) return { kind: 'folder' };
    if (!stats.isFile()) return { kind: 'none', reason: 'special' };
    const bytes = await readUpTo(handle, maxBytes + 1);
    return decode(bytes.subarray(0, maxBytes), bytes.length > maxBytes);
  } catch (error) {
    return { kind: 'none', reason: systemErrorCode(error) ?? 'invalid' };
  } finally {
    await handle.close();
  }
}

/** The text of a file; `undefined` if it cannot be read or is not text. */
export async function readText(file: string, maxBytes: number): Promise<string | undefined> {
  const content = await readContent(file, maxBytes);
  return content.kind === 'text' ? content.text : undefined;
}

async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, limit - total));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, total);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, isCut: boolean): FileContent {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  if (encoding === 'utf-8' && bytes.includes(0)) return { kind: 'binary', bytes, isCut };
  // `stream` keeps back a character that the limit cut in half.
  const text = new TextDecoder(encoding).decode(bytes, { stream: isCut });
  return { kind: 'text', text, bytes, isCut };
}

export function resolvePath(written: string, folder: string, home: string): string {
  if (written === '~' || written.startsWith('~/')) return path.join(home, written.slice(1));
  return path.resolve(folder, written);
}

/** The path with all links resolved, or the path if it does not exist. */
export async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return path.resolve(file);
  }
}

/** Resolves links on both sides: a link that leads out is outside. */
export async function isInside(file: string, folders: readonly string[]): Promise<boolean> {
  const real = await realPath(file);
  for (const folder of folders) {
    const way = path.relative(await realPath(folder), real);
    if (way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way))) return true;
  }
  return false;
}

export function smallerPictureCommand(file: string, side: number, platform: string = process.platform): string {
  const { dir, name, ext } = path.parse(file);
  const [from, to] = [file, path.join(dir, `${name}-small${ext}`)].map((each) =>
    shellQuote(each.startsWith('-') ? `./${each}` : each),
  );
  return platform === 'darwin'
    ? `sips -Z ${side} ${from} --out ${to}`
    : `magick ${from} -resize '${side}x${side}>' ${to}`;
}
