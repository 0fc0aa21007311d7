// The rows of all sessions in memory: it pages, sorts and filters them, and finds the session of a key. Ten thousand rows
// take a few megabytes, and answer in milliseconds while the index is busy.
import { createHash } from 'node:crypto';
import { type BackgroundJob, readJobs, relationWords } from '../../../library/lineage/index.ts';
import { cleanupDays, warningDays } from '../../../library/session-files/index.ts';
import {
  type ProjectRow,
  type SessionFilter,
  type SessionPage,
  type SessionPresence,
  type SessionRelation,
  type SessionRow,
  type SessionSort,
  type SessionsQuery,
  type Severity,
  sessionFilters,
} from '../../wire/index.ts';
import type { ListedRow } from '../answers/index.ts';
import type { ArchiveFound, CopyState } from '../archived/index.ts';
import { Refusal } from '../protocol/index.ts';
import { dateGroups } from './date-groups.ts';
import { type Families, findFamilies, foldRows, type ListEntry } from './families.ts';
import { inOrder, lastUse } from './row-order.ts';
import { type FilterWord, passesFilter, readFilter, type SearchText, searchTextOf } from './row-text.ts';

/** A session that was written this recently is live, even if no client reports that it runs. */
export const liveMs = 120_000;
const dayMs = 86_400_000;
const jobsMs = 30_000;
/** Any number of sessions may come from one. */
const mostRelations = 12;

export interface SessionListChange {
  readonly changed: readonly SessionRow[];
  readonly gone: readonly string[];
  /** Too many to list: `changed` and `gone` are empty. */
  readonly isMany: boolean;
}

export const manyRows = 200;

export class SessionList {
  readonly #rows = new Map<string, ListedRow>();
  readonly #pathsOfId = new Map<string, Set<string>>();
  /** The searched text of a row; a changed row is another object. */
  readonly #words = new WeakMap<ListedRow, SearchText>();
  #families: Families | undefined;
  #jobs: readonly BackgroundJob[] = [];
  #jobsUntil = 0;
  #sorted = new Map<string, readonly ListedRow[]>();
  #running: ReadonlyMap<string, number> = new Map();
  #live = new Set<string>();
  /** The ids of starred sessions. */
  #stars: ReadonlySet<string> = new Set();
  /** The latest copy in the archive, by path. */
  #copies: ReadonlyMap<string, CopyState> = new Map();
  /** Sessions whose transcript is gone, by path. */
  readonly #gone = new Map<string, ListedRow>();
  readonly #daysOf = new Map<string, number>();
  #pathOfKey: ReadonlyMap<string, string> | undefined;
  /** The number of rows to expect; `null`: all are here. */
  #total: number | null = 0;
  /** They are of other machines, whose folders are not on this one. */
  readonly #isStored: boolean;

  constructor({ isStored = false }: { readonly isStored?: boolean } = {}) {
    this.#isStored = isStored;
  }

  /** `total`: these are only the newest of so many rows, and the rest follows. */
  take(changed: readonly ListedRow[], gone: readonly string[], total: number | null = null): SessionListChange {
    this.#total = this.#total === null ? null : total;
    const goneKeys = gone.flatMap((path) => this.#remove(path) ?? []);
    for (const row of changed) {
      this.#gone.delete(row.path);
      this.#rows.set(row.path, row);
      this.#pathsOfId.set(row.id, (this.#pathsOfId.get(row.id) ?? new Set()).add(row.path));
    }
    this.#sorted = new Map();
    this.#families = undefined;
    this.#pathOfKey = undefined;
    this.#live = this.#liveNow();
    // A page must ask again for what the archive has, because the archive itself did not change.
    const isInArchive = gone.some((path) => this.#gone.has(path));
    if (isInArchive || changed.length + gone.length > manyRows) return { changed: [], gone: [], isMany: true };
    return { changed: changed.map((row) => this.#view(row)), gone: goneKeys, isMany: false };
  }

  /** Whether the query can be answered while only the newest rows are here. */
  covers({ sort = 'age', reverse = false, counts, offset = 0, limit = 100, ...query }: SessionsQuery): boolean {
    if (this.#total === null) return true;
    const { project, text, only, id } = query;
    const isPlain = counts !== true && [project, text, only, id].every((each) => each === undefined);
    return isPlain && sort === 'age' && !reverse && offset + limit <= this.#rows.size;
  }

  /** Sets which sessions run, and returns the rows that became live or stopped. */
  setRunning(running: ReadonlyMap<string, number>): readonly SessionRow[] {
    this.#running = running;
    const before = this.#live;
    this.#live = this.#liveNow();
    const flipped = [...before, ...this.#live].filter((path) => before.has(path) !== this.#live.has(path));
    return flipped.flatMap((path) => this.rowOf(path) ?? []);
  }

  /** Returns the rows that got or lost their star. */
  setStars(stars: ReadonlySet<string>): readonly SessionRow[] {
    const before = this.#stars;
    this.#stars = stars;
    const flipped = new Set([...before, ...stars].filter((id) => before.has(id) !== stars.has(id)));
    const paths = [...flipped].flatMap((id) => [...(this.#pathsOfId.get(id) ?? [])]);
    return paths.flatMap((path) => this.rowOf(path) ?? []);
  }

  /**
   * Sessions that an action wrote, before the index has them: their pages can be opened at once. The row of `from` is
   * copied; those that an undo has removed are removed here too.
   */
  written(
    from: string | undefined,
    to: readonly { readonly sessionId: string; readonly path: string }[],
    isThere: (path: string) => boolean,
  ): SessionListChange {
    const source = from === undefined ? undefined : this.#rowAt(from);
    const gone = to.map(({ path }) => path).filter((path) => this.#rows.has(path) && !isThere(path));
    const made = to.flatMap(({ sessionId: id, path }): readonly ListedRow[] => {
      if (source === undefined || this.#rowAt(path) !== undefined || !isThere(path)) return [];
      const unknown = { turns: null, entries: null, agents: null, costMicroUsd: null, damage: null, severity: null };
      return [{ ...source, ...unknown, id, path, changedAt: Date.now() }];
    });
    return this.take(made, gone, this.#total);
  }

  /** Returns the rows whose state in the archive is another now; `isMany` also if other sessions are only there. */
  setArchive({ copies, gone }: ArchiveFound): SessionListChange {
    const before = new Map([...this.#rows.values()].map((row) => [row.path, this.#archivedState(row)]));
    this.#copies = new Map(copies.map((copy) => [copy.path, copy]));
    const left = new Set(gone.map(({ path }) => path));
    const wasGone = [...this.#gone.keys()];
    for (const path of wasGone) if (!left.has(path)) this.#forgetGone(path);
    let isMany = wasGone.length !== left.size;
    for (const row of gone) {
      if (this.#rows.has(row.path) || this.#gone.has(row.path)) continue;
      this.#addGone(row);
      isMany = true;
    }
    const flipped = [...this.#rows.values()].filter((row) => before.get(row.path) !== this.#archivedState(row));
    if (isMany || flipped.length > manyRows) return { changed: [], gone: [], isMany: true };
    return { changed: flipped.map((row) => this.#view(row)), gone: [], isMany: false };
  }

  /** A session that is only in the archive has been read. */
  setArchived(row: ListedRow): void {
    if (this.#gone.has(row.path)) this.#gone.set(row.path, row);
  }

  #addGone(row: ListedRow): void {
    this.#gone.set(row.path, row);
    this.#pathsOfId.set(row.id, (this.#pathsOfId.get(row.id) ?? new Set()).add(row.path));
    this.#pathOfKey = undefined;
  }

  #forgetGone(path: string): void {
    const row = this.#gone.get(path);
    this.#gone.delete(path);
    this.#pathOfKey = undefined;
    if (row !== undefined && !this.#rows.has(path)) this.#pathsOfId.get(row.id)?.delete(path);
  }

  #archivedState(row: ListedRow): SessionRow['archived'] {
    const copy = this.#copies.get(row.path);
    if (copy === undefined) return null;
    return this.#gone.has(row.path) || (copy.sizeBytes === row.sizeBytes && copy.changedAt === row.changedAt)
      ? 'current'
      : 'stale';
  }

  #rowAt(path: string): ListedRow | undefined {
    return this.#rows.get(path) ?? this.#gone.get(path);
  }

  setSeverity(path: string, severity: Severity | 'sound'): void {
    const row = this.#rows.get(path);
    if (row === undefined) return;
    this.#rows.set(path, { ...row, severity });
    this.#sorted = new Map();
  }

  rowOf(path: string): SessionRow | undefined {
    const row = this.#rowAt(path);
    return row === undefined ? undefined : this.#view(row);
  }

  keyOf(path: string): string | undefined {
    const row = this.#rowAt(path);
    return row === undefined ? undefined : this.#keyOf(row);
  }

  /**
   * Accepts a key, an id, or the beginning of an id that fits only one. Copies of a project share ids: then the session
   * that was used last is meant.
   */
  pathOf(key: string): string {
    const path = this.findPath(key);
    if (path !== undefined) return path;
    const ids = this.#idsFrom(key);
    const [only] = ids;
    const abbreviated = ids.length === 1 ? this.#newest(this.#pathsOfId.get(only ?? '')) : undefined;
    if (abbreviated !== undefined) return abbreviated;
    if (ids.length > 1)
      throw new Refusal(409, `${ids.length} sessions have an id that begins with ${key}`, 'choose one of them');
    throw new Refusal(404, 'unknown session', 'go back to the list');
  }

  findPath(key: string): string | undefined {
    this.#pathOfKey ??= new Map(
      [...this.#gone.values(), ...this.#rows.values()].map((row) => [this.#keyOf(row), row.path]),
    );
    return this.#pathOfKey.get(key) ?? this.#newest(this.#pathsOfId.get(key));
  }

  #idsFrom(prefix: string): readonly string[] {
    const wanted = prefix.toLowerCase();
    if (!abbreviation.test(wanted)) return [];
    return [...this.#pathsOfId].flatMap(([id, paths]) => (paths.size > 0 && id.startsWith(wanted) ? [id] : []));
  }

  presenceOf(asked: string): SessionPresence {
    const row = this.rowOf(this.pathOf(asked));
    if (row === undefined) throw new Refusal(404, 'unknown session', 'go back to the list');
    const { key, id, isLive, changedAt, isOnDisk, archived, person } = row;
    const pid = this.#running.get(id) ?? null;
    const relations = this.#relationsOf(row.path);
    const stored = this.#isStored ? { person } : null;
    return { key, isLive, stored, isOnDisk, isArchived: archived !== null, changedAt, pid, relations };
  }

  #relationsOf(path: string): readonly SessionRelation[] {
    const relations = this.#familiesNow().relationsOf(path);
    return relations.slice(0, mostRelations).map(({ kind, sessionId: id, path: file }) => {
      const other = file === undefined ? undefined : this.#rowAt(file);
      const label = relationWords[kind];
      if (other === undefined) return { label, key: null, id: id.slice(0, 100), title: null };
      return { label, key: this.#keyOf(other), id: id.slice(0, 100), title: other.title ?? other.firstPrompt };
    });
  }

  page(query: SessionsQuery): SessionPage {
    const { sort = 'age', reverse = false, fold = false, zone, offset = 0, limit = 100 } = query;
    const words = readFilter(query.text ?? '');
    const all = query.only === 'deleted' ? this.#goneInOrder(sort) : this.#inOrder(sort);
    const found = all.filter((row) => this.#passes(row, query, words));
    const entries = foldRows(reverse ? found.toReversed() : found, fold ? this.#familiesNow() : undefined);
    const open = new Set(query.open?.split(' '));
    const items = entries.map((entry) => {
      const isOpen = entry.forks.length > 0 && open.has(this.#keyOf(entry.row));
      const sessions = entry.forks.length + 1;
      return { entry, time: lastUse(entry.first), rows: isOpen ? sessions : 1, sessions };
    });
    const left = found.length - items.reduce((sum, { rows }) => sum + rows, 0);
    return {
      rows: this.#rowsOf(items, offset, limit, fold),
      total: Math.max(found.length, this.#total ?? 0) - left,
      sessions: Math.max(found.length, this.#total ?? 0),
      groups: zone === undefined || sort !== 'age' ? [] : dateGroups(items, zone, Date.now()),
      counts: query.counts === true ? this.#counts(query) : null,
      offset,
    };
  }

  #counts({ project }: SessionsQuery): Readonly<Record<SessionFilter, number>> {
    const within = project === undefined ? {} : { project };
    const ofProject = (rows: Iterable<ListedRow>): readonly ListedRow[] =>
      [...rows].filter((row) => this.#passes(row, within, []));
    const [rows, gone] = [ofProject(this.#rows.values()), ofProject(this.#goneInOrder('age'))];
    const counted = sessionFilters.map((only) => {
      return [only, (only === 'deleted' ? gone : rows).filter((row) => this.#passes(row, { only }, [])).length];
    });
    return Object.fromEntries(counted) as Readonly<Record<SessionFilter, number>>; // one for each filter
  }

  #rowsOf(
    items: readonly { readonly entry: ListEntry; readonly rows: number }[],
    offset: number,
    limit: number,
    isFolded: boolean,
  ): readonly SessionRow[] {
    const rows: SessionRow[] = [];
    let at = 0;
    for (const { entry, rows: count } of items) {
      if (at >= offset + limit) break;
      at += count;
      if (at <= offset) continue;
      const counts = isFolded ? { forks: entry.forks.length, forksUsedAt: newestOf(entry.forks) } : {};
      const shown = [
        { ...this.#view(entry.row), ...counts },
        ...(count === 1 ? [] : entry.forks.map((row) => ({ ...this.#view(row), isBelow: true, forks: 0 }))),
      ];
      const from = at - count;
      rows.push(...shown.slice(Math.max(0, offset - from), offset + limit - from));
    }
    return rows;
  }

  /** Newest first; worktrees follow their repository. */
  projects(): readonly ProjectRow[] {
    const families = this.#familiesNow();
    const projects = new Map<string, Mutable<ProjectRow>>();
    for (const row of this.#rows.values()) {
      const repository = row.cwd === null ? null : families.repositoryOf(row.cwd);
      for (const project of repository === null ? [row.project] : [row.project, repository]) {
        const known = projects.get(project) ?? noSessions(project);
        projects.set(project, known);
        if (project === row.project) known.repository = repository;
        known.sessions++;
        known.sizeBytes += row.sizeBytes;
        if (row.costMicroUsd !== null) known.costMicroUsd = (known.costMicroUsd ?? 0) + row.costMicroUsd;
        known.costIsPart ||= row.costIsPart;
        known.changedAt = Math.max(known.changedAt, lastUse(row));
        if (this.#live.has(row.path)) known.live++;
      }
    }
    const newest = [...projects.values()].sort((a, b) => b.changedAt - a.changedAt);
    // Transcripts may name folders as repositories of one another: then they are not below anything.
    const isTop = ({ repository }: ProjectRow): boolean =>
      repository === null || projects.get(repository)?.repository !== null;
    const below = new Map<string | null, ProjectRow[]>();
    for (const row of newest) if (!isTop(row)) below.set(row.repository, [...(below.get(row.repository) ?? []), row]);
    return newest.filter(isTop).flatMap((top) => [top, ...(below.get(top.project) ?? [])]);
  }

  /** Most recently used first. */
  live(): readonly { readonly row: SessionRow; readonly pid: number | null }[] {
    this.#live = this.#liveNow();
    return this.#inOrder('age')
      .filter((row) => this.#live.has(row.path))
      .map((row) => ({ row: this.#view(row), pid: this.#running.get(row.id) ?? null }));
  }

  #remove(path: string): string | undefined {
    const row = this.#rows.get(path);
    if (row === undefined) return undefined;
    const key = this.#keyOf(row);
    this.#rows.delete(path);
    // Until the archive is read again: its latest copy may be of an earlier state.
    if (this.#copies.has(path)) this.#addGone(row);
    else this.#pathsOfId.get(row.id)?.delete(path);
    return key;
  }

  #keyOf({ id, path }: ListedRow): string {
    const isPlain = /^[\w-]{1,100}$/.test(id);
    if (isPlain && this.#pathsOfId.get(id)?.size === 1) return id;
    const mark = createHash('sha256').update(path).digest('hex').slice(0, 12);
    return isPlain ? `${id}~${mark}` : `~${mark}`;
  }

  #newest(paths: Iterable<string> | undefined): string | undefined {
    const rows = [...(paths ?? [])].flatMap((path) => this.#rowAt(path) ?? []);
    return rows.sort((a, b) => b.changedAt - a.changedAt)[0]?.path;
  }

  #view(row: ListedRow): SessionRow {
    const { root, lineage, ...shown } = row;
    const families = this.#familiesNow();
    const origin = this.#rows.get(families.originOf(row.path) ?? '');
    const forks = families.forksOf(row.path).flatMap((path) => this.#rows.get(path) ?? []);
    return {
      key: this.#keyOf(row),
      ...shown,
      repository: row.cwd === null ? null : families.repositoryOf(row.cwd),
      forkedFrom: origin === undefined ? null : this.#keyOf(origin),
      forks: forks.length,
      forksUsedAt: newestOf(forks),
      isBelow: false,
      isLive: this.#live.has(row.path),
      isStarred: this.#stars.has(row.id),
      archived: this.#archivedState(row),
      isOnDisk: !this.#gone.has(row.path),
      expiresAt: this.#gone.has(row.path) ? null : this.#expiresAt(row),
    };
  }

  #expiresAt({ root, changedAt }: ListedRow): number | null {
    if (this.#isStored) return null;
    const days = this.#daysOf.get(root) ?? cleanupDays(root);
    this.#daysOf.set(root, days);
    const expiresAt = changedAt + days * dayMs;
    return expiresAt - Date.now() <= warningDays * dayMs ? expiresAt : null;
  }

  #liveNow(): Set<string> {
    if (this.#isStored) return new Set();
    const since = Date.now() - liveMs;
    const live = [...this.#rows.values()].filter(
      (row) => (row.changedAt > since && !isCopied(row)) || this.#running.has(row.id),
    );
    return new Set(live.map(({ path }) => path));
  }

  #passes(row: ListedRow, { project, only, id }: SessionsQuery, words: readonly FilterWord[]): boolean {
    if (project !== undefined && row.project !== project && this.#familiesNow().repositoryOf(row.project) !== project)
      return false;
    if (id !== undefined && !row.id.startsWith(id.toLowerCase())) return false;
    if (only === 'live' && !this.#live.has(row.path)) return false;
    if (only === 'damaged' && !this.#isDamaged(row)) return false;
    if (only === 'expiring' && this.#expiresAt(row) === null) return false;
    if (only === 'tagged' && row.tag === null) return false;
    if (only === 'starred' && !this.#stars.has(row.id)) return false;
    if (only === 'unexamined' && row.severity !== null) return false;
    return words.length === 0 || passesFilter(this.#searchText(row), words);
  }

  #isDamaged(row: ListedRow): boolean {
    const { severity } = row;
    return (row.damage ?? 0) > 0 || severity === 'fatal' || severity === 'loss';
  }

  #searchText(row: ListedRow): SearchText {
    const known = this.#words.get(row);
    if (known !== undefined) return known;
    const text = searchTextOf(row);
    this.#words.set(row, text);
    return text;
  }

  /** The list changes more often than the jobs of the client. */
  #jobsNow(): readonly BackgroundJob[] {
    if (this.#isStored || Date.now() < this.#jobsUntil) return this.#jobs;
    this.#jobs = readJobs([...new Set([...this.#rows.values()].map(({ root }) => root))]);
    this.#jobsUntil = Date.now() + jobsMs;
    return this.#jobs;
  }

  #familiesNow(): Families {
    this.#families ??= findFamilies([...this.#rows.values()], this.#jobsNow());
    return this.#families;
  }

  #goneInOrder(sort: SessionSort): readonly ListedRow[] {
    return inOrder(this.#gone.values(), sort);
  }

  #inOrder(sort: SessionSort): readonly ListedRow[] {
    const known = this.#sorted.get(sort);
    if (known !== undefined) return known;
    const rows = inOrder(this.#rows.values(), sort);
    this.#sorted.set(sort, rows);
    return rows;
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
function newestOf(rows: readonly ListedRow[]): number | null {
  return rows.length === 0 ? null : Math.max(...rows.map(lastUse));
}

function noSessions(project: string): Mutable<ProjectRow> {
  return {
    project,
    repository: null,
    sessions: 0,
    sizeBytes: 0,
    costMicroUsd: null,
    costIsPart: false,
    changedAt: 0,
    live: 0,
  };
}

/** Fewer characters fit by chance. */
const abbreviation = /^[\da-f-]{4,36}$/;

/** A file that is much newer than its last line was copied or checked out, and is not live. */
function isCopied({ endedAt, changedAt }: ListedRow): boolean {
  return endedAt !== null && changedAt - endedAt > dayMs;
}
