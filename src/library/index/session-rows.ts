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
  ino: exact('f.ino'),
  file_size: 'f.size',
  mtime_ms: exact('f.mtime_ms'),
  verdict_state: 'v.state',
  verdict: 'v.verdict',
};

const names: readonly string[] = [...sessionColumns, ...Object.keys(fileColumns)];
const values = [...sessionColumns.map((name) => `s.${name}`), ...Object.values(fileColumns)];
/** Long texts, which JSON would escape and parse. */
const textNames = ['title', 'first_prompt'];
const separator = '\x1f';
const texts = textNames.map((name) => `coalesce('=' || s.${name}, '')`);
const tables = `
FROM sessions s JOIN files f ON f.path = s.path AND f.agent_id IS NULL LEFT JOIN verdicts v ON v.path = s.path`;
const page = `WHERE s.id IN (SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?)`;
// Both lists are filled in one pass over the rows, so they have the same order.
const packedRows = `
SELECT json_group_array(json_array(${values.join(', ')})) AS packed,
  group_concat(${texts.join(' || char(31) || ')}, char(31)) AS texts ${tables} ${page}`;
const plainRows = `
SELECT ${names.map((name, i) => `${values[i]} AS ${name}`).join(', ')}, ${textNames.map((name) => `s.${name}`).join(', ')}
${tables} ${page}`;
const lastOfPage = 'SELECT max(id) AS last FROM (SELECT id FROM sessions WHERE id > ? ORDER BY id LIMIT ?)';

const sessionsAtOnce = 1000;

/** In no order. `sessionsAtOnce` is small enough for titles of a hundred thousand characters. */
export function* sessionRows(database: Database): Generator<Row> {
  for (let after = -1; ; ) {
    const last = database.prepare(lastOfPage).get(after, sessionsAtOnce)?.last;
    if (typeof last !== 'number') return;
    const packed = database.prepare(packedRows).get(after, sessionsAtOnce);
    yield* unpackRows(packed) ?? database.prepare(plainRows).all(after, sessionsAtOnce);
    after = last;
  }
}

/** `undefined` if a text contains the separator. */
function unpackRows(packed: Row | undefined): readonly Row[] | undefined {
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
