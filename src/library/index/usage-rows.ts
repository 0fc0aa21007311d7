// Lines with usage → the compact text the index keeps of them, and back. A file has one such text per reading of it,
// not one row per message: the counting rule wants all of them at once, and binding values one by one costs ten times
// as much as all the rest.
import { noUsage, type TokenCounts } from '../../format/entry/usage.ts';
import { isLarger, type UsageLine } from '../../session/usage/usage.ts';

/** A line with usage, of a file and a session that are known from elsewhere. */
export type LineWithUsage = Omit<UsageLine, 'file' | 'sessionId'>;

/**
 * Fewer lines that `countUsage` counts the same: of a message's lines that follow one another with the same request and
 * chain only the largest is kept, at the place of the first, with a stop reason if any of them has one.
 */
export function reduceLines<T extends LineWithUsage>(lines: readonly T[]): readonly T[] {
  const kept: T[] = [];
  const lastPlaces = new Map<string, number>();
  for (const line of lines) {
    const id = line.messageId;
    const at = id === undefined ? undefined : lastPlaces.get(id);
    const before = at === undefined ? undefined : kept[at];
    if (at !== undefined && before !== undefined && isSameResponse(before, line)) kept[at] = larger(before, line);
    else {
      if (id !== undefined) lastPlaces.set(id, kept.length);
      kept.push(line);
    }
  }
  return kept;
}

function isSameResponse(a: LineWithUsage, b: LineWithUsage): boolean {
  // What the client made itself is told by its model, so that is never replaced by another.
  const isSameKind = a.isSidechain === b.isSidechain && a.isCopy === b.isCopy;
  return a.requestId === b.requestId && isSameKind && isSynthetic(a) === isSynthetic(b);
}

function isSynthetic({ model }: LineWithUsage): boolean {
  return model === '<synthetic>';
}

function larger<T extends LineWithUsage>(a: T, b: T): T {
  const [most, other] = isLarger(b, a) ? [b, a] : [a, b];
  return most.stopReason !== undefined || other.stopReason === undefined
    ? most
    : { ...most, stopReason: other.stopReason };
}

/** One flat list: numbers first, then the names and the compactions, 0 for those that are absent. */
export function packLines(lines: readonly LineWithUsage[]): string {
  const values: PackedValue[] = [];
  for (const { line, time, isSidechain, stopReason, usage, isCopy, ...names } of lines) {
    const { model, messageId, requestId, uuid } = names;
    const flags =
      (isSidechain ? sidechainFlag : 0) |
      (usage.fast ? fastFlag : 0) |
      (usage.usOnly ? usOnlyFlag : 0) |
      (usage.batch ? batchFlag : 0) |
      (stopReason === undefined ? 0 : stopFlag) |
      (isCopy ? copyFlag : 0);
    values.push(
      line,
      Number.isNaN(time) ? null : time,
      flags,
      usage.inputTokens,
      usage.outputTokens,
      usage.cacheReadTokens,
      usage.cacheWrite5mTokens,
      usage.cacheWrite1hTokens,
      usage.webSearches,
      model ?? 0,
      messageId ?? 0,
      requestId ?? 0,
      // Only a line without a message id is told from others by its uuid.
      messageId === undefined ? (uuid ?? 0) : 0,
      usage.compactions.length === 0 ? 0 : usage.compactions.map(packCounts),
    );
  }
  return JSON.stringify(values);
}

export interface PackedLines {
  readonly file: string;
  readonly sessionId: string;
  readonly rows: string;
}

/** Adds to `lines`. A stop reason comes back as `yes`: whether there is one is all that counts. */
export function unpackLines({ file, sessionId, rows }: PackedLines, lines: UsageLine[] = []): UsageLine[] {
  const values = JSON.parse(rows) as readonly PackedValue[]; // written by packLines
  for (let i = 0; i + width <= values.length; i += width) {
    const flags = values[i + 2] as number;
    lines.push({
      file,
      line: values[i] as number,
      sessionId,
      uuid: name(values[i + 12]),
      isSidechain: (flags & sidechainFlag) !== 0,
      messageId: name(values[i + 10]),
      requestId: name(values[i + 11]),
      model: name(values[i + 9]),
      stopReason: (flags & stopFlag) === 0 ? undefined : 'yes',
      time: (values[i + 1] as number | null) ?? Number.NaN,
      usage: {
        inputTokens: values[i + 3] as number,
        outputTokens: values[i + 4] as number,
        cacheReadTokens: values[i + 5] as number,
        cacheWrite5mTokens: values[i + 6] as number,
        cacheWrite1hTokens: values[i + 7] as number,
        webSearches: values[i + 8] as number,
        fast: (flags & fastFlag) !== 0,
        usOnly: (flags & usOnlyFlag) !== 0,
        batch: (flags & batchFlag) !== 0,
        compactions: unpackCompactions(values[i + 13]),
      },
      isCopy: (flags & copyFlag) !== 0,
    });
  }
  return lines;
}

const width = 14;
const sidechainFlag = 1;
const fastFlag = 2;
const stopFlag = 4;
const copyFlag = 8;
const usOnlyFlag = 16;
const batchFlag = 32;

type PackedCounts = readonly number[];
type PackedValue = number | string | null | readonly PackedCounts[];

function packCounts(counts: TokenCounts): PackedCounts {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = counts;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens];
}

function unpackCompactions(value: PackedValue | undefined): readonly TokenCounts[] {
  if (typeof value !== 'object' || value === null) return noUsage.compactions;
  return value.map(([input = 0, output = 0, read = 0, written5m = 0, written1h = 0]) => ({
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: read,
    cacheWrite5mTokens: written5m,
    cacheWrite1hTokens: written1h,
  }));
}

function name(value: PackedValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
