// Every session of the index as a row for the list. SQLite packs a thousand sessions into one text, because a row object of
// thirty values costs ten times as much to create as its values cost to read.
import type { Database, Row, SqlValue } from './database.ts';

const sessionColumns = [
  'id',
  'path',
  'session_id',
  'slug',
  'root',
  'cwd',
  'summary_state',
  'is_foreign',
  'own_started_at',
  'own_ended_at',
  'entries',
  'turns',
  'agents',
  'own_size',
  'diagnostics',
  'damage',
  'tag',
  'forked_from',
  'first_uuid',
  'origin',
  'git_branch',
  'model',
  'worktree',
  'pull_requests',
] as const;

/** JSON has only 15 digits of such a number; a text with 17 is exact. */
function exact(column: string): string {
  return `iif(typeof(${column}) = 'real', printf('%!.17g', ${column}), ${column})`;
}

const fileColumns: Readonly<Record<string, string>> = {
  dev: exact('f.dev'),
  ino: 'f.ino',
  file_size: 'f.size',
  mtime_ms: exact('f.mtime_ms'),
  verdict_state: 'v.state',
  verdict: 'v.verdict',
};

/** Long texts, which JSON would escape and parse. */
const textNames = ['title', 'first_prompt'];
const separator = '\x1f';
const texts = textNames.map((name) => `coalesce('=' || s.${name}, '')`);
const page = `WHERE s.id IN (SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?)`;
const lastOfPage = 'SELECT max(id) AS last FROM (SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?)';

interface PackedQuery {
  /** Of the values in JSON. */
  readonly names: readonly string[];
  readonly packed: string;
  /** The same without packing. */
  readonly plain: string;
}

/** `columns`: their values by name. */
function packedQuery(columns: Readonly<Record<string, string>>, tables: string): PackedQuery {
  return {
    names: Object.keys(columns),
    // Both lists are filled in one pass over the rows, so they have the same order.
    packed: `SELECT json_group_array(json_array(${Object.values(columns).join(', ')})) AS packed,
      group_concat(${texts.join(' || char(31) || ')}, char(31)) AS texts ${tables} ${page}`,
    plain: `SELECT ${plainColumns(columns)} ${tables} ${page}`,
  };
}

function plainColumns(columns: Readonly<Record<string, string>>): string {
  const named = Object.entries(columns).map(([name, value]) => `${value} AS ${name}`);
  return [...named, ...textNames.map((name) => `s.${name}`)].join(', ');
}

const listedQuery = packedQuery(
  { ...Object.fromEntries(sessionColumns.map((name) => [name, `s.${name}`])), ...fileColumns },
  'FROM sessions s JOIN files f ON f.path = s.path AND f.agent_id IS NULL LEFT JOIN verdicts v ON v.path = s.path',
);

/** What is known of a session without its files, by the names of the values. */
const knownColumns: Readonly<Record<string, string>> = {
  main: 's.path',
  cwd: 's.cwd',
  is_foreign: 's.is_foreign',
  ended_at: 's.ended_at',
  started_at: 'coalesce(s.own_started_at, s.started_at)',
  entries: 's.entries',
  turns: 's.turns',
  agents: 's.agents',
  damage: 's.damage',
  tag: 's.tag',
  forked_from: 's.forked_from',
  first_uuid: 's.first_uuid',
  origin: 's.origin',
  git_branch: 's.git_branch',
  model: 's.model',
  worktree: 's.worktree',
  pull_requests: 's.pull_requests',
  verdict_state: 'v.state',
  verdict: 'v.verdict',
};
const knownTables = 'FROM sessions s LEFT JOIN verdicts v ON v.path = s.path';
const knownQuery = packedQuery(knownColumns, knownTables);
/** `knownRows` without packing, for a few of them. */
export const selectKnown: string = `SELECT ${plainColumns(knownColumns)} ${knownTables}`;

const sessionsAtOnce = 1000;

/** In no order. */
export function sessionRows(database: Database): Generator<Row> {
  return rowsOf(database, listedQuery);
}

/** In no order; also sessions whose files are gone. */
export function knownRows(database: Database): Generator<Row> {
  return rowsOf(database, knownQuery);
}

/** `sessionsAtOnce` is small enough for titles of a hundred thousand characters. */
function* rowsOf(database: Database, { names, packed, plain }: PackedQuery): Generator<Row> {
  for (let after = -1; ; ) {
    const last = database.prepare(lastOfPage).get(after, sessionsAtOnce)?.last;
    if (typeof last !== 'number') return;
    const found = database.prepare(packed).get(after, sessionsAtOnce);
    yield* unpackRows(names, found) ?? database.prepare(plain).all(after, sessionsAtOnce);
    after = last;
  }
}

/** `undefined` if a text contains the separator. */
function unpackRows(names: readonly string[], packed: Row | undefined): readonly Row[] | undefined {
  const rows = JSON.parse(String(packed?.packed)) as readonly (readonly SqlValue[])[]; // written by SQLite
  const parts = rows.length === 0 ? [] : String(packed?.texts).split(separator);
  if (parts.length !== rows.length * textNames.length) return undefined;
  return rows.map((row, at) => {
    const made: Record<string, SqlValue> = {};
    for (let i = 0; i < names.length; i++) made[names[i] as string] = row[i] as SqlValue;
    for (let i = 0; i < textNames.length; i++) {
      const text = parts[at * textNames.length + i] as string;
      made[textNames[i] as string] = text === '' ? null : text.slice(1);
    }
    return made;
  });
}

/** How many agents the index knows of, by the id of their session. */
export function agentCounts(database: Database): ReadonlyMap<number, number> {
  const row = database.prepare('SELECT json_group_array(session) AS list FROM files WHERE agent_id IS NOT NULL').get();
  const counts = new Map<number, number>();
  for (const session of JSON.parse(String(row?.list)) as readonly number[])
    counts.set(session, (counts.get(session) ?? 0) + 1);
  return counts;
}
