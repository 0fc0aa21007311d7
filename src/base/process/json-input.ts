// One JSON object on stdin, as Claude Code gives it to hooks and status lines. Without `process.stdin`, which loads Node's
// streams: these programs start thousands of times a day.
import { readSync } from 'node:fs';
import { systemErrorCode } from '../errors/index.ts';
import { asObject, type JsonObject, parseJson } from '../json/index.ts';

/** The input of a call that writes a large file has its whole content. */
const mostBytes = 64 * 1024 * 1024;
const [pollMs, mostWaitMs] = [5, 5_000];

/** Reads until the object is complete, because the caller may keep the pipe open; `undefined` if it is not an object. */
export function readJsonInput(): JsonObject | undefined {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let length = 0;
  let waitedMs = 0;
  while (length < mostBytes && waitedMs < mostWaitMs) {
    try {
      if (length === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
      const more = readSync(0, bytes, length, bytes.length - length, null);
      if (more === 0) break;
      length += more;
    } catch (error) {
      // A pipe that does not block is empty for now; otherwise stdin is closed, or a terminal.
      if (systemErrorCode(error) !== 'EAGAIN') break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
      waitedMs += pollMs;
      continue;
    }
    const value = endsObject(bytes, length) ? objectIn(bytes, length) : undefined;
    if (value !== undefined) return value;
  }
  return objectIn(bytes, length);
}

function objectIn(bytes: Buffer, length: number): JsonObject | undefined {
  return asObject(parseJson(bytes.toString('utf8', 0, length)));
}

/** Parsing after every piece of a large input would take the square of the time. */
function endsObject(bytes: Buffer, length: number): boolean {
  let end = length - 1;
  while (end >= 0 && (bytes[end] === 0x0a || bytes[end] === 0x0d || bytes[end] === 0x20)) end--;
  return bytes[end] === 0x7d;
}
