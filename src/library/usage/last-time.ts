// A transcript → the latest time near its end: when the session was last written to, by its own lines. The time of the file
// says when it was copied.
import { statSync } from 'node:fs';
import { readRows } from '../index/row-reader.ts';

/** As much of the end is looked at until a line has a time; the last lines of a session may be long, or have none. */
const tailSizes = [64 * 1024, 4 * 1024 * 1024, Number.POSITIVE_INFINITY];

/** `undefined` where no line has a time, or the file cannot be read. */
export function lastTimeOf(file: string): number | undefined {
  try {
    const { size } = statSync(file);
    for (const tail of tailSizes) {
      const offset = Math.max(0, size - tail);
      const { facts } = readRows({ path: file, sessionId: undefined, offset, line: 0, maxBytes: size });
      if (Number.isFinite(facts.endedAt)) return facts.endedAt;
      if (offset === 0) return undefined;
    }
  } catch {
    // Whoever reads the session says what is wrong with it.
  }
  return undefined;
}
