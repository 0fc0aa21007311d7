// Picks lines from a file that is too large to hold in memory: streams the bytes, keeps the wanted lines and counts the
// others.
import type { FileHandle } from 'node:fs/promises';
import { ToolFailure } from '../shared/define.ts';
import { limits } from '../shared/limits.ts';
import { looksBinary } from './file-text.ts';

export interface PickedLines {
  readonly start: number;
  readonly lines: readonly string[];
  /** Counts a last line without a newline, and an empty line after the last newline, as editors do. */
  readonly totalLines: number;
  readonly isTotalKnown: boolean;
}

const chunkBytes = 1 << 20;
/** After this many bytes lines are no longer counted, once the wanted ones are found. */
const countedBytes = 512 * chunkBytes;

export async function pickLines(handle: FileHandle, start: number, count: number): Promise<PickedLines> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const picked = new LinePicker(start, count);
  let position = 0;
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return picked.finish(true);
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0 && looksBinary(bytes))
      throw new ToolFailure('It is a large binary file and is not shown as text. Use Bash (file, xxd, strings) on it.');
    picked.take(bytes);
    position += bytesRead;
    if (position >= countedBytes && picked.isDone) return picked.finish(false);
  }
}

class LinePicker {
  private line = 1;
  private readonly kept: Buffer[][] = [];
  private keptBytes = 0;
  private readonly start: number;
  private readonly count: number;

  constructor(start: number, count: number) {
    this.start = start;
    this.count = count;
  }

  get isDone(): boolean {
    return this.line >= this.start + this.count || this.keptBytes > maxKeptBytes;
  }

  take(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      this.keep(bytes.subarray(from, end));
      this.line++;
      from = end + 1;
    }
    this.keep(bytes.subarray(from));
  }

  finish(isTotalKnown: boolean): PickedLines {
    const lines = this.kept.map((parts) => Buffer.concat(parts).toString('utf8').replace(/\r$/, ''));
    return { start: this.start, lines, totalLines: this.line, isTotalKnown };
  }

  private keep(part: Buffer): void {
    if (this.line < this.start || this.isDone) return;
    const index = this.line - this.start;
    const parts = this.kept[index] ?? [];
    this.kept[index] = parts;
    const room = maxLineBytes - parts.reduce((sum, { length }) => sum + length, 0);
    if (room <= 0 || part.length === 0) return;
    // A copy, because the chunk is reused.
    const kept = Buffer.from(part.subarray(0, room));
    parts.push(kept);
    this.keptBytes += kept.length;
  }
}

/** Longer than the shown part, so that a cut is detected. */
const maxLineBytes = limits.read.lineChars * 8;
const maxKeptBytes = limits.read.totalChars * 8;
