// The files of the built page by their addresses, read once at the start. A request is only looked up here and never
// becomes a path on disk.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export interface Asset {
  readonly type: string;
  /** The name contains a hash of the content, so the file can be cached forever. */
  readonly isHashed: boolean;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

export class Assets {
  readonly #files = new Map<string, Asset>();
  readonly #packed = new Map<string, Promise<Buffer>>();

  /** A missing folder has no files: the server then runs without a page. */
  constructor(folder: string) {
    for (const name of filesBelow(folder)) {
      const type = types[path.extname(name)];
      if (type === undefined) continue;
      const isHashed = /-[A-Z0-9]{8}\.\w+$/i.test(name);
      const address = `/${name.split(path.sep).join('/')}`;
      this.#files.set(address, { type, isHashed, bytes: readFileSync(path.join(folder, name)) });
    }
  }

  get page(): Asset | undefined {
    return this.#files.get('/index.html');
  }

  find(address: string): Asset | undefined {
    return address === '/index.html' ? undefined : this.#files.get(address);
  }

  /** Compressed once for each encoding, then cached. */
  async packed(
    address: string,
    asset: Asset,
    accepted: string,
  ): Promise<{ bytes: Buffer; coding: string | undefined }> {
    const coding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
    if (coding === undefined || asset.bytes.length < 1024 || asset.type.startsWith('image/p'))
      return { bytes: asset.bytes, coding: undefined };
    const key = `${coding} ${address}`;
    const packing = this.#packed.get(key) ?? (coding === 'br' ? packBrotli(asset.bytes) : promisify(gzip)(asset.bytes));
    this.#packed.set(key, packing);
    return { bytes: await packing, coding };
  }
}

function packBrotli(bytes: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
