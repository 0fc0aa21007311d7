// What was counted before, if nothing has changed since. Apart from the store, because a report with nothing new needs none
// of the code that reads and counts.
import path from 'node:path';
import type { Prices } from '../../models/index.ts';
import { findTranscripts, projectsFolders, type TranscriptFile, type TranscriptFiles } from '../../store/index.ts';
import {
  cellWidth,
  fileFields,
  fileWidth,
  firstOtherModel,
  readState,
  stateFile,
  type UsageHeader,
  type UsageState,
} from './state-file.ts';

/** What a report needs of a transcript. */
export interface SummedFile {
  readonly found: TranscriptFile;
  /** The main transcript of its session. */
  readonly main: string;
  readonly cwd: string | undefined;
  /** Its sums (`cellFields`). */
  readonly cells: Float64Array;
  /** The earliest time; `NaN` if no line has one. */
  readonly startedAt: number;
  /** After its last message; `NaN` if it has none. */
  readonly contextTokens: number;
  readonly contextModel: number;
}

/** The sums of all transcripts. */
export interface CountedUsage {
  files(): readonly SummedFile[];
  /** The name of a model in sums; `undefined` for none. */
  modelName(number: number): string | undefined;
}

export interface UsagePlace {
  /** Clew's own state folder; `undefined` keeps nothing on the disk. */
  readonly folder: string | undefined;
  readonly roots: readonly string[];
}

/** `usage` is `undefined` if something has changed. */
export function readCurrent(
  { folder, roots }: UsagePlace,
  prices: Prices,
): { readonly found: TranscriptFiles; readonly usage: CountedUsage | undefined } {
  const found = findTranscripts(roots);
  const folders = foldersOf(roots);
  const state = folder === undefined ? undefined : readState(stateFile(folder, folders));
  const isOurs = state?.header.folders.join('\0') === folders.join('\0');
  if (state === undefined || !isOurs || !isCurrent(state, found.files, prices.fingerprint))
    return { found, usage: undefined };
  const modelName = (number: number): string | undefined => nameOfModel(number, state.header);
  return { found, usage: { files: () => summedFiles(state, found.files), modelName } };
}

/** The folders of projects that some roots mean. */
export function foldersOf(roots: readonly string[]): readonly string[] {
  return projectsFolders(roots).map(({ projects }) => path.resolve(projects));
}

/** Whether nothing has changed. */
export function isCurrent(state: UsageState, found: readonly TranscriptFile[], prices: string): boolean {
  return state.header.prices === prices && changedFiles(state, found)?.length === 0;
}

/**
 * The numbers of the first changed files, two at most; `undefined` if there are other files. The transcripts are usually
 * found in the order in which they are known.
 */
export function changedFiles(state: UsageState, found: readonly TranscriptFile[]): readonly number[] | undefined {
  const changed: number[] = [];
  let at = 0;
  for (let i = 0; i < found.length; i++) {
    const file = found[i] as TranscriptFile;
    const end = at + file.path.length;
    if (!state.paths.startsWith(file.path, at) || state.paths.charCodeAt(end) !== 0) return undefined;
    if (changed.length < 2 && !isUnchanged(state, i, file)) changed.push(i);
    at = end + 1;
  }
  return at === state.paths.length ? changed : undefined;
}

function isUnchanged({ header, files }: UsageState, i: number, file: TranscriptFile): boolean {
  const { dev, ino, size, mtimeMs } = file;
  const at = i * fileWidth;
  return (
    files[at + fileFields.size] === size &&
    files[at + fileFields.mtimeMs] === mtimeMs &&
    (typeof ino === 'number' ? files[at + fileFields.ino] === ino : header.inodes?.[file.path] === ino) &&
    files[at + fileFields.dev] === dev
  );
}

export function joinPaths(files: readonly { readonly path: string }[]): string {
  let text = '';
  for (const file of files) text += `${file.path}\0`;
  return text;
}

export function nameOfModel(
  number: number,
  { models, otherModels }: Pick<UsageHeader, 'models' | 'otherModels'>,
): string | undefined {
  if (number === 0) return undefined;
  return number >= firstOtherModel ? otherModels[number - firstOtherModel] : models[number];
}

/** The sums of a state whose files are `found`, in this order. A plain loop: V8 takes 12 ms to optimise a generator. */
export function summedFiles(state: UsageState, found: readonly TranscriptFile[]): readonly SummedFile[] {
  const summed: SummedFile[] = [];
  let at = 0;
  for (let i = 0; i < found.length; i++) {
    const end = at + (state.files[i * fileWidth + fileFields.cells] as number) * cellWidth;
    summed.push(summedFile(state, i, found[i] as TranscriptFile, state.cells.subarray(at, end)));
    at = end;
  }
  return summed;
}

function summedFile({ header, files }: UsageState, i: number, file: TranscriptFile, cells: Float64Array): SummedFile {
  const at = i * fileWidth;
  return {
    found: file,
    main: file.mainPath ?? header.mains[file.path] ?? file.path,
    cwd: header.cwds[files[at + fileFields.cwd] as number],
    cells,
    startedAt: files[at + fileFields.startedAt] as number,
    contextTokens: files[at + fileFields.contextTokens] as number,
    contextModel: files[at + fileFields.contextModel] as number,
  };
}

/** Not `path.basename`, which takes longer than all else that a report does for a file. */
export function sessionIdOf({ main }: { readonly main: string }): string {
  return main.slice(main.lastIndexOf(path.sep) + 1, main.endsWith('.jsonl') ? -'.jsonl'.length : undefined);
}
