// All rows of the list → which of them belong together: forks and the session they are copies of, worktrees and their
// repository. Only what transcripts say and the shape of paths count; no folder that a transcript names is opened.
import type { ListedRow } from '../answers/index.ts';

/** Sessions are the paths of their transcripts. */
export interface Families {
  /** Whether it is a copy or has some. */
  isRelated(path: string): boolean;
  /** The session that it is a copy of. */
  originOf(path: string): string | undefined;
  /** The first origin: the session itself if it is not a copy. */
  rootOf(path: string): string;
  /** All sessions whose first origin it is. */
  forksOf(path: string): readonly string[];
  /** The repository, if the project is a worktree. */
  repositoryOf(project: string): string | null;
}

export function findFamilies(rows: readonly ListedRow[]): Families {
  const origins = findOrigins(relatedRows(rows));
  const roots = new Map([...origins.keys()].map((path) => [path, findRoot(path, origins)]));
  const forks = new Map<string, string[]>();
  for (const [path, root] of roots) {
    if (path === root) continue;
    const known = forks.get(root);
    if (known === undefined) forks.set(root, [path]);
    else known.push(path);
  }
  return {
    isRelated: (path) => roots.has(path) || forks.has(path),
    originOf: (path) => origins.get(path),
    rootOf: (path) => roots.get(path) ?? path,
    forksOf: (path) => forks.get(path) ?? [],
    repositoryOf: repositoryFinder(rows),
  };
}

/** A worktree may be entered from another one. */
const mostSteps = 4;

function repositoryFinder(rows: readonly ListedRow[]): Families['repositoryOf'] {
  const worktrees = new Map<string, string>();
  for (const { lineage } of rows)
    if (lineage.worktree !== null) worktrees.set(lineage.worktree.path, lineage.worktree.repository);
  const known = new Map<string, string | null>();
  return (project) => {
    let found = known.get(project);
    if (found !== undefined) return found;
    found = null;
    for (let i = 0, folder = project; i < mostSteps; i++) {
      const repository = worktrees.get(folder) ?? repositoryInPath(folder);
      if (repository === null || repository === project) break;
      found = repository;
      folder = repository;
    }
    known.set(project, found);
    return found;
  };
}

/** Claude Code puts worktrees into `.claude/worktrees`; `.worktrees` is a common place too. */
const worktreePath = /^(.+?)[\\/](?:\.claude[\\/]worktrees|\.worktrees)[\\/][^\\/]+/;

export function repositoryInPath(folder: string): string | null {
  return worktreePath.exec(folder)?.[1] ?? null;
}

function findRoot(path: string, origins: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let root = path;
  for (let next: string | undefined = path; next !== undefined; next = origins.get(next)) {
    if (seen.has(next)) return [...seen].sort()[0] ?? path; // transcripts that name one another
    seen.add(next);
    root = next;
  }
  return root;
}

/** The rows that may be copies or have some: most have nothing in common with any other. */
function relatedRows(rows: readonly ListedRow[]): readonly ListedRow[] {
  const named = new Set<string>();
  const [seen, shared] = [new Set<string | null>(), new Set<string | null>()];
  for (const { lineage } of rows) {
    const { forkedFrom, firstUuid } = lineage;
    if (forkedFrom !== null) named.add(forkedFrom);
    if (firstUuid === null) continue;
    if (seen.has(firstUuid)) shared.add(firstUuid);
    else seen.add(firstUuid);
  }
  if (named.size + shared.size === 0) return [];
  return rows.filter(
    ({ id, lineage }) => lineage.forkedFrom !== null || named.has(id) || shared.has(lineage.firstUuid),
  );
}

function findOrigins(rows: readonly ListedRow[]): ReadonlyMap<string, string> {
  const byId = new Map<string, ListedRow[]>();
  const byFirst = new Map<string, ListedRow>();
  for (const row of rows) {
    const same = byId.get(row.id);
    if (same === undefined) byId.set(row.id, [row]);
    else same.push(row);
    const beginning = beginningOf(row);
    if (beginning === null || row.lineage.forkedFrom !== null) continue;
    const first = byFirst.get(beginning);
    if (first === undefined || isBefore(row, first)) byFirst.set(beginning, row);
  }
  const origins = new Map<string, string>();
  for (const row of rows) {
    const { forkedFrom } = row.lineage;
    const named = forkedFrom === null ? [] : (byId.get(forkedFrom) ?? []);
    const beginning = beginningOf(row);
    const first = beginning === null ? undefined : byFirst.get(beginning);
    const origin = named.find(({ root }) => root === row.root) ?? named[0] ?? first;
    // Copies of a whole folder have the same ids: they are not forks of one another.
    if (origin !== undefined && origin.id !== row.id) origins.set(row.path, origin.path);
  }
  return origins;
}

/** What a fork has in common with its origin. A program may write the same uuids into all its transcripts. */
function beginningOf({ lineage, firstPrompt }: ListedRow): string | null {
  return lineage.firstUuid === null ? null : `${lineage.firstUuid} ${firstPrompt ?? ''}`;
}

/** A fork begins with the lines of its origin, and is used after it. */
function isBefore(a: ListedRow, b: ListedRow): boolean {
  const order = (a.startedAt ?? 0) - (b.startedAt ?? 0) || (a.endedAt ?? a.changedAt) - (b.endedAt ?? b.changedAt);
  return order === 0 ? a.path < b.path : order < 0;
}

/** A session of the list, and the forks that are listed below it. */
export interface ListEntry {
  readonly row: ListedRow;
  /** The one of them that comes first in the order of the list: it determines where all of them are. */
  readonly first: ListedRow;
  readonly forks: readonly ListedRow[];
}

const none: readonly ListedRow[] = [];

/** A fork whose origin does not pass the filter is listed too. Without `families`, all are. */
export function foldRows(found: readonly ListedRow[], families: Families | undefined): readonly ListEntry[] {
  if (families === undefined) return found.map((row) => ({ row, first: row, forks: none }));
  const listed = new Map<string, ListedRow>();
  for (const row of found) if (families.isRelated(row.path)) listed.set(row.path, row);
  const entries: ListEntry[] = [];
  const folded = new Map<ListedRow, { row: ListedRow; first: ListedRow; forks: ListedRow[] }>();
  for (const row of found) {
    if (!listed.has(row.path)) {
      entries.push({ row, first: row, forks: none });
      continue;
    }
    const lead = listed.get(families.rootOf(row.path)) ?? row;
    let entry = folded.get(lead);
    if (entry === undefined) {
      entry = { row: lead, first: row, forks: [] };
      folded.set(lead, entry);
      entries.push(entry);
    }
    if (row !== lead) entry.forks.push(row);
  }
  return entries;
}
