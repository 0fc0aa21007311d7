// Files of a repository, on the disk or in a commit → who wrote each of their lines.
import { dirname } from 'node:path';
import type { Database } from '../../library/index/index.ts';
import { isNamedAnywhere } from '../../library/text/index.ts';
import type { FileEdit, FileMove, SessionWork } from '../calls/index.ts';
import { type FileHistory, pathBelow, type Repository, readHistory, type Version } from '../history/index.ts';
import { assignEdits, replay } from '../replay/index.ts';
import { findTranscriptsOf, readArchivedWork, readTranscripts, type WorkSearch } from '../sources/index.ts';
import { ownEdits, rootOfEdit } from './checkouts.ts';
import { answerOf, type LineAnswer } from './line-answer.ts';

/** A file in a state. */
export interface Target {
  /** Relative to the repository, with `/`; absolute outside of one. */
  readonly path: string;
  /** The commit that has it, or the one that is checked out. */
  readonly commit: string | undefined;
  /** The name in that commit, if another. */
  readonly nameInCommit?: string;
  /** The lines on the disk; `undefined`: as the commit has it. */
  readonly lines?: readonly string[];
}

export interface FileAnswer {
  readonly path: string;
  readonly names: readonly string[];
  /** One for each line; empty for a file that is not text. */
  readonly lines: readonly LineAnswer[];
  /** The lines that the last version adds, from 0. */
  readonly added: ReadonlySet<number>;
  readonly isBinary: boolean;
}

export interface AnswerOptions {
  readonly database: Database;
  readonly repository: Repository | undefined;
  readonly roots: readonly string[];
  /** The archive, for sessions that are nowhere else. */
  readonly archive?: string | undefined;
  readonly onRead?: WorkSearch['onRead'];
  readonly onProblem?: WorkSearch['onProblem'];
}

export interface FilesAnswer {
  readonly files: readonly FileAnswer[];
  /** How many transcripts were read. */
  readonly transcripts: number;
}

/** As many letters of a hash as git prints at least. */
const shortHash = 7;

/** As often as a file was moved by sessions without git noticing. */
const mostMoves = 5;

export async function answerFiles(targets: readonly Target[], options: AnswerOptions): Promise<FilesAnswer> {
  let moves: ReadonlyMap<string, string> = new Map();
  let known = '';
  for (let round = 0; ; round++) {
    const histories = new Map<Target, FileHistory | 'binary'>();
    for (const target of targets) histories.set(target, await historyOf(target, options.repository, moves));
    const names = [...new Set([...histories.values()].flatMap((each) => (each === 'binary' ? [] : each.names)))];
    const search = { ...options, names };
    const transcripts = findTranscriptsOf(options.database, search);
    const work = mergeWork(await readTranscripts(transcripts, search), await archivedWork(search, targets));
    moves = movesIn(work.moves, names, options.repository);
    const found = JSON.stringify([...moves]);
    if (round < mostMoves && found !== known && moves.size > 0) {
      known = found;
      continue;
    }
    const files: FileAnswer[] = [];
    for (const [target, history] of histories) files.push(await answerFile(target, history, work, options));
    return { files, transcripts: transcripts.length };
  }
}

async function archivedWork(
  search: AnswerOptions & WorkSearch,
  targets: readonly Target[],
): Promise<SessionWork | undefined> {
  const { archive, repository } = search;
  const folders = repository?.worktrees ?? targets.map((target) => dirname(target.path));
  return archive === undefined ? undefined : readArchivedWork({ ...search, archive, folders });
}

function mergeWork(a: SessionWork, b: SessionWork | undefined): SessionWork {
  if (b === undefined) return a;
  const ids = new Set(a.edits.map(({ id }) => id));
  const edits = [...a.edits, ...b.edits.filter(({ id }) => !ids.has(id))].sort((x, y) => (x.time || 0) - (y.time || 0));
  return { edits, moves: [...a.moves, ...b.moves], commits: [...a.commits, ...b.commits] };
}

async function historyOf(
  { path, commit, nameInCommit, lines }: Target,
  repository: Repository | undefined,
  moves: ReadonlyMap<string, string>,
): Promise<FileHistory | 'binary'> {
  const name = nameInCommit ?? moves.get(path) ?? path;
  const own =
    repository === undefined || commit === undefined
      ? undefined
      : await readHistory(repository, { commit, path, moves });
  const moved =
    own === undefined && repository !== undefined && commit !== undefined && name !== path
      ? await readHistory(repository, { commit, path: name, moves })
      : undefined;
  const history = own ?? moved;
  if (history === 'binary') return history;
  const committed = history?.versions ?? [];
  const names = [...new Set([path, ...(history?.names ?? [])])];
  if (lines === undefined) return { versions: committed, names };
  const onDisk: Version = {
    commit: undefined,
    parents: committed.length === 0 ? [] : [committed.length - 1],
    lines,
    time: Number.NaN,
    message: '',
    isCut: repository === undefined,
  };
  return { versions: [...committed, onDisk], names };
}

async function answerFile(
  { path }: Target,
  history: FileHistory | 'binary',
  work: SessionWork,
  { repository, database }: AnswerOptions,
): Promise<FileAnswer> {
  if (history === 'binary') return { path, names: [path], lines: [], added: new Set(), isBinary: true };
  const { versions, names } = history;
  const edits = await ownEdits(work.edits, { repository, names, versions });
  const rootOf = (edit: FileEdit): string => rootOfEdit(edit, names);
  const isRecorded = (commit: string): boolean => isNamedAnywhere(database, commit.slice(0, shortHash));
  const found = assignEdits({ versions, edits, commits: work.commits, rootOf });
  const last = replay({ versions, ...found, rootOf, isRecorded }).at(-1);
  const origins = last?.origins ?? [];
  const lines = origins.map((origin, i) => answerOf(origin, i + 1, last?.lines[i] ?? '', versions));
  const added = new Set(origins.flatMap(({ version }, i) => (version === versions.length - 1 ? i : [])));
  return { path, names, lines, added, isBinary: false };
}

/** By the new name, both relative to the repository; folders that were moved included. */
function movesIn(
  moves: readonly FileMove[],
  names: readonly string[],
  repository: Repository | undefined,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const relative = (file: string): string | undefined =>
    repository === undefined
      ? file
      : repository.worktrees.map((root) => pathBelow(root, file)).find((name) => name !== undefined);
  for (const move of moves) {
    const from = relative(move.from);
    const to = relative(move.to);
    if (from === undefined || to === undefined) continue;
    for (const name of names) {
      if (name === to) found.set(name, from);
      else if (name.startsWith(`${to}/`)) found.set(name, `${from}${name.slice(to.length)}`);
    }
  }
  return found;
}
