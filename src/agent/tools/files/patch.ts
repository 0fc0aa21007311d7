// Computes the hunks between two texts in the format that Claude Code stores (`structuredPatch`).
import { structuredPatch } from 'diff';
import type { JsonObject } from '../../../base/json/json.ts';
import { limits } from '../shared/limits.ts';

const contextLines = 3;

export function makePatch(file: string, before: string, after: string): readonly JsonObject[] {
  const [old, now] = [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')];
  if (old === now) return [];
  const patch = structuredPatch(file, file, old, now, undefined, undefined, {
    context: contextLines,
    maxEditLength: limits.change.diffEdits,
  });
  const hunks = patch?.hunks ?? [wholeHunk(old.split('\n'), now.split('\n'))];
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: string[];
}

/** One hunk from the first to the last differing line. */
function wholeHunk(old: readonly string[], now: readonly string[]): Hunk {
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}
