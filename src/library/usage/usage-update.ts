// Transcripts that were found, and what was counted before → what is counted now. Only new lines are read, and only the
// sums that they change are made again.
import { UserError, unreadableCode } from '../../base/errors/index.ts';
import type { PriceList } from '../../models/index.ts';
import {
  bytesForProof,
  type DiskProblem,
  proveFile,
  type TranscriptFile,
  type TranscriptFiles,
} from '../../store/index.ts';
import { findShared, type RowScanner } from '../rows/index.ts';
import { type CountOptions, countAlone, countTogether } from './count-files.ts';
import { type CountedFile, countedFile } from './counted-files.ts';
import { sessionIdOf } from './current-usage.ts';

export interface UpdateOptions {
  readonly prices: PriceList;
  /** Read about this much, the newest transcripts first; the next call continues. */
  readonly maxBytes?: number;
  /** The transcripts, if they were just found. */
  readonly found?: TranscriptFiles;
  /** The transcript to read before all others, whatever its size. */
  readonly first?: string | undefined;
  readonly onProgress?: (progress: { readonly bytesDone: number; readonly bytesTotal: number }) => void;
}

export interface UpdateReport {
  filesRead: number;
  /** Bytes of transcripts read from the disk, including the checks that a file is the same. */
  bytesRead: number;
  readonly problems: DiskProblem[];
  /** The last change of the newest transcript that is not read yet; `-Infinity` if all are. */
  unreadUntilMs: number;
}

export interface Advance {
  readonly files: readonly CountedFile[];
  /** The files that were read, and what was known of them before. */
  readonly changed: ReadonlyMap<CountedFile, CountedFile | undefined>;
  readonly removed: readonly CountedFile[];
}

/** Reads the new lines of all files. */
export function readNewLines(
  found: readonly TranscriptFile[],
  before: readonly CountedFile[],
  scanner: RowScanner,
  { maxBytes = Number.POSITIVE_INFINITY, first, onProgress }: UpdateOptions,
  report: UpdateReport,
): Advance {
  const known = new Map(before.map((file) => [file.found.path, file]));
  const work = found.filter((file) => !isSame(file, known.get(file.path)));
  const isFirst = (file: TranscriptFile): boolean => file.path === first;
  if (maxBytes !== Number.POSITIVE_INFINITY)
    work.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || b.mtimeMs - a.mtimeMs);
  const bytesTotal = work.reduce((sum, { size }) => sum + size, 0);
  const now = new Map<string, CountedFile>();
  const changed = new Map<CountedFile, CountedFile | undefined>();
  let bytesDone = 0;
  let bytesNew = 0;
  for (const file of work) {
    const old = known.get(file.path);
    if (!isFirst(file)) bytesNew += Math.max(0, file.size - (old?.offset ?? 0));
    if (bytesNew > maxBytes) {
      report.unreadUntilMs = Math.max(report.unreadUntilMs, file.mtimeMs);
      continue;
    }
    try {
      const base = old !== undefined && isContinued(file, old, report) ? old : undefined;
      const sessionId = file.mainPath === undefined ? undefined : sessionIdOf({ main: file.mainPath });
      const { offset = 0, line = 0 } = base ?? {};
      const scanned = scanner.scan({ path: file.path, sessionId, offset, line, size: file.size });
      report.bytesRead += scanned.bytesRead;
      report.filesRead += 1;
      const counted = countedFile(file, scanned, base);
      now.set(file.path, counted);
      changed.set(counted, old);
    } catch (error) {
      const code = unreadableCode(error);
      if (code === undefined && !(error instanceof UserError)) throw error;
      report.problems.push({ path: file.path, code: code ?? 'EIO' });
    }
    bytesDone += file.size;
    onProgress?.({ bytesDone, bytesTotal });
  }
  // A file that could not be read, or not yet, keeps what was counted before.
  const files = found.flatMap(({ path }) => now.get(path) ?? known.get(path) ?? []);
  const present = new Set(found.map(({ path }) => path));
  return { files, changed, removed: before.filter((file) => !present.has(file.found.path)) };
}

function isSame({ dev, ino, size, mtimeMs }: TranscriptFile, before: CountedFile | undefined): boolean {
  const { found } = before ?? {};
  return found?.size === size && found.mtimeMs === mtimeMs && found.ino === ino && found.dev === dev;
}

/** Whether the file is the one that was read, and has only grown. */
function isContinued(file: TranscriptFile, before: CountedFile, report: UpdateReport): boolean {
  if (file.ino !== before.found.ino || file.dev !== before.found.dev || file.size < before.offset) return false;
  const { headHash, tailHash } = proveFile(file.path, before.offset);
  report.bytesRead += bytesForProof(before.offset);
  return headHash === before.proof.headHash && tailHash === before.proof.tailHash;
}

/** Sums up again what the changes concern; everything if the prices are others. */
export function recount({ files, changed, removed }: Advance, hasNewPrices: boolean, options: CountOptions): void {
  const shared = findShared(files.map(({ keys }) => keys));
  const together = files.filter((_, i) => shared[i] === 1);
  // What a file was before it was read again, possibly as another one.
  const before = (file: CountedFile): CountedFile | undefined => (changed.has(file) ? changed.get(file) : file);
  const wasShared = new Set([...files, ...removed].filter((file) => before(file)?.isShared === true));
  for (const [i, file] of files.entries()) {
    file.isShared = shared[i] === 1;
    if (!file.isShared && (hasNewPrices || changed.has(file) || wasShared.has(file))) countAlone(file, options);
  }
  if (hasNewPrices || concerns(together, wasShared, { files, changed, removed }))
    countTogether(together, files, options);
}

/**
 * Whether changes can move a shared message: those of its files, of other files of their sessions, whose times decide
 * which session is older, and of what files name as their origin.
 */
function concerns(together: readonly CountedFile[], wasShared: ReadonlySet<CountedFile>, advance: Advance): boolean {
  const { changed, removed } = advance;
  if (together.length === 0) return false;
  const mains = new Set([...together, ...wasShared].map(({ main }) => main));
  if (removed.some((file) => mains.has(file.main) || file.origins.length > 0)) return true;
  for (const [file, before] of changed) {
    const isOther = file.origins.join('\0') !== (before?.origins ?? []).join('\0');
    if (isOther || mains.has(file.main) || (before !== undefined && mains.has(before.main))) return true;
  }
  return false;
}
