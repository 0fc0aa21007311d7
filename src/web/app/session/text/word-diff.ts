// The lines of a hunk → which parts of them changed: a removed line is compared word by word with the added line in its
// place. Lines that have little in common are not marked, and the cost is bounded.
import { diffWordsWithSpace } from 'diff';
import type { CharRange } from './mark-words.ts';

const maxPairs = 200;
const maxLineChars = 600;
const maxEdits = 120;
/** Below this share of equal characters the marks would cover nearly everything. */
const leastEqual = 0.35;

/** How many pairs of lines are still compared, in all hunks of a diff. */
export interface DiffBudget {
  pairs: number;
}

export function newBudget(): DiffBudget {
  return { pairs: maxPairs };
}

/** The changed parts by the index of the line; `lines` begin with a space, `+` or `-`. */
export function changedWords(
  lines: readonly string[],
  budget: DiffBudget = newBudget(),
): ReadonlyMap<number, readonly CharRange[]> {
  const ranges = new Map<number, readonly CharRange[]>();
  for (let at = 0; at < lines.length; ) {
    const removed = runLength(lines, at, '-');
    const added = removed === 0 ? 0 : runLength(lines, at + removed, '+');
    for (let i = 0; i < Math.min(removed, added) && budget.pairs > 0; i++) {
      const [before, after] = [at + i, at + removed + i];
      const found = compareWords((lines[before] ?? '').slice(1), (lines[after] ?? '').slice(1));
      budget.pairs--;
      if (found === undefined) continue;
      ranges.set(before, found.removed);
      ranges.set(after, found.added);
    }
    at += Math.max(1, removed + added);
  }
  return ranges;
}

function runLength(lines: readonly string[], from: number, mark: string): number {
  let count = 0;
  while (lines[from + count]?.[0] === mark) count++;
  return count;
}

interface ChangedPair {
  readonly removed: readonly CharRange[];
  readonly added: readonly CharRange[];
}

function compareWords(before: string, after: string): ChangedPair | undefined {
  if (before === '' || after === '' || before.length > maxLineChars || after.length > maxLineChars) return undefined;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: maxEdits });
  if (parts === undefined) return undefined;
  const removed: CharRange[] = [];
  const added: CharRange[] = [];
  let [oldAt, newAt, equal] = [0, 0, 0];
  for (const { value, added: isAdded, removed: isRemoved } of parts) {
    if (isRemoved) {
      removed.push([oldAt, oldAt + value.length]);
      oldAt += value.length;
    } else if (isAdded) {
      added.push([newAt, newAt + value.length]);
      newAt += value.length;
    } else {
      if (value.trim() !== '') equal += value.length;
      oldAt += value.length;
      newAt += value.length;
    }
  }
  return equal / Math.max(before.length, after.length) < leastEqual ? undefined : { removed, added };
}
