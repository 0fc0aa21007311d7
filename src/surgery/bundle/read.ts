// Reads a bundle: its manifest, and its files into a folder. It is untrusted: everything is checked, and never more is
// unpacked than the manifest states and the size of the file allows.
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { createBrotliDecompress } from 'node:zlib';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { openRegularFile } from '../../base/files/index.ts';
import { formatBytes } from '../../base/text/index.ts';
import { diskError, importsFolder, stateFolder, withWorkFolder, writeNewFile } from '../../store/index.ts';
import {
  type BundledFile,
  bundleVersion,
  damaged,
  limits,
  type Manifest,
  magic,
  parseManifest,
  statedBytes,
} from './format.ts';

/** Unpacks every session into `<folder>/<number>/`, and checks each file. */
export async function extractBundle(file: string, folder: string): Promise<Manifest> {
  return readBundle(file, (content, { name }, session) =>
    writeNewFile(path.join(folder, String(session), ...name.split('/')), content),
  );
}

/** Writes nothing. */
export async function checkBundle(file: string): Promise<Manifest> {
  return readBundle(file, async (content) => {
    for await (const _ of content);
  });
}

type TakeFile = (content: AsyncIterable<Buffer>, file: BundledFile, session: number) => Promise<void>;

async function readBundle(file: string, take: TakeFile): Promise<Manifest> {
  const { handle, start, sizeBytes: packedBytes } = openBundle(file);
  // One handle for everything, so that another file under this name is not read in between.
  const packed = createReadStream(file, { fd: handle, start });
  const unpacked = createBrotliDecompress();
  packed.once('error', (error) => unpacked.destroy(error));
  const maxBytes = packedBytes * limits.ratio + limits.manifestBytes;
  const source = new PlainBytes(packed.pipe(unpacked), maxBytes);
  try {
    const manifest = parseManifest(await source.line(limits.manifestBytes));
    if (statedBytes(manifest.sessions) > maxBytes) throw damaged(`it unpacks to more than ${formatBytes(maxBytes)}`);
    for (const [i, session] of manifest.sessions.entries()) {
      for (const each of session.files) await take(source.checked(each), each, i);
    }
    await source.end();
    // Node ignores what follows a brotli stream; another program might not.
    if (unpacked.bytesWritten !== packedBytes - start) throw damaged('more data follows its end');
    return manifest;
  } catch (error) {
    if (/^(ERR__ERROR_FORMAT|ERR_BROTLI|ERR__ERROR|Z_)/.test(systemErrorCode(error) ?? ''))
      throw damaged('its data is damaged');
    throw diskError(error, 'read', file);
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

interface OpenBundle {
  readonly handle: number;
  /** Where the compressed data begins. */
  readonly start: number;
  readonly sizeBytes: number;
}

function openBundle(file: string): OpenBundle {
  let handle: number | undefined;
  try {
    handle = openRegularFile(file);
    const buffer = Buffer.alloc(limits.firstLineBytes);
    const head = buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, 0));
    return { handle, start: checkFirstLine(file, head), sizeBytes: fstatSync(handle).size };
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    throw diskError(error, 'read', file);
  }
}

/** Returns its length. */
function checkFirstLine(file: string, head: Buffer): number {
  const end = head.indexOf(0x0a);
  const [name, version, codec] = head.subarray(0, Math.max(0, end)).toString('latin1').split(' ');
  if (name !== magic) throw damaged(`${file} is not a bundle`);
  if (version !== String(bundleVersion) || codec !== 'brotli')
    throw new UserError(
      `${file} is a bundle of version ${version} (${codec}), but this Clew reads version ${bundleVersion}`,
      'update Clew',
    );
  return end + 1;
}

/** The unpacked bytes in pieces, at most `maxBytes` in total. */
class PlainBytes {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(stream: AsyncIterable<Buffer>, maxBytes: number) {
    this.#pieces = stream[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  async line(maxBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let size = 0; size <= maxBytes; ) {
      const piece = await this.#next();
      if (piece === undefined) break;
      const end = piece.indexOf(0x0a);
      if (end >= 0) {
        this.#rest = piece.subarray(end + 1);
        return Buffer.concat([...pieces, piece.subarray(0, end)]);
      }
      pieces.push(piece);
      size += piece.length;
    }
    throw damaged('it has no manifest');
  }

  async *checked({ name, sizeBytes, sha256 }: BundledFile): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for (let left = sizeBytes; left > 0; ) {
      const piece = await this.#next();
      if (piece === undefined) throw damaged(`it ends in the middle of ${name}`);
      const own = piece.subarray(0, left);
      this.#rest = piece.subarray(own.length);
      left -= own.length;
      hash.update(own);
      yield own;
    }
    if (hash.digest('hex') !== sha256) throw damaged(`${name} does not match its hash`);
  }

  async end(): Promise<void> {
    if ((await this.#next()) !== undefined) throw damaged('it has more data than its manifest states');
  }

  async #next(): Promise<Buffer | undefined> {
    if (this.#rest.length > 0) {
      const rest = this.#rest;
      this.#rest = Buffer.alloc(0);
      return rest;
    }
    const { done, value } = await this.#pieces.next();
    if (done === true) return undefined;
    this.#total += value.length;
    if (this.#total > this.#maxBytes) throw damaged(`it unpacks to more than ${formatBytes(this.#maxBytes)}`);
    return value;
  }
}

export async function unpackBundle<T>(
  file: string,
  env: NodeJS.ProcessEnv,
  use: (manifest: Manifest, folder: string) => Promise<T>,
): Promise<T> {
  return withWorkFolder(importsFolder(stateFolder(env)), async (folder) =>
    use(await extractBundle(file, folder), folder),
  );
}
