// A call → the lines that it wrote and that were not there before, as far as the transcript shows them.
import { applyAction, type FileEdit } from '../calls/index.ts';
import { align, isDistinctive, linesOf, squeezed } from '../lines/index.ts';

export interface Introduced {
  /** Distinctive lines without whitespace, and how often. */
  readonly lines: ReadonlyMap<string, number>;
  /** Parts of lines, if the line around them is not known. */
  readonly parts: readonly string[];
  /** How many lines are new, common ones included; `NaN` if unknown. */
  readonly size: number;
  /** The lines of the file before and after, if known. */
  readonly before: readonly string[] | undefined;
  readonly after: readonly string[] | undefined;
}

export function introducedBy(edit: FileEdit): Introduced {
  const { action } = edit;
  const from = edit.before ?? edit.seen;
  const planned = from === undefined ? undefined : applyAction(action, from);
  const to = edit.after ?? planned;
  if (from !== undefined && to !== undefined) {
    const before = linesOf(from);
    const after = linesOf(to);
    const added = newLines(before, after);
    return {
      lines: count(added),
      parts: [],
      size: added.length,
      before: edit.before === undefined ? undefined : before,
      after,
    };
  }
  switch (action.kind) {
    case 'content': {
      const after = linesOf(edit.after ?? action.text);
      return { lines: count(after), parts: [], size: after.length, before: undefined, after };
    }
    case 'append':
      return { lines: count(linesOf(action.text)), parts: [], size: Number.NaN, before: undefined, after: undefined };
    case 'replace': {
      const lines: string[] = [];
      const parts: string[] = [];
      for (const { from: old, to: fresh } of action.replacements) {
        const added = newLines(linesOf(old), linesOf(fresh));
        // The first and the last line may be parts of lines.
        const edges = new Set([linesOf(fresh)[0], linesOf(fresh).at(-1)]);
        lines.push(...added.filter((line) => !edges.has(line)));
        parts.push(...added.filter((line) => edges.has(line)));
      }
      return {
        lines: count(lines),
        parts: parts.filter(isDistinctive),
        size: Number.NaN,
        before: undefined,
        after: undefined,
      };
    }
    case 'substitute':
      return {
        lines: new Map(),
        parts: [action.by].filter(isDistinctive),
        size: Number.NaN,
        before: undefined,
        after: undefined,
      };
    default:
      return { lines: new Map(), parts: [], size: Number.NaN, before: undefined, after: undefined };
  }
}

function newLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const { source } = align(before, after, true);
  return after.filter((_, i) => source[i] === -1);
}

function count(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    if (!isDistinctive(line)) continue;
    const key = squeezed(line);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
