// Two states of a file → which lines of the later one are lines of the earlier one: unchanged, re-indented, wrapped
// differently, or moved. Where equal lines make two answers possible, both are returned.
import { diffArrays } from 'diff';
import { isClosing, isDistinctive, squeezed } from './text-lines.ts';

/** How a line relates to the line of the earlier state that it came from. */
export type Kept = 'same' | 'reformatted' | 'moved';

export interface Alignment {
  /** For each line of the later state the index of the earlier line; -1 for a new line. */
  readonly source: readonly number[];
  readonly kept: readonly (Kept | undefined)[];
  /** Lines that may as well be new as old, because equal lines are next to each other: the other possible source. */
  readonly doubtful: ReadonlyMap<number, number>;
  /** Common lines at the edges of a block that was replaced: kept, or written again with the block. */
  readonly weak: ReadonlySet<number>;
}

/** `isExact`: the place of the change is known, so lines at its edges are what they seem. */
export function align(before: readonly string[], after: readonly string[], isExact = false): Alignment {
  const source = matchSame(before, after);
  joinRuns(before.length, after, source);
  preferWholeBlocks(before.length, after, source);
  const kept = source.map((from): Kept | undefined => (from === -1 ? undefined : 'same'));
  const doubtful = findDoubtful(before, after, source);
  const blocks = changedBlocks(before.length, source);
  for (const block of blocks) matchReformatted(before, after, block, source, kept);
  const weak = isExact || blocks.length === 0 ? new Set<number>() : findWeak(before, after, source);
  if (blocks.length > 0) matchMoved(before, after, source, kept);
  return { source, kept, doubtful, weak };
}

const mostEdits = 3_000;

/** The index of the equal old line for each new one, by the least number of changes; else -1. */
function matchSame(before: readonly string[], after: readonly string[]): number[] {
  const source = new Array<number>(after.length).fill(-1);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    source[start] = start;
    start++;
  }
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    source[after.length - 1 - end] = before.length - 1 - end;
    end++;
  }
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  if (old.length === 0 || fresh.length === 0) return source;
  // Too different: what is left of the old lines is found as moved lines.
  const changes = diffArrays(old as string[], fresh as string[], { maxEditLength: mostEdits }) ?? [];
  let from = start;
  let to = start;
  for (const { count, added, removed } of changes) {
    if (!added && !removed) for (let i = 0; i < count; i++) source[to + i] = from + i;
    if (!added) from += count;
    if (!removed) to += count;
  }
  return source;
}

/** A run of new lines without removed lines next to it, which can be shifted if equal lines are around it. */
interface Run {
  readonly first: number;
  readonly last: number;
}

function pureInsertions(source: readonly number[], beforeLength: number): readonly Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < source.length; i++) {
    if (source[i] !== -1) continue;
    let last = i;
    while (source[last + 1] === -1) last++;
    const previous = i === 0 ? -1 : (source[i - 1] as number);
    const next = last + 1 === source.length ? beforeLength : (source[last + 1] as number);
    if (next === previous + 1) runs.push({ first: i, last });
    i = last;
  }
  return runs;
}

/** How far a run can be shifted up (negative) and down without changing either state. */
function shiftsOf(after: readonly string[], source: readonly number[], { first, last }: Run): [number, number] {
  let up = 0;
  while (source[first + up - 1] !== undefined && source[first + up - 1] !== -1) {
    if (after[first + up - 1] !== after[last + up]) break;
    if (up < 0 && !isNext(source, first + up - 1)) break;
    up--;
  }
  let down = 0;
  while (source[last + down + 1] !== undefined && source[last + down + 1] !== -1) {
    if (after[last + down + 1] !== after[first + down]) break;
    if (down > 0 && !isNext(source, last + down)) break;
    down++;
  }
  return [up, down];
}

function isNext(source: readonly number[], i: number): boolean {
  return source[i + 1] === (source[i] as number) + 1;
}

/** Moves a run up to the run before it, if it fits there: one insertion is more likely than two. */
function joinRuns(beforeLength: number, after: readonly string[], source: number[]): void {
  for (const run of pureInsertions(source, beforeLength)) {
    const [up] = shiftsOf(after, source, run);
    if (up < 0 && source[run.first + up - 1] === -1) shiftRun(source, run, up);
  }
}

/** Moves a run that begins with the end of a block to where a block begins. */
function preferWholeBlocks(beforeLength: number, after: readonly string[], source: number[]): void {
  for (const run of pureInsertions(source, beforeLength)) {
    if (!isClosing(after[run.first] as string)) continue;
    const [up, down] = shiftsOf(after, source, run);
    for (let shift = up; shift <= down; shift++) {
      if (shift === 0 || isClosing(after[run.first + shift] as string)) continue;
      shiftRun(source, run, shift);
      break;
    }
  }
}

function shiftRun(source: number[], { first, last }: Run, shift: number): void {
  for (let step = 0; step < Math.abs(shift); step++) {
    if (shift < 0) {
      source[last - step] = source[first - step - 1] as number;
      source[first - step - 1] = -1;
    } else {
      source[first + step] = source[last + step + 1] as number;
      source[last + step + 1] = -1;
    }
  }
}

/** Lines whose owner depends on where equal lines were inserted. */
function findDoubtful(
  before: readonly string[],
  after: readonly string[],
  source: readonly number[],
): ReadonlyMap<number, number> {
  const doubtful = new Map<number, number>();
  for (const run of pureInsertions(source, before.length)) {
    const [up, down] = shiftsOf(after, source, run);
    const isEnd = isClosing(after[run.first] as string);
    for (let shift = up; shift <= down; shift++) {
      if (shift === 0 || (!isEnd && isClosing(after[run.first + shift] as string))) continue;
      const copy = source.slice();
      shiftRun(copy, run, shift);
      for (let i = run.first + Math.min(shift, 0); i <= run.last + Math.max(shift, 0); i++) {
        if (copy[i] !== source[i]) doubtful.set(i, copy[i] as number);
      }
    }
  }
  return doubtful;
}

interface Block {
  /** Removed lines, and the new lines in their place: from, and up to without. */
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

function changedBlocks(beforeLength: number, source: readonly number[]): readonly Block[] {
  const blocks: Block[] = [];
  let old = 0;
  for (let i = 0; i <= source.length; i++) {
    let newTo = i;
    while (newTo < source.length && source[newTo] === -1) newTo++;
    const next = newTo < source.length ? (source[newTo] as number) : beforeLength;
    if (newTo > i || next > old) blocks.push({ oldFrom: old, oldTo: Math.max(old, next), newFrom: i, newTo });
    old = next + 1;
    i = newTo;
  }
  return blocks;
}

const leastReplaced = 2;

/**
 * Next to lines that were replaced, common lines may have been written again with them: the end of a block and blank lines
 * only if a whole block was, a statement such as `return;` with any line.
 */
function findWeak(before: readonly string[], after: readonly string[], source: readonly number[]): ReadonlySet<number> {
  const weak = new Set<number>();
  const blocks = changedBlocks(before.length, source);
  const isCommon = commonIn(before, after);
  const isStatement = (line: string): boolean => !isDistinctive(line) && !isClosing(line) && squeezed(line) !== '';
  const mark = (start: number, step: number, isWanted: (line: string) => boolean): void => {
    for (let at = start; source[at] !== undefined && source[at] !== -1 && isWanted(after[at] as string); at += step)
      weak.add(at);
  };
  for (const [i, { oldFrom, oldTo, newFrom, newTo }] of blocks.entries()) {
    const next = blocks[i + 1];
    const isIsland = next !== undefined && next.newFrom - newTo <= 2 && newTo > newFrom && next.newTo > next.newFrom;
    const isBlock = oldTo - oldFrom >= leastReplaced && newTo - newFrom >= leastReplaced;
    const isWanted = isBlock ? isCommon : isStatement;
    if (oldTo > oldFrom || isIsland) mark(newTo, 1, isIsland ? isCommon : isWanted);
    if (oldTo > oldFrom) mark(newFrom - 1, -1, isWanted);
  }
  return weak;
}

function commonIn(before: readonly string[], after: readonly string[]): (line: string) => boolean {
  const repeated = new Set<string>();
  for (const lines of [before, after]) {
    const seen = new Set<string>();
    for (const line of lines) {
      if (seen.has(line)) repeated.add(line);
      seen.add(line);
    }
  }
  return (line) => !isDistinctive(line) || repeated.has(line);
}

function matchReformatted(
  before: readonly string[],
  after: readonly string[],
  { oldFrom, oldTo, newFrom, newTo }: Block,
  source: number[],
  kept: (Kept | undefined)[],
): void {
  if (oldFrom === oldTo || newFrom === newTo) return;
  const old = before.slice(oldFrom, oldTo).map(squeezed);
  const fresh = after.slice(newFrom, newTo).map(squeezed);
  if (old.join('') === fresh.join('')) {
    matchByLetters(old, fresh, (from, to) => {
      source[newFrom + to] = oldFrom + from;
      kept[newFrom + to] = 'reformatted';
    });
    return;
  }
  const changes = diffArrays(old, fresh, { maxEditLength: mostEdits }) ?? [];
  let from = oldFrom;
  let to = newFrom;
  for (const { count, added, removed, value } of changes) {
    if (!added && !removed) {
      for (let i = 0; i < count; i++) {
        if (!isDistinctive(value[i] as string)) continue;
        source[to + i] = from + i;
        kept[to + i] = 'reformatted';
      }
    }
    if (!added) from += count;
    if (!removed) to += count;
  }
}

/** The same letters in other lines: each new line came from the old line that most of its letters were in. */
function matchByLetters(
  old: readonly string[],
  fresh: readonly string[],
  match: (from: number, to: number) => void,
): void {
  const owner: number[] = [];
  for (const [i, line] of old.entries()) for (let j = 0; j < line.length; j++) owner.push(i);
  let at = 0;
  for (const [i, line] of fresh.entries()) {
    const counts = new Map<number, number>();
    for (let j = 0; j < line.length; j++, at++) {
      const from = owner[at] as number;
      counts.set(from, (counts.get(from) ?? 0) + 1);
    }
    const [best] = [...counts].sort((a, b) => b[1] - a[1]);
    if (best !== undefined) match(best[0], i);
  }
}

/** A line that is gone in one place and new in another, and in no third, was moved, with equal lines next to it. */
function matchMoved(
  before: readonly string[],
  after: readonly string[],
  source: number[],
  kept: (Kept | undefined)[],
): void {
  const used = new Set(source);
  const gone = placesOf(before, (i) => !used.has(i));
  const fresh = placesOf(after, (i) => source[i] === -1);
  const move = (from: number, to: number): void => {
    source[to] = from;
    kept[to] = 'moved';
    used.add(from);
  };
  for (const [line, [to, ...otherTo]] of fresh) {
    const [from, ...otherFrom] = gone.get(line) ?? [];
    if (from === undefined || to === undefined || otherTo.length > 0 || otherFrom.length > 0) continue;
    if (source[to] !== -1 || used.has(from)) continue;
    move(from, to);
    for (const step of [-1, 1]) extendMove(from, to, step);
  }

  /** Equal neighbours moved with it, as far as a distinctive line: a common one at the end may be new. */
  function extendMove(from: number, to: number, step: number): void {
    let last = 0;
    for (let i = step; source[to + i] === -1 && isFree(before, used, from + i); i += step) {
      if (squeezed(before[from + i] as string) !== squeezed(after[to + i] as string)) break;
      if (isDistinctive(after[to + i] as string)) last = i;
    }
    for (let i = step; Math.abs(i) <= Math.abs(last); i += step) move(from + i, to + i);
  }
}

function isFree(before: readonly string[], used: ReadonlySet<number>, i: number): boolean {
  return i >= 0 && i < before.length && !used.has(i);
}

function placesOf(lines: readonly string[], isWanted: (i: number) => boolean): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) {
    if (!isWanted(i) || !isDistinctive(line)) continue;
    const key = squeezed(line);
    const known = places.get(key);
    if (known === undefined) places.set(key, [i]);
    else known.push(i);
  }
  return places;
}
