// The packed rows of the session list: every value is exactly what was stored, whatever the texts contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Inode, storedInode } from '../../../src/base/files/inode.ts';
import { insertMany, type SqlValue } from '../../../src/library/index/database.ts';
import { openIndexInMemory } from '../../../src/library/index/schema.ts';
import { agentCounts, knownRows, selectKnown, sessionRows } from '../../../src/library/index/session-rows.ts';

/** Title, first prompt, time of the last change, inode. */
const stored: readonly (readonly [SqlValue, SqlValue, number, Inode])[] = [
  ['A title', 'A prompt', 1794839236385.7317, 2212739],
  [null, null, 0, 1],
  ['', '=', 1794839236385.3914, 9007199254740991],
  ['two\nlines, "quotes", \\ and 中文 👩‍👩‍👧', '=x', 1.1, 'i18446744073709551615'],
  ['the separator \x1f itself', null, 1794839236385.0002, 'i9007199254740993'],
];

test('titles, prompts, times and inodes are read as they were stored, on every page', (context) => {
  const database = openIndexInMemory();
  context.after(() => database.close());
  const count = 2300;
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  // The separator is only in the last page: the pages before it are packed.
  const valuesOf = (id: number) => stored[id > 2000 ? id % stored.length : id % (stored.length - 1)];
  const sessions = ids.map((id) => [id, `/p/${id}.jsonl`, `${id}`, '-p', '/', ...(valuesOf(id)?.slice(0, 2) ?? [])]);
  const files = ids.map((id) => [id, `/p/${id}.jsonl`, id, 7, valuesOf(id)?.[3] ?? 0, id, valuesOf(id)?.[2] ?? 0]);
  insertMany(database, 'INSERT INTO sessions (id, path, session_id, slug, root, title, first_prompt)', 7, sessions);
  const columns = 'id, path, session, dev, ino, size, mtime_ms, offset, line, head_hash, tail_hash';
  const rest = [0, 0, '', ''];
  insertMany(
    database,
    `INSERT INTO files (${columns})`,
    11,
    files.map((file) => [...file, ...rest]),
  );
  const rows = [...sessionRows(database)].sort((a, b) => Number(a.id) - Number(b.id));
  assert.deepEqual(
    rows.map((row) => [row.id, row.path, row.title, row.first_prompt, Number(row.mtime_ms), storedInode(row.ino)]),
    ids.map((id) => [id, `/p/${id}.jsonl`, ...(valuesOf(id) ?? [])]),
  );
  assert.deepEqual([rows[0]?.tag, rows[0]?.dev, rows[0]?.file_size, rows[0]?.verdict], [null, 7, 1, null]);
  const agent = [count + 1, '/p/9/subagents/agent-a.jsonl', 9, 7, 5, 1, 1, ...rest, 'a'];
  insertMany(database, `INSERT INTO files (${columns}, agent_id)`, 12, [
    agent,
    [count + 2, '/b', 9, ...agent.slice(3)],
  ]);
  assert.deepEqual([...agentCounts(database)], [[9, 2]]);
  assert.equal([...sessionRows(database)].length, count);
});

test('what is known of a session is the same packed and read value by value', (context) => {
  const database = openIndexInMemory();
  context.after(() => database.close());
  const words = ['plain', null, '', '"quoted" \\ \u0001\u2028 中文 👩‍👩‍👧', '["json"]', '12'];
  const names = ['title', 'first_prompt', 'cwd', 'tag', 'forked_from', 'first_uuid', 'git_branch', 'model'];
  const numbers = ['own_started_at', 'started_at', 'ended_at', 'entries', 'turns', 'agents', 'damage'];
  const sessions = Array.from({ length: 1100 }, (_, i): SqlValue[] => {
    const texts = [...names, 'worktree', 'pull_requests'].map((_name, at) => words[(i + at) % words.length] ?? null);
    const counts = numbers.map((_name, at) => ((i + at) % 3 === 0 ? null : 1_794_839_236_385 + i * at));
    return [i + 1, `/p/${i}.jsonl`, `${i}`, '-p', '/', ...texts, ...counts];
  });
  const columns = ['id', 'path', 'session_id', 'slug', 'root', ...names, 'worktree', 'pull_requests', ...numbers];
  insertMany(database, `INSERT INTO sessions (${columns.join(', ')})`, columns.length, sessions);
  insertMany(database, 'INSERT INTO verdicts', 3, [['/p/7.jsonl', '1.2.3 4 5', 'loss']]);
  const byPath = (rows: Iterable<object>) => new Map([...rows].map((row) => [(row as { main: string }).main, row]));
  const packed = byPath(knownRows(database));
  const plain = byPath(database.prepare(selectKnown).all());
  assert.equal(packed.size, sessions.length);
  for (const [path, row] of plain) assert.deepEqual({ ...packed.get(path) }, { ...row });
  const seventh = { ...packed.get('/p/7.jsonl') } as Record<string, SqlValue>;
  assert.deepEqual([seventh.verdict, seventh.verdict_state], ['loss', '1.2.3 4 5']);
});
