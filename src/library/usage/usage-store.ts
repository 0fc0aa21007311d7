// What was counted in all transcripts of some roots: brought up to date, kept on the disk, and asked by reports.
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { UserError } from '../../base/errors/index.ts';
import type { PriceList } from '../../models/index.ts';
import { type CountedMessage, countUsage, type UsageLine } from '../../session/usage/index.ts';
import {
  type DiskProblem,
  findTranscripts,
  projectsFolders,
  type TranscriptFile,
  type TranscriptPlace,
  transcriptPlace,
} from '../../store/index.ts';
import { PackedRows, RowScanner } from '../rows/index.ts';
import { type CountOptions, inOrder, linesOf } from './count-files.ts';
import { type CountedFile, countedFiles, type RowPart, stateOf } from './counted-files.ts';
import {
  type CountedUsage,
  foldersOf,
  isCurrent,
  nameOfModel,
  type SummedFile,
  summedFiles,
  type UsagePlace,
} from './current-usage.ts';
import {
  appendRows,
  checksum,
  firstOtherModel,
  readAligned,
  readState,
  stateFile,
  stateProblem,
  type UsageState,
  writeState,
} from './state-file.ts';
import { readNewLines, recount, type UpdateOptions, type UpdateReport } from './usage-update.ts';

export interface UsageUpdate extends Readonly<UpdateReport> {
  /** Transcripts found below the roots. */
  readonly files: number;
  readonly problems: DiskProblem[];
  /** Why the state could not be kept; `undefined` if it is. */
  readonly saveError: UserError | undefined;
}

export class UsageStore implements CountedUsage {
  readonly #roots: readonly string[];
  readonly #folders: readonly string[];
  readonly #file: string | undefined;
  /** As on the disk; its transcripts, in its order. */
  #state: UsageState | undefined;
  #found: readonly TranscriptFile[] = [];
  /** Changes whenever the file of the state is replaced. */
  #mark: string | undefined;
  /** The same as objects, once something has changed. */
  #counted: readonly CountedFile[] | undefined;
  #scanner: RowScanner | undefined;
  #otherModels: string[] = [];
  #prices = '';
  /** Of the last update. */
  #options: UpdateOptions | undefined;

  constructor({ folder, roots }: UsagePlace) {
    this.#roots = roots;
    this.#folders = foldersOf(roots);
    this.#file = folder === undefined ? undefined : stateFile(folder, this.#folders);
  }

  /** Reads what is new since the last time. */
  update(options: UpdateOptions): UsageUpdate {
    const { files: found, problems } = options.found ?? findTranscripts(this.#roots);
    this.#load();
    this.#options = options;
    const report = newReport(problems);
    const saveError = this.#isCurrent(found, options.prices) ? undefined : this.#advance(found, options, report);
    return { files: found.length, ...report, saveError };
  }

  /** The sums of each transcript, as of the last update. */
  files(): Iterable<SummedFile> {
    const isListed = this.#counted === undefined && this.#state !== undefined && this.#found.length > 0;
    return isListed ? summedFiles(this.#state as UsageState, this.#found) : this.#files();
  }

  /** Every message, counted once, as of the last update. */
  messages(): readonly CountedMessage[] {
    return countUsage(this.lines()).messages;
  }

  /** Every line with usage, an original before its copies. Of lines that follow one another only the largest is kept. */
  lines(): readonly UsageLine[] {
    try {
      return this.#lines();
    } catch (error) {
      // Another process has replaced the rows since the update.
      if (!(error instanceof BrokenRows) || this.#options === undefined) throw error;
      this.#forget();
      this.#readAndCount(findTranscripts(this.#roots).files, this.#options, newReport([]));
      return this.#lines();
    }
  }

  #lines(): readonly UsageLine[] {
    const files = this.#files();
    const options = { models: this.#models, rowsOf: this.#rowsOf };
    return inOrder(files, files).flatMap((file) => linesOf(file, options));
  }

  modelName(number: number): string | undefined {
    return nameOfModel(number, { models: this.#models, otherModels: this.#otherModels });
  }

  get #models(): readonly string[] {
    return this.#scanner?.models ?? this.#state?.header.models ?? [''];
  }

  #modelNumber = (name: string | undefined): number => {
    if (name === undefined) return 0;
    const number = this.#models.indexOf(name, 1);
    if (number !== -1) return number;
    const other = this.#otherModels.indexOf(name);
    return firstOtherModel + (other === -1 ? this.#otherModels.push(name) - 1 : other);
  };

  /** Takes the state from the disk, unless this process has written it. */
  #load(): void {
    if (this.#file === undefined) return;
    const mark = markOf(this.#file);
    if (mark === undefined || mark === this.#mark) return;
    const state = readState(this.#file);
    if (state?.header.folders.join('\0') !== this.#folders.join('\0')) return;
    this.#forget();
    this.#state = state;
    this.#mark = mark;
    this.#otherModels = [...state.header.otherModels];
    this.#prices = state.header.prices;
  }

  #forget(): void {
    this.#state = undefined;
    this.#counted = undefined;
    this.#scanner = undefined;
    this.#rows = undefined;
    this.#otherModels = [];
    this.#prices = '';
  }

  #isCurrent(found: readonly TranscriptFile[], { prices }: PriceList): boolean {
    if (this.#state === undefined || this.#counted !== undefined) return false;
    if (!isCurrent(this.#state, found, prices.fingerprint)) return false;
    this.#found = found;
    return true;
  }

  /** Returns why the state could not be kept. */
  #advance(found: readonly TranscriptFile[], options: UpdateOptions, report: UpdateReport): UserError | undefined {
    try {
      return this.#readAndCount(found, options, report);
    } catch (error) {
      if (!(error instanceof BrokenRows)) throw error;
      this.#forget();
      return this.#readAndCount(found, options, report);
    }
  }

  #readAndCount(found: readonly TranscriptFile[], options: UpdateOptions, report: UpdateReport): UserError | undefined {
    const before = this.#files(found);
    this.#scanner ??= new RowScanner(this.#models);
    const advance = readNewLines(found, before, this.#scanner, options, report);
    const { prices } = options.prices;
    const hasNewPrices = this.#prices !== prices.fingerprint;
    this.#counted = advance.files;
    if (advance.changed.size === 0 && advance.removed.length === 0 && !hasNewPrices) return undefined;
    const count: CountOptions = {
      prices: options.prices,
      models: this.#models,
      modelNumber: this.#modelNumber,
      rowsOf: this.#rowsOf,
    };
    recount(advance, hasNewPrices, count);
    this.#prices = prices.fingerprint;
    try {
      this.#save(advance.files);
      return undefined;
    } catch (error) {
      return stateProblem(error, this.#file ?? '');
    }
  }

  #files(found: readonly TranscriptFile[] = this.#found): readonly CountedFile[] {
    if (this.#counted !== undefined) return this.#counted;
    if (this.#state === undefined) this.#load();
    if (this.#state === undefined) return [];
    const places = new Map<string, TranscriptPlace>(found.map((file) => [file.path, file]));
    const folders = projectsFolders(this.#roots);
    return countedFiles(this.#state, (file) => places.get(file) ?? transcriptPlace(file, folders));
  }

  // Rows.

  #rows: { readonly file: string; readonly bytes: Buffer } | undefined;

  #rowsOf = (file: CountedFile): readonly PackedRows[] =>
    file.parts.map((part) => {
      part.rows ??= this.#readPart(part);
      return part.rows;
    });

  #readPart({ at, length, sum }: RowPart): PackedRows {
    try {
      const file = this.#rowsFile(this.#state?.header.rowsFile ?? '');
      if (this.#rows?.file !== file) this.#rows = { file, bytes: readAligned(file) };
      const bytes = this.#rows.bytes.subarray(at, at + length);
      if (bytes.length === length && checksum(bytes) === sum) return new PackedRows(bytes);
    } catch {
      // Unreadable, or not rows: handled below.
    }
    throw new BrokenRows();
  }

  #rowsFile(name: string): string {
    return path.join(path.dirname(this.#file ?? ''), name);
  }

  #save(counted: readonly CountedFile[]): void {
    if (this.#file === undefined) return;
    const before = this.#state?.header;
    const all = counted.flatMap(({ parts }) => parts);
    const live = all.reduce((sum, { length }) => sum + length, 0);
    const fresh = all.filter(({ at }) => at === -1);
    const isKept = before !== undefined && before.rowsBytes <= 2 * live + smallWaste;
    const rowsFile = isKept
      ? before.rowsFile
      : `${path.basename(this.#file, '.state')}-${Date.now().toString(36)}.rows`;
    const written = isKept ? fresh : all;
    const known = isKept ? before.rowsBytes : 0;
    if (!isKept) for (const file of counted) this.#rowsOf(file);
    if (written.length > 0 || !isKept) {
      const parts = written.map(({ rows }) => (rows as PackedRows).bytes);
      // Another process has written to it: the next update takes what that one has kept.
      if (!appendRows(this.#rowsFile(rowsFile), known, parts)) return;
      let at = known;
      for (const part of written) {
        part.at = at;
        at += part.length;
      }
    }
    const rowsBytes = known + written.reduce((sum, { length }) => sum + length, 0);
    const state = stateOf(counted, {
      folders: this.#folders,
      models: this.#models,
      otherModels: this.#otherModels,
      prices: this.#prices,
      rowsFile,
      rowsBytes,
    });
    writeState(this.#file, state);
    if (!isKept) this.#removeOtherRows(rowsFile);
    this.#state = state;
    this.#mark = markOf(this.#file);
  }

  #removeOtherRows(kept: string): void {
    const folder = path.dirname(this.#file ?? '');
    const start = `${path.basename(this.#file ?? '', '.state')}-`;
    for (const name of readdirSync(folder)) {
      if (name.startsWith(start) && name.endsWith('.rows') && name !== kept)
        rmSync(path.join(folder, name), { force: true });
    }
  }
}

function markOf(file: string): string | undefined {
  try {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return undefined; // there is none, or it cannot be read: then it is written again
  }
}

/** Rows that no file refers to any more may take this much, and as much again as all others. */
const smallWaste = 1024 * 1024;

/** The file of rows is not what the state says. */
class BrokenRows extends Error {}

function newReport(problems: readonly DiskProblem[]): UpdateReport {
  return { filesRead: 0, bytesRead: 0, problems: [...problems], unreadUntilMs: Number.NEGATIVE_INFINITY };
}
