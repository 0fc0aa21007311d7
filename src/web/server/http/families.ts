// All rows of the list → which of them belong together: forks and the session they are copies of, worktrees and their
// repository. Only what transcripts say and the shape of paths count; no folder that a transcript names is opened.
import {
  type BackgroundJob,
  findRelations,
  type MarkedSession,
  type Relation,
  type RelationKind,
  type RepositoryOf,
  repositoryFinder,
} from '../../../library/lineage/index.ts';
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
  /** Where it came from, and what came from it. */
  relationsOf(path: string): readonly Relation[];
  /** The repository, if the project is a worktree. */
  readonly repositoryOf: RepositoryOf;
}

export function findFamilies(rows: readonly ListedRow[], jobs: readonly BackgroundJob[] = []): Families {
  // What one person has is not a copy of what another one has.
  const people = new Map<string | null, ListedRow[]>();
  for (const row of rows) {
    const known = people.get(row.person);
    if (known === undefined) people.set(row.person, [row]);
    else known.push(row);
  }
  const found = [...people.values()].map((own) => findRelations(own.map(markedRow), { jobs }));
  const related = new Map(found.flatMap((each) => [...each.related].map((path) => [path, each] as const)));
  const origins = new Map<string, string>();
  for (const [path, relations] of related) {
    const origin = relations.originsOf(path).find((each) => folded.has(each.kind))?.path;
    if (origin !== undefined) origins.set(path, origin);
  }
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
    relationsOf: (path) => related.get(path)?.of(path) ?? [],
    repositoryOf: repositoryFinder(rows.map(({ lineage }) => lineage)),
  };
}

function findRoot(path: string, origins: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let root = path;
  for (let next: string | undefined = path; next !== undefined; next = origins.get(next)) {
    if (seen.has(next)) break;
    seen.add(next);
    root = next;
  }
  return root;
}

/** Their conversation begins with that of their origin: the list shows them below it. */
const folded: ReadonlySet<RelationKind> = new Set(['fork-of', 'background-of', 'copy-of']);

function markedRow(row: ListedRow): MarkedSession {
  const { id, path, root, cwd, firstPrompt, lineage, startedAt, endedAt, changedAt, turns } = row;
  return {
    sessionId: id,
    path,
    root,
    cwd: cwd ?? undefined,
    firstPrompt: firstPrompt ?? undefined,
    forkedFrom: lineage.forkedFrom ?? undefined,
    firstUuid: lineage.firstUuid ?? undefined,
    origin: lineage.origin,
    startedAt: startedAt ?? 0,
    endedAt: endedAt ?? changedAt,
    turns: turns ?? Number.NaN,
  };
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
