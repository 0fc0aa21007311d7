// A file → the pieces that become chunks: lines with their newlines, long ones cut by size, so that memory stays
// bounded. Where the cuts fall depends on the bytes alone: the same file always gives the same pieces.
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../../../base/files/regular-file.ts';

export interface PieceOptions {
  /** As many bytes are read, even if the file has grown since. */
  readonly sizeBytes: number;
  readonly onRead?: (bytes: number) => void;
}

/** The bytes of a piece are good until the next one is asked for. */
export function* readPieces(path: string, options: PieceOptions): Generator<Buffer> {
  const isLines = path.endsWith('.jsonl');
  const buffer = Buffer.allocUnsafeSlow(isLines ? longestLine : longestText);
  const file = openRegularFile(path);
  try {
    let [filled, offset] = [0, 0];
    for (;;) {
      const room = Math.min(buffer.length - filled, options.sizeBytes - offset);
      const got = room > 0 ? readSync(file, buffer, filled, room, offset) : 0;
      filled += got;
      offset += got;
      if (got > 0) options.onRead?.(got);
      const isEnd = got === 0;
      if (!isEnd && filled < buffer.length) continue;
      const used = isLines ? yield* linesIn(buffer, filled) : 0;
      // Nothing but one long line, or the end of the file: what is there is a piece.
      const rest = used === 0 || isEnd ? filled : used;
      if (rest > used) yield buffer.subarray(used, rest);
      if (isEnd) return;
      buffer.copyWithin(0, rest, filled);
      filled -= rest;
    }
  } finally {
    closeSync(file);
  }
}

const longestLine = 1024 * 1024;
/** Tool results and notes: no line of theirs is found elsewhere, but whole files are. */
const longestText = 64 * 1024;

/** The whole lines in the first `filled` bytes; answers where the last one ends. */
function* linesIn(buffer: Buffer, filled: number): Generator<Buffer, number> {
  let start = 0;
  for (;;) {
    const at = buffer.indexOf(0x0a, start);
    if (at < 0 || at >= filled) return start;
    yield buffer.subarray(start, at + 1);
    start = at + 1;
  }
}
