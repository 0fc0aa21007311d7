// A file of a repository → its versions, oldest first, each with its parents, across renames: the states that commits
// know of it.
import { linesOf } from '../lines/index.ts';
import { readBlobs } from './git.ts';
import type { Repository } from './repository.ts';

/** One state of a file. */
export interface Version {
  /** The commit; `undefined` for the file as it is on the disk. */
  readonly commit: string | undefined;
  /** Indexes in the list of versions. */
  readonly parents: readonly number[];
  readonly lines: readonly string[];
  /** When the commit was written, in milliseconds since 1970; `NaN` for the file on the disk. */
  readonly time: number;
  readonly message: string;
  /** Lines that are new here may be older: the history before it is not known. */
  readonly isCut: boolean;
}

export interface FileHistory {
  readonly versions: readonly Version[];
  /** All names that the file had, with `/`, the present one first. */
  readonly names: readonly string[];
}

export interface HistoryOptions {
  /** A full hash. */
  readonly commit: string;
  /** Relative to the root of the repository, with `/`. */
  readonly path: string;
  /** Files that sessions moved, by their new name: git finds a rename only if the content is alike. */
  readonly moves?: ReadonlyMap<string, string>;
}

/** The most versions of one file that are read, and the most bytes of one. */
const mostVersions = 3_000;
export const mostFileBytes: number = 8 * 1024 * 1024;

/** `undefined` if the commit does not have the file, or it is not text. */
export async function readHistory(
  repository: Repository,
  options: HistoryOptions,
): Promise<FileHistory | 'binary' | undefined> {
  const names = await namesOf(repository, options);
  const commits = await readLog(repository, options.commit, names);
  if (commits.length === 0) return undefined;
  nameFiles(commits, options);
  // Merges are listed even if they have nothing to do with the file.
  if (commits[0]?.blob === undefined) return undefined;
  const blobs = await readBlobs(
    repository.git,
    commits.flatMap(({ blob }) => blob ?? []),
    { mostBytesEach: mostFileBytes },
  );
  if ([...blobs.values()].some(isBinary)) return 'binary';
  return { versions: versionsOf(commits, blobs, repository.isShallow), names };
}

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

/** Git's own limit is half of the content; a file that is gone in the commit that adds this one proves more. */
const similarity = '-M30%';

/** As far as `git log --follow` and the sessions know. */
async function namesOf({ git }: Repository, { commit, path, moves }: HistoryOptions): Promise<string[]> {
  const names = new Set([path]);
  // The set grows while it is read.
  for (const start of names) {
    const output = await git.run([
      'log',
      '--follow',
      similarity,
      '-z',
      '--no-ext-diff',
      '--name-status',
      '--diff-filter=R',
      '--format=',
      commit,
      '--',
      start,
    ]);
    const fields = output?.toString('utf8').split('\0') ?? [];
    for (let i = 0; i < fields.length; i++) {
      if (!/^\s*R\d+$/.test(fields[i] as string)) continue;
      names.add(fields[i + 1] as string);
      i += 2;
    }
    for (const name of names) {
      const moved = moves?.get(name);
      if (moved !== undefined) names.add(moved);
    }
  }
  return [...names];
}

interface RawEntry {
  readonly status: string;
  readonly from: string;
  readonly to: string;
  readonly blob: string;
}

interface LoggedCommit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly time: number;
  readonly message: string;
  readonly entries: RawEntry[];
  /** The name of the file in this commit, and its content. */
  path: string | undefined;
  blob: string | undefined;
}

/** Newest first. */
async function readLog({ git }: Repository, commit: string, names: readonly string[]): Promise<LoggedCommit[]> {
  const output = await git.run([
    'log',
    '--topo-order',
    '--parents',
    '-m',
    '--raw',
    '--no-abbrev',
    '-z',
    similarity,
    '--no-ext-diff',
    '--no-textconv',
    `--max-count=${mostVersions + 1}`,
    '--format=%x01%H%x02%P%x02%at%x02%B%x02',
    commit,
    '--',
    ...names,
  ]);
  const commits = new Map<string, LoggedCommit>();
  for (const record of (output?.toString('utf8') ?? '').split(/(?:^|\0)\x01(?=[0-9a-f]{40,64}\x02)/)) {
    const [hash = '', parents = '', time = '', ...rest] = record.split('\x02');
    if (hash === '' || time === '') continue;
    const raw = rest.pop() ?? '';
    const known = commits.get(hash);
    const entry: LoggedCommit = known ?? {
      hash,
      parents: parents.split(' ').filter((each) => each !== ''),
      time: Number(time) * 1000,
      message: rest.join('\x02'),
      entries: [],
      path: undefined,
      blob: undefined,
    };
    entry.entries.push(...rawEntries(raw));
    commits.set(hash, entry);
  }
  return [...commits.values()];
}

function rawEntries(raw: string): readonly RawEntry[] {
  const fields = raw.split('\0');
  const entries: RawEntry[] = [];
  for (let i = 0; i < fields.length; i++) {
    const head = /^\s*:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*$/.exec(fields[i] as string);
    if (head === null) continue;
    const [, blob = '', status = ''] = head;
    const from = fields[i + 1] ?? '';
    const isRename = status === 'R' || status === 'C';
    entries.push({ status, from, to: isRename ? (fields[i + 2] ?? '') : from, blob });
    i += isRename ? 2 : 1;
  }
  return entries;
}

/** From the newest to the oldest: the name in a commit follows from the name in its children. */
function nameFiles(commits: readonly LoggedCommit[], { path, moves }: HistoryOptions): void {
  const byHash = new Map(commits.map((commit) => [commit.hash, commit]));
  const [newest] = commits;
  if (newest !== undefined) newest.path = path;
  for (const commit of commits) {
    const name = commit.path;
    if (name === undefined) continue;
    const own = commit.entries.filter(({ to }) => to === name);
    for (const [i, hash] of commit.parents.entries()) {
      const parent = byHash.get(hash);
      if (parent === undefined || parent.path !== undefined) continue;
      const entry = commit.parents.length === 1 ? own[0] : (own.find(({ status }) => status === 'R') ?? own[i]);
      parent.path = entry === undefined ? name : nameBefore(entry, commit, moves);
    }
  }
  for (const commit of commits.toReversed()) {
    const entry = commit.entries.find(({ to, status }) => to === commit.path && status !== 'D');
    const isGone = commit.entries.some(({ to, status }) => to === commit.path && status === 'D');
    const before = commit.parents.map((hash) => byHash.get(hash)).find((parent) => parent?.blob !== undefined);
    commit.blob = commit.path === undefined || isGone ? undefined : (entry?.blob ?? before?.blob);
  }
}

function nameBefore(
  { status, from, to }: RawEntry,
  { entries }: LoggedCommit,
  moves: ReadonlyMap<string, string> | undefined,
): string | undefined {
  if (status === 'R') return from;
  if (status !== 'A') return to;
  const seen = new Set<string>();
  for (let name = moves?.get(to); name !== undefined && !seen.has(name); name = moves?.get(name)) {
    if (entries.some((entry) => entry.status === 'D' && entry.to === name)) return name;
    seen.add(name);
  }
  // It may also have been deleted before, and is there again.
  return to;
}

function versionsOf(
  commits: readonly LoggedCommit[],
  blobs: ReadonlyMap<string, Buffer>,
  isShallow: boolean,
): readonly Version[] {
  const known = commits.slice(0, mostVersions).reverse();
  const indexOf = new Map(known.map(({ hash }, i) => [hash, i]));
  return known.map(({ hash, parents, time, message, blob }) => {
    const inside = parents.flatMap((parent) => indexOf.get(parent) ?? []);
    const bytes = blob === undefined ? undefined : blobs.get(blob);
    return {
      commit: hash,
      parents: inside,
      lines: linesOf(bytes?.toString('utf8') ?? ''),
      time,
      message,
      isCut: inside.length < parents.length || (isShallow && parents.length === 0),
    };
  });
}
