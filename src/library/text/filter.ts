// The filters of a search → the sessions that may match, and the conditions on their documents.
import path from 'node:path';
import type { Database, Row, SqlValue } from '../index/index.ts';
import type { TextKind } from './text-extract.ts';

/** Which sessions and texts a search covers. */
export interface SearchFilter {
  /** Sessions below these roots only. */
  readonly roots: readonly string[];
  readonly isOfProject?: (session: {
    /** Its main transcript. */
    readonly path: string;
    readonly cwd: string | undefined;
    readonly project: string;
  }) => boolean;
  /** The path of a main transcript. */
  readonly session?: string;
  /** Milliseconds since 1970; `since` is included, `until` is not. */
  readonly since?: number;
  readonly until?: number;
  readonly role?: 'user' | 'assistant';
  readonly kinds?: readonly TextKind[];
  readonly tool?: string;
  /** Sessions with a call that touched this file: its path, the end of its path, or a pattern with `*` and `?`. */
  readonly file?: string;
}

/** A session with hits. */
export interface HitSession {
  readonly id: number;
  readonly sessionId: string;
  /** Its main transcript, which may be gone. */
  readonly path: string;
  readonly cwd: string | undefined;
  readonly project: string;
  readonly title: string | undefined;
  readonly endedAt: number;
}

export interface Scope {
  /** Conditions on `documents d` and `files f`, each beginning with AND; empty if everything may match. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  /** The same for `files f` alone. */
  readonly fileWhere: string;
  readonly fileValues: readonly SqlValue[];
}

/** The transcripts that a scope has documents of, and how far their text is indexed. */
export function filesOf({ fileWhere }: Scope): string {
  return `SELECT f.id, f.path, f.text_offset FROM files f WHERE true${fileWhere} ORDER BY f.id`;
}

/** What the user said, and what the model said, thought or asked a tool to do. */
export const kindsOfRole: Readonly<Record<'user' | 'assistant', readonly TextKind[]>> = {
  user: ['prompt'],
  assistant: ['answer', 'thinking', 'tool-input'],
};

export function scopeOf(database: Database, filter: SearchFilter): Scope {
  const sessions = sessionsInScope(database, filter);
  const ofFiles: [string, SqlValue][] =
    sessions === 'all' ? [] : [['f.session IN (SELECT value FROM json_each(?))', JSON.stringify(sessions)]];
  const conditions = [...ofFiles];
  if (filter.role !== undefined) {
    conditions.push(['d.kind IN (SELECT value FROM json_each(?))', JSON.stringify(kindsOfRole[filter.role])]);
  }
  if (filter.kinds !== undefined)
    conditions.push(['d.kind IN (SELECT value FROM json_each(?))', JSON.stringify(filter.kinds)]);
  if (filter.tool !== undefined) conditions.push(['d.tool = ? COLLATE NOCASE', filter.tool]);
  if (filter.since !== undefined) conditions.push([`${timeOfDocument} >= ?`, filter.since]);
  if (filter.until !== undefined) conditions.push([`${timeOfDocument} < ?`, filter.until]);
  return {
    where: conditions.map(([condition]) => ` AND ${condition}`).join(''),
    values: conditions.map(([, value]) => value),
    fileWhere: ofFiles.map(([condition]) => ` AND ${condition}`).join(''),
    fileValues: ofFiles.map(([, value]) => value),
  };
}

export function sessionOf(database: Database, id: number): HitSession | undefined {
  const row = database.prepare('SELECT * FROM sessions WHERE id = ?').get(id);
  return row === undefined ? undefined : foundSession(row);
}

/** The ids of the rows; nearly always an index holds nothing but the sessions of the roots in use. */
function sessionsInScope(database: Database, filter: SearchFilter): readonly number[] | 'all' {
  const roots = filter.roots.map((root) => `${path.resolve(root)}${path.sep}`);
  const isNarrowed = [filter.session, filter.isOfProject, filter.file].some((each) => each !== undefined);
  if (!isNarrowed && !hasOthers(database, roots)) return 'all';
  const touching = filter.file === undefined ? undefined : sessionsTouching(database, filter.file);
  return database
    .prepare('SELECT id, path, cwd, slug FROM sessions')
    .all()
    .filter((row) => roots.some((root) => String(row.path).startsWith(root)))
    .filter((row) => filter.session === undefined || row.path === filter.session)
    .filter((row) => touching === undefined || touching.has(Number(row.id)))
    .filter(
      (row) => filter.isOfProject?.({ path: String(row.path), cwd: text(row.cwd), project: String(row.slug) }) ?? true,
    )
    .map((row) => Number(row.id));
}

/** Whether the index knows sessions of other roots. */
function hasOthers(database: Database, roots: readonly string[]): boolean {
  const other = roots.map(() => 'substr(path, 1, ?) <> ?').join(' AND ') || 'true';
  const row = database
    .prepare(`SELECT 1 AS found FROM sessions WHERE ${other} LIMIT 1`)
    .get(...roots.flatMap((root) => [root.length, root]));
  return row !== undefined;
}

/** The ids of all sessions below the roots, as often as they are there. */
export function sessionIds(database: Database, roots: readonly string[]): readonly string[] {
  const below = roots.map((root) => `${path.resolve(root)}${path.sep}`);
  return database
    .prepare('SELECT path, session_id FROM sessions')
    .all()
    .filter((row) => below.some((root) => String(row.path).startsWith(root)))
    .map((row) => String(row.session_id));
}

/** Titles have no time of their own: they count as said when the session was used last. */
const timeOfDocument = 'coalesce(d.time, (SELECT s.ended_at FROM sessions s WHERE s.id = f.session))';

function foundSession(row: Row): HitSession {
  return {
    id: Number(row.id),
    sessionId: String(row.session_id),
    path: String(row.path),
    cwd: text(row.cwd),
    project: String(row.slug),
    title: text(row.title) ?? text(row.first_prompt),
    endedAt: row.ended_at === null ? Number.NaN : Number(row.ended_at),
  };
}

function text(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function sessionsTouching(database: Database, file: string): ReadonlySet<number> {
  const [condition, values] = touchedCondition(file);
  const rows = database
    .prepare(`SELECT DISTINCT f.session FROM tool_calls c JOIN files f ON f.id = c.file WHERE ${condition}`)
    .all(...values);
  return new Set(rows.map((row) => Number(row.session)));
}

/** A condition on `tool_calls c`: that the call touched a file, by its path, the end of its path, or a pattern. */
export function touchedCondition(wanted: string): readonly [condition: string, values: readonly SqlValue[]] {
  const file = wanted.replace(/^\.\//, '');
  const end = `/${file}`;
  // In GLOB a bracket opens a set; in a path it is meant literally.
  const pattern = file.replaceAll('[', '[[]');
  return /[*?]/.test(file)
    ? ['c.touched GLOB ? OR c.touched GLOB ?', [pattern, `*/${pattern}`]]
    : ['c.touched = ? OR substr(c.touched, ?) = ?', [file, -end.length, end]];
}
