// The items of an account → slices: added up by kind and name, rounded so that the sum is exact, with their lines and the
// command that frees them.
import type { Basis, ContextSlice, LineRange, SliceFree, SliceKind } from '../wire/index.ts';
import type { Item } from './item.ts';

/** An item with its tokens at the moment of a request. */
export interface SlicedItem {
  readonly item: Item;
  readonly tokens: number;
  readonly isExact: boolean;
}

export interface SliceOptions {
  /** The sum of all slices. */
  readonly tokens: number;
  /** The sum is a count of the API. */
  readonly isCounted: boolean;
  /** The session that commands name; `undefined` if none of them reaches these lines. */
  readonly sessionId: string | undefined;
}

interface Group {
  readonly kind: SliceKind;
  readonly name: string | null;
  readonly isRecorded: boolean;
  readonly items: SlicedItem[];
}

export function slicesOf(items: readonly SlicedItem[], options: SliceOptions): readonly ContextSlice[] {
  const groups = new Map<string, Group>();
  const sent = new Set(items.flatMap(({ item }) => (item.isPrompt && item.isRecorded ? [item.line] : [])));
  for (const each of items) {
    const { kind, name, isRecorded, line } = each.item;
    // A snapshot of the system prompt is not a message, but what it says is sent.
    if (kind === 'silent' && sent.has(line)) continue;
    const key = `${kind}\n${isRecorded}\n${name}`;
    const group = groups.get(key) ?? { kind, name, isRecorded, items: [] };
    group.items.push(each);
    groups.set(key, group);
  }
  const all = [...groups.values()];
  const shares = roundedShares(
    all.map((group) => sumOf(group.items)),
    options.tokens,
  );
  const free = freeing(items, options);
  const slices = all.map((group, i): ContextSlice => {
    const lines = [...new Set(group.items.map(({ item }) => item.line))].sort((a, b) => a - b);
    return {
      kind: group.kind,
      name: group.name,
      tokens: shares[i] ?? 0,
      basis: basisOf(group, options),
      lines: rangesOf(lines),
      lineCount: lines.length,
      isRecorded: group.isRecorded,
      free: free(group),
    };
  });
  return slices.sort((a, b) => b.tokens - a.tokens);
}

function basisOf({ kind, items }: Group, { isCounted }: SliceOptions): Basis {
  if (kind === 'silent' || items.every(({ isExact }) => isExact)) return 'exact';
  return isCounted ? 'anchored' : 'estimated';
}

function rangesOf(lines: readonly number[]): readonly LineRange[] {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges;
}

/** Rounds to whole numbers with the given sum: the largest remainders get what is left. */
export function roundedShares(values: readonly number[], sum: number): readonly number[] {
  const positive = values.map((value) => Math.max(0, value));
  const total = positive.reduce((all, value) => all + value, 0);
  if (total === 0) return positive;
  const exact = positive.map((value) => (value / total) * sum);
  const whole = exact.map(Math.floor);
  let left = sum - whole.reduce((all, value) => all + value, 0);
  const order = exact.map((value, i) => [value - Math.floor(value), i] as const).sort((a, b) => b[0] - a[0]);
  for (const [, i] of order) {
    if (left <= 0) break;
    whole[i] = (whole[i] ?? 0) + 1;
    left--;
  }
  return whole;
}

function sumOf(items: readonly SlicedItem[]): number {
  return items.reduce((all, { tokens }) => all + tokens, 0);
}

/** `clew strip` works on what a resume sends: a slice that a compaction removed has nothing left to free. */
function freeing(items: readonly SlicedItem[], { sessionId }: SliceOptions): (group: Group) => SliceFree | null {
  const byTool = new Map<string, number>();
  for (const { item, tokens } of items)
    if (isOfTool(item) && item.isAlive) byTool.set(item.name ?? '', (byTool.get(item.name ?? '') ?? 0) + tokens);
  return (group) => {
    const flag = flagOf(group);
    if (sessionId === undefined || flag === undefined) return null;
    const tokens = isOfTool(group)
      ? (byTool.get(group.name ?? '') ?? 0)
      : sumOf(group.items.filter(({ item }) => item.isAlive));
    return Math.round(tokens) === 0 ? null : { command: `clew strip ${sessionId} ${flag}`, tokens: Math.round(tokens) };
  };
}

function isOfTool({ kind, name }: { readonly kind: SliceKind; readonly name: string | null }): boolean {
  return (
    name !== null &&
    !ownNames.has(name) &&
    (kind === 'output' || kind === 'files' || kind === 'calls' || kind === 'skills')
  );
}

/** Not the names of tools. */
const ownNames: ReadonlySet<string> = new Set(['local command', 'attached']);

function flagOf(group: Group): string | undefined {
  if (group.kind === 'thinking') return '--thinking';
  if (group.kind === 'images') return '--images';
  // A list of names is divided at commas, a star stands for any name, and a dash begins a flag.
  if (!isOfTool(group) || group.name === null || !/^\w[^,*\s\p{C}]*$/u.test(group.name)) return undefined;
  return `--tools ${/^[\w.:-]+$/.test(group.name) ? group.name : `'${group.name.replaceAll("'", "'\\''")}'`}`;
}
