// Large contents → stretches that overlap, so that no value is cut in two.
import { readSync } from 'node:fs';

const stretchBytes = 8 << 20;
/** More than an encoded value takes. */
const overlapBytes = 512 << 10;

/** `from`: where the bytes begin that the stretch before did not have. */
export function* readStretches(descriptor: number): Generator<{ readonly stretch: Buffer; readonly from: number }> {
  let [rest, isFirst] = [Buffer.alloc(0), true];
  for (;;) {
    const buffer = Buffer.allocUnsafe(rest.length + stretchBytes);
    rest.copy(buffer);
    const filled = rest.length + readFully(descriptor, buffer.subarray(rest.length));
    if (filled === rest.length && !isFirst) return;
    const stretch = buffer.subarray(0, filled);
    yield { stretch, from: rest.length };
    if (filled < buffer.length) return;
    [rest, isFirst] = [stretch.subarray(Math.max(0, filled - overlapBytes)), false];
  }
}

function readFully(descriptor: number, buffer: Buffer): number {
  let filled = 0;
  for (;;) {
    const got = readSync(descriptor, buffer, filled, buffer.length - filled, null);
    filled += got;
    if (got === 0 || filled === buffer.length) return filled;
  }
}

export function readWhole(descriptor: number, bytes: number): Buffer {
  const whole = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for (;;) {
    const got = readSync(descriptor, whole, filled, bytes - filled, filled);
    filled += got;
    if (got === 0 || filled === bytes) return whole.subarray(0, filled);
  }
}

export function* joinPieces(pieces: Iterable<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    waiting.push(Buffer.from(piece));
    size += piece.length;
    if (size < stretchBytes) continue;
    const stretch = Buffer.concat(waiting);
    yield stretch;
    waiting = [stretch.subarray(Math.max(0, stretch.length - overlapBytes))];
    size = waiting[0]?.length ?? 0;
  }
  yield Buffer.concat(waiting);
}
