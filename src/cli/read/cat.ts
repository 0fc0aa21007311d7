// clew cat SESSION: parses the transcript and writes it back. The output always equals the file, which proves that
// reading loses nothing.
import { parseLine, serialiseLine } from '../../format/line/index.ts';
import { diskError, type Line, type LineOptions, RangeReader, readLineBatches } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findSessionArgument } from '../input/index.ts';
import { onStoreCopies } from '../source/index.ts';
import { writeOut } from '../terminal/index.ts';

export function run(input: CommandInput): Promise<void> {
  return onStoreCopies(input, 'cat', cat);
}

async function cat(input: CommandInput): Promise<void> {
  const path = await findSessionArgument(input);
  try {
    await writeOut(readAndSerialise(path), input.io);
  } catch (error) {
    throw diskError(error, 'read', path);
  }
}

const newline = Buffer.from('\n');
const copyBytes = 1024 * 1024;

/** Yields copies: the reader reuses the bytes of a batch while the output may still be waiting. */
export function* readAndSerialise(path: string, options?: LineOptions): Generator<Buffer> {
  for (const batch of readLineBatches(path, options)) {
    for (const line of batch) {
      if (line.bytes.length === line.length) yield Buffer.from(serialiseLine(parseLine(line.bytes)));
      else yield* unparsed(path, line);
      if (line.terminated) yield newline;
    }
  }
}

/** A line too long for memory passes through unparsed, in pieces. */
function* unparsed(path: string, line: Line): Generator<Buffer> {
  const ranges = new RangeReader(path);
  for (let at = 0; at < line.length; at += copyBytes) {
    yield Buffer.from(ranges.read(line.offset + at, Math.min(copyBytes, line.length - at)));
  }
}
