// Reads pieces of a file by offset. One window is kept, so that neighbouring pieces cost one read, and no file is
// held open between two calls: there is nothing to close.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularFile } from '../base/files/regular-file.ts';
import { textAt } from './kept-text.ts';

const defaultWindowBytes = 1024 * 1024;

export class RangeReader {
  readonly path: string;
  readonly #windowBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  readonly #isWhole: boolean;

  /** A small window is for pieces that are far apart. `bytes`: the whole file, if it is in memory. */
  constructor(path: string, windowBytes: number = defaultWindowBytes, bytes?: Buffer) {
    this.path = path;
    this.#windowBytes = windowBytes;
    this.#isWhole = bytes !== undefined;
    if (bytes !== undefined) this.#window = bytes;
  }

  /** The bytes of [offset, offset + length), fewer where the file is shorter now. Good until the next call. */
  read(offset: number, length: number): Buffer {
    const isInside = offset >= this.#start && offset + length <= this.#start + this.#window.length;
    if (!isInside && !this.#isWhole) this.#load(offset, length);
    return this.#window.subarray(offset - this.#start, offset - this.#start + length);
  }

  #load(offset: number, length: number): void {
    const text = textAt(this.path);
    if (text !== undefined) {
      [this.#window, this.#start] = [text, 0];
      return;
    }
    const file = openRegularFile(this.path);
    let buffer = Buffer.alloc(0);
    let filled = 0;
    try {
      // Of a short file its size: ten thousand of them would be ten gigabytes of windows.
      const rest = Math.max(0, fstatSync(file).size - offset);
      buffer = Buffer.allocUnsafe(Math.min(rest, Math.max(length, this.#windowBytes)));
      while (filled < buffer.length) {
        const got = readSync(file, buffer, filled, buffer.length - filled, offset + filled);
        if (got === 0) break;
        filled += got;
      }
    } finally {
      closeSync(file);
    }
    this.#window = buffer.subarray(0, filled);
    this.#start = offset;
  }
}
