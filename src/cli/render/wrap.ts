// Painted spans → lines within a width. Unlike wrap-ansi it also breaks between CJK characters, and paints each line
// separately, so that a colour never reaches the bar or the indent of the next line.
import { type Cluster, clusters, displayWidth } from '../../base/text/index.ts';
import type { Paint } from '../terminal/index.ts';

export interface Span {
  readonly text: string;
  readonly paint: Paint;
  /** Keep runs of spaces (code, plain text) instead of collapsing them. */
  readonly keepSpaces?: boolean;
}

export interface Line {
  readonly text: string;
  readonly width: number;
}

/** Text after this is not wrapped: measuring megabytes takes minutes. */
export const maxWrappedChars = 1_000_000;

/** A word wider than the line stays whole, so that URLs and paths can be copied; `breakWords` breaks it, for columns. */
export function wrapSpans(spans: readonly Span[], width: number, breakWords = false): Line[] {
  const lines: Line[] = [];
  let line = emptyRun();
  let word = emptyRun();
  let space = emptyRun();
  let previous: Cluster | undefined;

  const endWord = (): void => {
    if (line.width > 0 && word.width > 0 && line.width + space.width + word.width > width) endLine();
    else moveRun(space, line);
    space = emptyRun();
    if (breakWords && word.width > width) breakWord();
    else moveRun(word, line);
    word = emptyRun();
  };
  const endLine = (): void => {
    lines.push({ text: line.pieces.map((piece) => piece.paint(piece.text)).join(''), width: line.width });
    line = emptyRun();
  };
  const breakWord = (): void => {
    for (const { text, paint } of word.pieces) {
      for (const cluster of clusters(text)) {
        if (line.width > 0 && line.width + cluster.width > width) endLine();
        addPiece(line, cluster, paint);
      }
    }
  };

  let left = maxWrappedChars;
  for (const span of spans) {
    for (const [token] of span.text.slice(0, left).matchAll(/\n|[ \t]+|[^ \t\n]+/g)) {
      if (token === '\n') {
        if (word.pieces.length > 0) endWord();
        space = emptyRun();
        previous = undefined;
        endLine();
      } else if (token.startsWith(' ') || token.startsWith('\t')) {
        if (word.pieces.length > 0) endWord();
        previous = undefined;
        if (span.keepSpaces === true || (line.width > 0 && space.width === 0)) {
          const text = span.keepSpaces === true ? token.replaceAll('\t', '    ') : ' ';
          // An indent wider than the line is dropped.
          if (space.width + text.length < width) addPiece(space, { text, width: text.length }, span.paint);
        }
      } else {
        for (const unit of unitsOf(token)) {
          if (previous !== undefined && mayBreak(previous, unit.first)) endWord();
          addPiece(word, unit, span.paint);
          previous = unit.last;
        }
      }
    }
    const unwrapped = span.text.slice(left);
    left = Math.max(0, left - span.text.length);
    if (unwrapped === '') continue;
    if (word.pieces.length > 0) endWord();
    for (const [i, text] of unwrapped.split('\n').entries()) {
      if (i > 0) endLine();
      addPiece(line, { text, width: 0 }, span.paint);
    }
  }
  if (word.pieces.length > 0) endWord();
  if (line.pieces.length > 0) endLine();
  return lines;
}

interface Piece {
  text: string;
  readonly paint: Paint;
}

interface Run {
  readonly pieces: Piece[];
  width: number;
}

interface Unit extends Cluster {
  readonly first: Cluster;
  readonly last: Cluster;
}

function emptyRun(): Run {
  return { pieces: [], width: 0 };
}

function addPiece(run: Run, { text, width }: Cluster, paint: Paint): void {
  const last = run.pieces.at(-1);
  if (last?.paint === paint) last.text += text;
  else run.pieces.push({ text, paint });
  run.width += width;
}

function moveRun(from: Run, to: Run): void {
  for (const { text, paint } of from.pieces) addPiece(to, { text, width: 0 }, paint);
  to.width += from.width;
}

/** The unbreakable parts of a word: the whole word if it is ASCII, otherwise each cluster. */
function* unitsOf(word: string): Generator<Unit> {
  if (/[^!-~]/.test(word)) {
    for (const cluster of clusters(word)) {
      yield { text: cluster.text, width: cluster.width, first: cluster, last: cluster };
    }
    return;
  }
  const first = { text: word.charAt(0), width: 1 };
  const last = { text: word.charAt(word.length - 1), width: 1 };
  yield { text: word, width: displayWidth(word), first, last };
}

/** A line may end next to a wide character, but not before closing or after opening punctuation (kinsoku shori). */
export function mayBreak(before: Cluster, after: Cluster): boolean {
  if (before.width < 2 && after.width < 2) return false;
  if (after.width === 0) return false;
  return !opening.has(before.text) && !closing.has(after.text);
}

const opening: ReadonlySet<string> = new Set('([{<"\'“‘（［｛「『【〈《〔');
const closing: ReadonlySet<string> = new Set(
  ')]}>"\'”’,.!?;:…‥、。，．・：；？！）］｝」』】〉》〕ー々ゝゞヽヾぁぃぅぇぉっゃゅょァィゥェォッャュョ',
);

/** The sum of the result is at most `available`, if there is at least one cell per column. */
export function fitWidths(natural: readonly number[], available: number): number[] {
  const total = sum(natural);
  if (total <= available) return [...natural];
  let cap = 1;
  while (sum(natural.map((width) => Math.min(width, cap + 1))) <= available) cap += 1;
  let spare = available - sum(natural.map((width) => Math.min(width, cap)));
  return natural.map((width) => {
    if (width <= cap || spare <= 0) return Math.min(width, cap);
    spare -= 1;
    return cap + 1;
  });
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** `Math.max` for any number of numbers: a call with a hundred thousand arguments overflows the stack. */
export function largest(numbers: Iterable<number>, atLeast: number): number {
  let found = atLeast;
  for (const number of numbers) if (number > found) found = number;
  return found;
}
