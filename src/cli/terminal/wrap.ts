// Painted stretches of text → lines of at most so many columns. It breaks at spaces and, unlike wrap-ansi, between CJK
// characters, and paints each line on its own, so that a colour never runs into the bar or the indent of the next line.
import { type Cluster, clusters } from '../../base/clusters.ts';
import { displayWidth } from '../../base/terminal-text.ts';
import type { Paint } from './style.ts';

export interface Span {
  readonly text: string;
  readonly paint: Paint;
  /** Runs of spaces stay as they are (code, plain text) instead of becoming one space. */
  readonly keepSpaces?: boolean;
}

export interface Line {
  readonly text: string;
  readonly width: number;
}

/** What follows keeps its own lines, and the terminal breaks them: to count the columns of megabytes takes minutes. */
export const maxWrappedChars = 1_000_000;

/**
 * A word wider than the line stands unbroken on a line of its own, so that a URL or a path can still be copied;
 * with `breakWords` it is cut, so that a column stays a column.
 */
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
          // Deeper than the line is wide: an indent that leaves no room for a word says nothing any more.
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

/** The stretches of a word that have no break inside: all of it where it is ASCII, else cluster by cluster. */
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

/** Beside a wide character a line may end, but not before what closes or after what opens (kinsoku shori). */
export function mayBreak(before: Cluster, after: Cluster): boolean {
  if (before.width < 2 && after.width < 2) return false;
  if (after.width === 0) return false;
  return !opening.has(before.text) && !closing.has(after.text);
}

const opening: ReadonlySet<string> = new Set('([{<"\'“‘（［｛「『【〈《〔');
const closing: ReadonlySet<string> = new Set(
  ')]}>"\'”’,.!?;:…‥、。，．・：；？！）］｝」』】〉》〕ー々ゝゞヽヾぁぃぅぇぉっゃゅょァィゥェォッャュョ',
);
