// clew cat SESSION: the transcript through parse and serialise. The output equals the file whatever is in it, which
// is the proof that reading loses nothing.
import { parseLine, serialiseLine } from '../format/line.ts';
import { diskError } from '../store/disk.ts';
import { type Line, type LineOptions, readLineBatches } from '../store/lines.ts';
import { RangeReader } from '../store/ranges.ts';
import type { CommandInput } from './command.ts';
import { findSessionArgument } from './session-argument.ts';
import { writeOut } from './terminal/output.ts';

export async function run(input: CommandInput): Promise<void> {
  const path = await findSessionArgument(input);
  try {
    await writeOut(readAndSerialise(path), input.io);
  } catch (error) {
    throw diskError(error, 'read', path);
  }
}

const newline = Buffer.from('\n');
const copyBytes = 1024 * 1024;

/** Copies, because the reader uses the bytes of a batch again and the output may still be waiting. */
export function* readAndSerialise(path: string, options?: LineOptions): Generator<Buffer> {
  for (const batch of readLineBatches(path, options)) {
    for (const line of batch) {
      if (line.bytes.length === line.length) yield Buffer.from(serialiseLine(parseLine(line.bytes)));
      else yield* unparsed(path, line);
      if (line.terminated) yield newline;
    }
  }
}

/** A line too long to hold passes through unparsed, a piece at a time. */
function* unparsed(path: string, line: Line): Generator<Buffer> {
  const ranges = new RangeReader(path);
  for (let at = 0; at < line.length; at += copyBytes) {
    yield Buffer.from(ranges.read(line.offset + at, Math.min(copyBytes, line.length - at)));
  }
}
