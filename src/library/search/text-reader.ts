// A part of a transcript → its documents, with the place of their lines.
import { type Line, readLineBatches } from '../../store/lines.ts';
import { type LineText, textsOfLine } from './text-extract.ts';

export interface TextSource {
  readonly path: string;
  readonly offset: number;
  readonly line: number;
  /** Where to stop: the rows of the index have come this far. */
  readonly endOffset: number;
  /** Read no further than this from `offset`, so that one batch stays small. */
  readonly maxBytes: number;
}

export interface PlacedText extends LineText {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface NewTexts {
  /** After the last newline that was read, or after a last record that lacks one. */
  readonly offset: number;
  readonly line: number;
  readonly texts: readonly PlacedText[];
}

export function readTexts(source: TextSource): NewTexts {
  const { path, endOffset } = source;
  const texts: PlacedText[] = [];
  let { offset, line } = source;
  reading: for (const batch of readLineBatches(path, { from: { offset, number: line + 1 }, endOffset })) {
    for (const next of batch) {
      const end = next.offset + next.length;
      if (!next.terminated) {
        // Taken for a whole record by the rows, though it lacks a newline; anything else was cut off since.
        if (end !== endOffset) break reading;
        addTexts(texts, next);
        offset = end;
        break reading;
      }
      addTexts(texts, next);
      offset = end + 1;
      line = next.number;
      if (offset - source.offset >= source.maxBytes) break reading;
    }
  }
  return { offset, line, texts };
}

function addTexts(into: PlacedText[], line: Line): void {
  if (line.bytes.length < line.length) return;
  const { number, offset, length } = line;
  for (const text of textsOfLine(line.bytes)) into.push({ ...text, line: number, offset, length });
}
