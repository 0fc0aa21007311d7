// The folder of the built page → its files by their addresses, read once. Only what was there at the start is ever
// answered: a request is looked up in this list, and never becomes a path.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export interface Asset {
  readonly type: string;
  /** Its name changes with its content, so that it never has to be asked for again. */
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

  /** A folder that is not there has no files: the server then answers without a page. */
  constructor(folder: string) {
    for (const name of namesBelow(folder)) {
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

  /** Packed once for each coding, and kept: there are few files, and they do not change. */
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

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
