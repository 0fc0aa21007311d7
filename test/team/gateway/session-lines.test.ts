// A session as lines of JSON, and back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionReader, writeSession } from '../../../src/team/gateway/push/index.ts';
import { sampleSession } from './sample-session.ts';

function read(lines: readonly string[]): unknown {
  const reader = new SessionReader();
  for (const line of lines) reader.add(line);
  return reader.end();
}

const lines = [...writeSession(sampleSession())].map((line) => line.trimEnd());

test('a session that was written is read with every value', () => {
  const session = sampleSession();
  const packs = session.packs.map((row) => ({ ...row, data: Buffer.from(row.data) }));
  assert.deepEqual(read(lines), { ...session, packs });
  assert.ok(lines.every((line) => !line.includes('\n')));
});

test('a session that lacks lines, or has others, is refused', () => {
  for (let cut = 0; cut < lines.length; cut++) assert.throws(() => read(lines.slice(0, cut)), /the session is cut off/);
  for (let left = 1; left < lines.length - 1; left++)
    assert.throws(() => read(lines.toSpliced(left, 1)), /does not have the number of rows/, lines[left]);
  assert.throws(() => read([...lines, lines[1] ?? '']), /^Error: line 14 is after the end/);
});

test('words are those that PostgreSQL writes', () => {
  const withWords = (words: unknown): readonly string[] =>
    lines.map((line) => (line.startsWith('["exchanges"') ? line.replace(`"'phello':1"`, JSON.stringify(words)) : line));
  for (const good of ['', "'a'", "'a':1", "'a':1,16383B 'b c':2", "'''':1", "'\\\\':1", "'日':1"])
    assert.doesNotThrow(() => read(withWords(good)), good);
  for (const bad of [
    'a:1',
    "'a",
    "'a':",
    "'a':1,",
    "'a''b",
    "'a'b",
    "'\\':1",
    "''",
    "'a':-1",
    "'a':1'b':2",
    '\0',
    3,
    null,
  ])
    assert.throws(() => read(withWords(bad)), /exchanges: words/, String(bad));
  assert.throws(() => read(withWords(`'${'x'.repeat(3000)}':1`)), /words/);
});

test('a file that would be written outside its folder is refused', () => {
  for (const name of ['../a', 'a/../b', '/etc/passwd', 'a//b', '.', 'a\\..\\b', 'a\nb', ''])
    assert.throws(
      () => read(lines.map((line) => line.replace('"s1.jsonl"', JSON.stringify(name)))),
      /packs: name/,
      name,
    );
});
