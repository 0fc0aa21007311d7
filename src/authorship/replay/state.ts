// A state of a file with the origin of each line, and one step from a state to the next: lines that stay keep their
// origin, new ones get that of the step.
import type { FileEdit } from '../calls/index.ts';
import { align, isDistinctive, type Kept } from '../lines/index.ts';

/** Why the author of a line is not known. */
export type Doubt =
  /** Equal lines are next to each other, one by an agent and one not. */
  | 'equal-lines'
  /** A common line at the edge of a block that was rewritten by hand. */
  | 'rewritten-block'
  /** A command of a session may have changed the file. */
  | 'command'
  /** The history before is not known. */
  | 'history'
  /** The commit names an agent, but no recorded session wrote this. */
  | 'missing-session';

/** Where a line came from. */
export type Origin =
  | { readonly kind: 'edit'; readonly edit: FileEdit; readonly version: number; readonly how: Kept | 'restored' }
  | { readonly kind: 'outside'; readonly version: number; readonly earlier: FileEdit | undefined }
  | {
      readonly kind: 'unclear';
      readonly version: number;
      readonly doubt: Doubt;
      readonly edit: FileEdit | undefined;
    };

export interface State {
  readonly lines: readonly string[];
  readonly origins: readonly Origin[];
}

export const emptyState: State = { lines: [], origins: [] };

/** A step by a call, or by anything else. */
export interface Step {
  /** The origin of a new line. */
  originOf(line: string): Origin;
  readonly isByAgent: boolean;
  /** Other states whose lines may be in the result, such as the other side of a merge. */
  readonly others?: readonly State[];
}

export function takeStep(state: State, next: readonly string[], step: Step): State {
  if (isSame(state.lines, next)) return state;
  const { source, kept, doubtful, weak } = align(state.lines, next, step.isByAgent);
  const fromOthers = source.includes(-1) ? linesFrom(step.others ?? [], next) : [];
  const originAt = (i: number, from: number, how: Kept | undefined): Origin => {
    const old = from < 0 ? undefined : state.origins[from];
    if (old !== undefined) return how === undefined || how === 'same' ? old : withHow(old, how);
    return fromOthers[i] ?? step.originOf(next[i] as string);
  };
  const origins = next.map((_, i) => {
    const origin = originAt(i, source[i] as number, kept[i]);
    const other = doubtful.get(i);
    if (other !== undefined && kept[i] !== 'moved' && kept[i] !== 'reformatted') {
      const second = originAt(i, other, 'same');
      if ((origin.kind === 'edit') !== (second.kind === 'edit')) return unclear(origin, second, 'equal-lines');
    }
    return !step.isByAgent && weak.has(i) && origin.kind === 'edit'
      ? unclear(origin, origin, 'rewritten-block')
      : origin;
  });
  return { lines: next, origins };
}

function unclear(origin: Origin, second: Origin, doubt: Doubt): Origin {
  const edit = origin.kind === 'edit' ? origin.edit : second.kind === 'edit' ? second.edit : undefined;
  return { kind: 'unclear', version: origin.version, doubt, edit };
}

function withHow(origin: Origin, how: Kept | 'restored'): Origin {
  return origin.kind === 'edit' ? { ...origin, how } : origin;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((line, i) => line === b[i]));
}

/** Origins from other states, for lines that came from there; a common line only next to a line that is not common. */
function linesFrom(others: readonly State[], next: readonly string[]): readonly (Origin | undefined)[] {
  const found = new Array<Origin | undefined>(next.length).fill(undefined);
  for (const other of others) {
    const { source } = align(other.lines, next);
    const isProven = provenBlocks(source, next);
    for (const [i, from] of source.entries()) {
      if (from < 0 || !isProven[i]) continue;
      const origin = other.origins[from];
      if (origin !== undefined) found[i] ??= withHow(origin, 'restored');
    }
  }
  return found;
}

/** Which lines are in a run of neighbours, in both states, with a distinctive line. */
function provenBlocks(source: readonly number[], next: readonly string[]): readonly boolean[] {
  const proven = new Array<boolean>(source.length).fill(false);
  for (let i = 0; i < source.length; ) {
    let end = i + 1;
    while (end < source.length && source[i] !== -1 && source[end] === (source[end - 1] as number) + 1) end++;
    const isProven = source[i] !== -1 && next.slice(i, end).some(isDistinctive);
    if (isProven) proven.fill(true, i, end);
    i = end;
  }
  return proven;
}

/** Replaces some lines at a known place: everything around them stays as it is. */
export function replaceLines(
  { lines, origins }: State,
  { from, to }: { readonly from: number; readonly to: number },
  next: readonly string[],
  step: Step,
): State {
  const inner = takeStep({ lines: lines.slice(from, to), origins: origins.slice(from, to) }, next, step);
  return {
    lines: [...lines.slice(0, from), ...inner.lines, ...lines.slice(to)],
    origins: [...origins.slice(0, from), ...inner.origins, ...origins.slice(to)],
  };
}
