// Rows of files → their sums. A message that only one file has counts there; of messages that several files have, the
// counting rule decides, over all of these files in the order of their sessions.
import type { PriceList } from '../../models/index.ts';
import { type CountedMessage, countUsage, type UsageLine } from '../../session/usage/index.ts';
import type { PackedRows } from '../rows/index.ts';
import { addCounted, addRows, areMessages, CellSums } from './cell-sums.ts';
import type { CountedFile } from './counted-files.ts';
import { sessionIdOf } from './current-usage.ts';
import { compareAges, madeAtOf, type SessionAge } from './lineage.ts';

export interface CountOptions {
  readonly prices: PriceList;
  /** By number. */
  readonly models: readonly string[];
  readonly modelNumber: (name: string | undefined) => number;
  readonly rowsOf: (file: CountedFile) => readonly PackedRows[];
}

/** Sums up a file that shares no message. */
export function countAlone(file: CountedFile, options: CountOptions): void {
  const sums = new CellSums();
  const rows = options.rowsOf(file);
  if (rows.every(areMessages)) for (const each of rows) addRows(sums, each, options.prices, options.models);
  else addCounted(sums, countUsage(linesOf(file, options)).messages, options.prices, options.modelNumber);
  keep(file, sums);
}

/** Sums up files that share messages; `all` are the files that their sessions and origins are known from. */
export function countTogether(
  shared: readonly CountedFile[],
  all: readonly CountedFile[],
  options: CountOptions,
): void {
  const messages = new Map<string, CountedMessage[]>(shared.map(({ found }) => [found.path, []]));
  const lines = inOrder(shared, all).flatMap((file) => linesOf(file, options));
  for (const message of countUsage(lines).messages) messages.get(message.line.file)?.push(message);
  for (const file of shared) {
    const sums = new CellSums();
    addCounted(sums, messages.get(file.found.path) ?? [], options.prices, options.modelNumber);
    keep(file, sums);
  }
}

function keep(file: CountedFile, sums: CellSums): void {
  file.cells = sums.cells;
  file.contextTokens = sums.contextTokens;
  file.contextModel = sums.lastModel;
}

export function linesOf(file: CountedFile, { rowsOf, models }: Pick<CountOptions, 'rowsOf' | 'models'>): UsageLine[] {
  const lines: UsageLine[] = [];
  const sessionId = sessionIdOf(file);
  for (const rows of rowsOf(file)) rows.unpack({ file: file.found.path, sessionId, models }, lines);
  return lines;
}

/**
 * In the order that decides who had a message first: originals before copies, a main transcript before its sub-agents.
 */
export function inOrder(files: readonly CountedFile[], all: readonly CountedFile[]): readonly CountedFile[] {
  const wanted = new Map<string, CountedFile[]>(files.map(({ main }) => [main, []]));
  for (const file of files) wanted.get(file.main)?.push(file);
  const ages = agesOf(all, wanted);
  const compare = compareAges(originsOf(all));
  return [...wanted]
    .map(([main, own]) => ({ age: ages.get(main) as SessionAge, own: own.toSorted(compareInSession) })) // of all files
    .sort((a, b) => compare(a.age, b.age))
    .flatMap(({ own }) => own);
}

function compareInSession({ found: a }: CountedFile, { found: b }: CountedFile): number {
  const isAgent = Number(a.agentId !== undefined) - Number(b.agentId !== undefined);
  return isAgent || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

function agesOf(all: readonly CountedFile[], wanted: ReadonlyMap<string, unknown>): ReadonlyMap<string, SessionAge> {
  const ages = new Map<string, SessionAge & { bornMs: number | null }>();
  for (const file of all) {
    const { main, found, startedAt, endedAt, firstAt } = file;
    if (!wanted.has(main)) continue;
    const before = ages.get(main);
    const bornMs = smaller(before?.bornMs ?? null, found.bornMs);
    const ended = larger(before?.endedAt ?? null, known(endedAt));
    ages.set(main, {
      sessionId: sessionIdOf(file),
      startedAt: smaller(before?.startedAt ?? null, known(startedAt)),
      firstAt: found.path === main ? known(firstAt) : (before?.firstAt ?? null),
      endedAt: ended,
      bornMs,
      madeAt: madeAtOf(bornMs, ended),
      path: main,
    });
  }
  return ages;
}

function known(time: number): number | null {
  return Number.isNaN(time) ? null : time;
}

function smaller(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

function larger(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}

function originsOf(all: readonly CountedFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const origins = new Map<string, Set<string>>();
  for (const file of all) {
    if (file.origins.length === 0) continue;
    const id = sessionIdOf(file);
    const known = origins.get(id) ?? new Set();
    for (const origin of file.origins) known.add(origin);
    origins.set(id, known);
  }
  return origins;
}
