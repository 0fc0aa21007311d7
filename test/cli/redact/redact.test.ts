// The command: what it prints never holds a value, what it writes is redacted in the archive too, and --check says no.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray } from '../../../src/base/json/json.ts';
import { ChunkReader } from '../../../src/library/archive/pack/chunks.ts';
import { readContents } from '../../../src/library/archive/pack/contents.ts';
import { cleanEnv, jsonOf, type Run, runClew } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { filesBelow } from '../../support/paths.ts';
import { benchWith, contentsOf } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;
const placeholder = '[redacted:github-token:1]';

test('a redacted session is a new one; the table names kinds, places and what to rotate, never a value', (t) => {
  const { run, bench } = library(t);
  const { status, stdout } = run('redact', sessionId);
  assert.equal(status, 0);
  assert.match(stdout, /^redact .* → [0-9a-f-]{36}$/m);
  assert.match(stdout, /\[redacted:github-token:1\] {2}3 places: lines 1, 2 \(turn 1\); tool-results\/a\.txt line 2$/m);
  assert.match(stdout, /^ {4}github-token: .+/m);
  assert.match(stdout, /the original still holds them; `clew redact .* --in-place`/);
  assert.ok(!stdout.includes(token.slice(5)));
  assert.ok(readFileSync(bench.main, 'utf8').includes(token));
});

test('JSON has the shape of all operations and the secrets with their places', (t) => {
  const { env, bench } = library(t);
  const value = asObject(jsonOf(['redact', sessionId, '--dry-run', '--json', '--root', bench.root], { env }));
  assert.deepEqual([value?.operation, value?.written, value?.changed], ['redact', false, 2]);
  const [secret] = isArray(value?.secrets) ? value.secrets : [];
  assert.deepEqual(
    { ...asObject(secret), rotate: '' },
    {
      kind: 'github-token',
      placeholder,
      count: 3,
      rotate: '',
      places: [
        { file: bench.main, line: 1, turn: 1, excerpt: '"content":"use ghp_********' },
        { file: bench.main, line: 2, turn: 1, excerpt: '"text":"yes, ghp_********' },
        {
          file: path.join(bench.folder, sessionId, 'tool-results/a.txt'),
          line: 2,
          turn: null,
          excerpt: 'ghp_********',
        },
      ],
    },
  );
});

test('in place the archive loses its copies and gets the redacted one; without a backup no copy is left', (t) => {
  const { run, bench, env } = library(t);
  run('archive');
  writeFileSync(bench.main, `${readFileSync(bench.main, 'utf8')}\n`);
  run('archive');
  const { status, stdout } = run('redact', sessionId, '--in-place', '--no-backup');
  assert.equal(status, 0, stdout);
  assert.match(stdout, /2 copies in the archive held them and were replaced by the redacted one/);
  assert.ok(!stdout.includes('clew undo'));
  for (const [name, bytes] of contentsOf(path.dirname(bench.root))) assert.ok(!bytes.includes(token), name);
  const contents = readContents(path.join(env.CLEW_HOME, 'archive'));
  const reader = new ChunkReader(contents);
  const chunks = Array.from({ length: contents.next }, (_, chunk) => reader.read(chunk).toString('latin1')).join('\n');
  assert.ok(!chunks.includes(token) && chunks.includes(placeholder));
  assert.equal(run('archive', '--verify').status, 0);
  const undo = run('undo');
  assert.deepEqual([undo.status, /has no backup/.test(undo.stderr)], [2, true]);
});

test('a session without secrets is left alone', (t) => {
  const { run, bench } = library(t, 'nothing');
  const before = filesBelow(bench.root, '').length;
  const { status, stdout } = run('redact', sessionId);
  assert.equal(status, 0);
  assert.match(stdout, /^no secrets found in \S+; nothing was written\n$/);
  assert.equal(filesBelow(bench.root, '').length, before);
});

test('--check answers with its exit code, for sessions, files, stdin and the whole library', (t) => {
  const dirty = library(t);
  const clean = library(t, 'nothing');
  const note = path.join(dirty.bench.root, 'note.md');
  writeFileSync(note, `one\ntwo ${token}\n`);
  assert.deepEqual(
    [
      dirty.run('redact', '--check', sessionId),
      dirty.run('redact', '--check', '--all'),
      dirty.run('redact', '--check', note),
      dirty.run('redact', '--check', sessionId, '--allow', token),
      dirty.run('redact', '--check', sessionId, '--kind', 'npm-token'),
      clean.run('redact', '--check', '--all'),
      piped(`a\n${token}`),
      piped('nothing'),
      dirty.run('redact', '--check'),
      dirty.run('redact', '--check', sessionId, '--kind', 'no-such-kind'),
      dirty.run('redact', sessionId, '--no-backup'),
    ].map(({ status }) => status),
    [1, 1, 1, 0, 0, 0, 1, 0, 2, 2, 2],
  );
  const { stdout } = dirty.run('redact', '--check', note);
  assert.match(stdout, /note\.md: 1 secret\n.*\n {4}github-token {2}line 2: two ghp_\*{8}\n/);
  assert.ok(!stdout.includes(token.slice(5)));
});

test('rules of a user count, from --rules and from redact.json in the state folder', (t) => {
  const { run, bench, env } = library(t, 'BADGE-123456');
  const rules = path.join(bench.root, 'rules.json');
  const text = JSON.stringify({ rules: [{ kind: 'badge', pattern: 'BADGE-(\\d{6})', keywords: ['BADGE-'] }] });
  writeFileSync(rules, text);
  assert.equal(run('redact', '--check', sessionId).status, 0);
  assert.equal(run('redact', '--check', sessionId, '--rules', rules).status, 1);
  run('archive');
  writeFileSync(path.join(env.CLEW_HOME, 'redact.json'), text);
  assert.equal(run('redact', '--check', sessionId).status, 1);
});

function library(t: TestContext, said: string = token) {
  const text = transcript().user(`use ${said}`).assistant(`yes, ${said}`).user('more').assistant('done').text();
  const bench = benchWith(t, sessionId, text, { [`${sessionId}/tool-results/a.txt`]: `first\n${said}\n` });
  const env = { CLEW_HOME: bench.env.CLEW_HOME };
  return { bench, env, run: (...words: string[]): Run => runClew([...words, ...rootOf(words, bench.root)], { env }) };
}

function rootOf([command]: readonly string[], root: string): string[] {
  return command === 'undo' ? [] : ['--root', root];
}

function piped(text: string): { readonly status: number | null } {
  return spawnSync(process.execPath, [clew, 'redact', '--check', '-'], { input: text, env: cleanEnv() });
}
