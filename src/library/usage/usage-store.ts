// What was counted in all transcripts of some roots: brought up to date, kept on the disk, and asked by reports.
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode, type UserError } from '../../base/errors/index.ts';
import { readInode } from '../../base/files/index.ts';
import type { PriceList } from '../../models/index.ts';
import { type CountedMessage, countUsage, type UsageLine } from '../../session/usage/index.ts';
import {
  type DiskProblem,
  findTranscripts,
  projectsFolders,
  type TranscriptFile,
  type TranscriptFiles,
  type TranscriptPlace,
  transcriptPlace,
} from '../../store/index.ts';
import { joinParts, meetsOthers, PackedRows, RowScanner } from '../rows/index.ts';
import { type CountOptions, countAlone, inOrder, linesOf } from './count-files.ts';
import {
  advance,
  type CountedFile,
  countedFileAt,
  countedFiles,
  newPart,
  type Offsets,
  type RowPart,
  stateOf,
  withFile,
} from './counted-files.ts';
import {
  type CountedUsage,
  changedFiles,
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
  fileFields,
  fileWidth,
  firstOtherModel,
  partWidth,
  readAligned,
  readRange,
  readState,
  stateFile,
  stateProblem,
  type UsageHeader,
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

  /** The size of the state on the disk; 0 if there is none. */
  get keptBytes(): number {
    return this.#file === undefined ? 0 : (statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0);
  }

  /** Reads what is new since the last time. */
  update(options: UpdateOptions): UsageUpdate {
    const { files: found, problems } = options.found ?? findTranscripts(this.#roots);
    this.#load();
    this.#options = options;
    const report = newReport(problems);
    const isDone = this.#isCurrent(found, options.prices) || this.#advanceOne(found, options, report);
    const saveError = isDone ? undefined : this.#advance(found, options, report);
    return { files: found.length, ...report, saveError };
  }

  /**
   * The sums as an update would leave them, without writing anything: a hook runs too often to replace the state each time.
   * `undefined` if that takes an update: several files have changed, or so much is new that it should be kept.
   */
  peek(options: UpdateOptions & { readonly found: TranscriptFiles }): CountedUsage | undefined {
    const { files: found } = options.found;
    this.#load();
    if (this.#isCurrent(found, options.prices)) return this;
    try {
      const one = this.#readOne(found, options, newReport([]), peekBytes);
      if (one === undefined) return undefined;
      countAlone(one.file, this.#countOptions(options.prices));
      const files = [...summedFiles(one.state, found)];
      files[one.i] = one.file;
      return { files: () => files, modelName: (number) => this.modelName(number) };
    } catch (error) {
      if (error instanceof BrokenRows || systemErrorCode(error) !== undefined) return undefined;
      throw error;
    }
  }

  /** The sums of each transcript, as of the last update. */
  files(): readonly SummedFile[] {
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
    this.#partsRead = 0;
    this.#otherModels = [];
    this.#prices = '';
  }

  #isCurrent(found: readonly TranscriptFile[], { prices }: PriceList): boolean {
    if (this.#state === undefined || this.#counted !== undefined) return false;
    if (!isCurrent(this.#state, found, prices.fingerprint)) return false;
    this.#found = found;
    return true;
  }

  /**
   * For one changed file that shares no message, by far the most frequent change: nothing of the others is unpacked. False
   * if it is another change.
   */
  #advanceOne(found: readonly TranscriptFile[], options: UpdateOptions, report: UpdateReport): boolean {
    const own = newReport([]);
    const one = this.#readOne(found, options, own, Number.POSITIVE_INFINITY);
    if (one === undefined) return false;
    const { state, i, at, before, file } = one;
    try {
      countAlone(file, this.#countOptions(options.prices));
      this.#keepOne(state, i, at, before, file);
    } catch (error) {
      // The usual way writes all rows again, or says what the disk refuses.
      if (error instanceof BrokenRows || systemErrorCode(error) !== undefined) return false;
      throw error;
    }
    this.#found = found;
    report.filesRead += own.filesRead;
    report.bytesRead += own.bytesRead;
    return true;
  }

  /** The one changed file, with its new lines; `undefined` if it is another change, or more bytes are new. */
  #readOne(
    found: readonly TranscriptFile[],
    options: UpdateOptions,
    report: UpdateReport,
    mostBytes: number,
  ): OneChange | undefined {
    const state = this.#state;
    if (state === undefined || this.#counted !== undefined || options.prices.prices.fingerprint !== this.#prices)
      return undefined;
    const [i = -1, ...more] = changedFiles(state, found) ?? [];
    const place = found[i];
    if (place === undefined || more.length > 0) return undefined;
    const at: Offsets = { cells: 0, parts: 0, keys: 0 };
    for (let each = 0; each < i; each++) advance(at, state, each);
    const before = countedFileAt(state, i, at, place, state.proofs.split('\0'));
    if (place.size - before.offset > mostBytes) return undefined;
    this.#scanner ??= new RowScanner(this.#models);
    const { files, changed } = readNewLines([place], [before], this.#scanner, options, report);
    const [file] = files;
    if (file === undefined || !changed.has(file) || this.#concernsOthers(state, found, before, file, at))
      return undefined;
    return { state, i, at, before, file };
  }

  #concernsOthers(
    state: UsageState,
    found: readonly TranscriptFile[],
    before: CountedFile,
    file: CountedFile,
    { keys }: Offsets,
  ): boolean {
    if (before.isShared || before.main !== file.main || before.origins.join('\0') !== file.origins.join('\0'))
      return true;
    if (meetsOthers(file.keys, state.keys, keys, keys + before.keys.length)) return true;
    // Its times may decide which of the sessions with a shared message is older.
    const { files, header } = state;
    return found.some(
      ({ path: each, mainPath }, i) =>
        files[i * fileWidth + fileFields.isShared] === 1 && (mainPath ?? header.mains[each] ?? each) === file.main,
    );
  }

  #keepOne(state: UsageState, i: number, at: Offsets, before: CountedFile, file: CountedFile): void {
    joinManyParts(file, this.#rowsOf);
    const bytesOf = (parts: readonly RowPart[]): number => parts.reduce((sum, { length }) => sum + length, 0);
    let live = bytesOf(file.parts) - bytesOf(before.parts);
    for (let part = 0; part < state.parts.length; part += partWidth) live += state.parts[part + 1] as number;
    const rows = this.#appendParts(file.parts, live);
    if (rows === undefined || this.#file === undefined) throw new BrokenRows();
    const names = { ...state.header, models: this.#models, otherModels: this.#otherModels };
    const saved = withFile(state, i, at, file, { ...names, ...rows });
    writeState(this.#file, saved);
    this.#state = saved;
    this.#mark = markOf(this.#file);
  }

  /** Writes the parts that are not on the disk; `undefined` if all rows must be written again. */
  #appendParts(parts: readonly RowPart[], live: number): Pick<UsageHeader, 'rowsFile' | 'rowsBytes'> | undefined {
    const before = this.#state?.header;
    if (before === undefined || before.rowsBytes > 2 * live + smallWaste) return undefined;
    const { rowsFile, rowsBytes } = before;
    const fresh = parts.filter(({ at }) => at === -1);
    if (fresh.length === 0) return { rowsFile, rowsBytes };
    const bytes = fresh.map(({ rows }) => (rows as PackedRows).bytes); // new parts have rows
    // Another process writes to it, or was killed before it could say what it wrote.
    if (!appendRows(this.#rowsFile(rowsFile), rowsBytes, bytes)) return undefined;
    return { rowsFile, rowsBytes: placeParts(fresh, rowsBytes) };
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
    const advanced = readNewLines(found, before, this.#scanner, options, report);
    const { prices } = options.prices;
    const hasNewPrices = this.#prices !== prices.fingerprint;
    this.#counted = advanced.files;
    if (advanced.changed.size === 0 && advanced.removed.length === 0 && !hasNewPrices) return undefined;
    recount(advanced, hasNewPrices, this.#countOptions(options.prices));
    for (const file of advanced.changed.keys()) joinManyParts(file, this.#rowsOf);
    this.#prices = prices.fingerprint;
    try {
      this.#save(advanced.files);
      return undefined;
    } catch (error) {
      return error instanceof OtherWriter ? undefined : stateProblem(error, this.#file ?? '');
    }
  }

  #countOptions(prices: PriceList): CountOptions {
    return { prices, models: this.#models, modelNumber: this.#modelNumber, rowsOf: this.#rowsOf };
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

  #rows: { readonly name: string; readonly bytes: Buffer } | undefined;
  #partsRead = 0;

  #rowsOf = (file: CountedFile): readonly PackedRows[] =>
    file.parts.map((part) => {
      part.rows ??= this.#readPart(part);
      return part.rows;
    });

  #readPart({ at, length, sum }: RowPart): PackedRows {
    try {
      const bytes = this.#readRows(at, length);
      if (bytes.length === length && checksum(bytes) === sum) return new PackedRows(bytes);
    } catch {
      // Unreadable, or not rows: handled below.
    }
    throw new BrokenRows();
  }

  /** Few parts are read one by one, many with the whole file. */
  #readRows(at: number, length: number): Buffer {
    const name = this.#state?.header.rowsFile ?? '';
    const known = this.#rows?.name === name ? this.#rows.bytes : undefined;
    if (known !== undefined && at + length <= known.length) return known.subarray(at, at + length);
    this.#partsRead += 1;
    if (this.#partsRead <= fewParts) return readRange(this.#rowsFile(name), at, length);
    this.#rows = { name, bytes: readAligned(this.#rowsFile(name)) };
    return this.#rows.bytes.subarray(at, at + length);
  }

  #rowsFile(name: string): string {
    return path.join(path.dirname(this.#file ?? ''), name);
  }

  #save(counted: readonly CountedFile[]): void {
    if (this.#file === undefined) return;
    const all = counted.flatMap(({ parts }) => parts);
    const live = all.reduce((sum, { length }) => sum + length, 0);
    const appended = this.#appendParts(all, live);
    const rows = appended ?? this.#writeParts(counted);
    const names = { folders: this.#folders, models: this.#models, otherModels: this.#otherModels };
    const state = stateOf(counted, { ...names, prices: this.#prices, ...rows });
    writeState(this.#file, state);
    if (appended === undefined) this.#removeOtherRows(rows.rowsFile);
    this.#state = state;
    this.#mark = markOf(this.#file);
  }

  /** All rows into a new file. */
  #writeParts(counted: readonly CountedFile[]): Pick<UsageHeader, 'rowsFile' | 'rowsBytes'> {
    const rows = counted.flatMap((file) => this.#rowsOf(file).map(({ bytes }) => bytes));
    const rowsFile = `${path.basename(this.#file ?? '', '.state')}-${process.pid}-${Date.now().toString(36)}.rows`;
    if (!appendRows(this.#rowsFile(rowsFile), 0, rows)) throw new OtherWriter();
    const parts = counted.flatMap((file) => file.parts);
    return { rowsFile, rowsBytes: placeParts(parts, 0) };
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

/** So much may be read again by each of many calls before it is kept. */
const peekBytes = 256 * 1024;

interface OneChange {
  readonly state: UsageState;
  /** The number of the file. */
  readonly i: number;
  /** Where its numbers begin in the state. */
  readonly at: Offsets;
  readonly before: CountedFile;
  readonly file: CountedFile;
}

function markOf(file: string): string | undefined {
  try {
    const stats = statSync(file);
    return `${readInode(file, stats)} ${stats.mtimeMs} ${stats.size}`;
  } catch {
    return undefined; // there is none, or it cannot be read: then it is written again
  }
}

/** Rows that no file refers to any more may take this much, and as much again as all others. */
const smallWaste = 1024 * 1024;

/** The file of rows is not what the state says. */
class BrokenRows extends Error {}

/** Another process writes to the same file. */
class OtherWriter extends Error {}

/** Where the parts are, one after the other from `start`; returns their end. */
function placeParts(parts: readonly RowPart[], start: number): number {
  let end = start;
  for (const part of parts) {
    part.at = end;
    end += part.length;
  }
  return end;
}

const fewParts = 64;

/** A live session gets a part with every update. */
const maxParts = 16;

function joinManyParts(file: CountedFile, rowsOf: (file: CountedFile) => readonly PackedRows[]): void {
  if (file.parts.length > maxParts) file.parts = [newPart(joinParts(rowsOf(file)))];
}

function newReport(problems: readonly DiskProblem[]): UpdateReport {
  return { filesRead: 0, bytesRead: 0, problems: [...problems], unreadUntilMs: Number.NEGATIVE_INFINITY };
}
