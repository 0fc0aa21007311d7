// A stretch of a transcript → its documents of one stage, with the place of their lines.
import { type Line, readLines } from '../store/lines.ts';
import { type LineText, type TextStage, textsOfLine } from './text-extract.ts';

export interface TextSource {
  readonly path: string;
  readonly offset: number;
  readonly line: number;
  /** Where to stop: the rows of the index have come this far. */
  readonly endOffset: number;
  /** Read no further than this from `offset`, so that one batch stays small. */
  readonly maxBytes: number;
  readonly stage: TextStage;
}

export interface PlacedText extends LineText {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface NewTexts {
  /** Behind the last newline that was read. */
  readonly offset: number;
  readonly line: number;
  readonly texts: readonly PlacedText[];
}

export function readTexts(source: TextSource): NewTexts {
  const { path, stage, endOffset } = source;
  const texts: PlacedText[] = [];
  let { offset, line } = source;
  reading: for (const batch of readLines(path, { from: { offset, number: line + 1 }, endOffset })) {
    for (const next of batch) {
      if (!next.terminated) break reading;
      addTexts(texts, next, stage);
      offset = next.offset + next.length + 1;
      line = next.number;
      if (offset - source.offset >= source.maxBytes) break reading;
    }
  }
  return { offset, line, texts };
}

/** The documents of a last line that no newline ends, in both stages; none where the line is still being written. */
export function readTail(path: string, from: { offset: number; number: number }, size: number): readonly PlacedText[] {
  const texts: PlacedText[] = [];
  for (const batch of readLines(path, { from, endOffset: size })) {
    for (const line of batch) {
      addTexts(texts, line, 'chat');
      addTexts(texts, line, 'tool');
    }
  }
  return texts;
}

function addTexts(into: PlacedText[], line: Line, stage: TextStage): void {
  if (line.bytes.length < line.length) return;
  const { number, offset, length } = line;
  for (const text of textsOfLine(line.bytes, stage)) into.push({ ...text, line: number, offset, length });
}
