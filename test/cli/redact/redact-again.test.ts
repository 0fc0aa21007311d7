// What a redaction left behind is found by a later run and by `--prove`, although the session has no secret any more; both say
// what they find and what they could not read.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asObject, asString, isArray, isObject, parseJson } from '../../../src/base/json/json.ts';
import { makeSalt } from '../../../src/surgery/secrets/hashed-values.ts';
import { type Run, runClew } from '../../support/clew.ts';
import { type Bench, benchWith } from '../../support/surgery-kit.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { findPlanted, otherId, secrets } from './planted-places.ts';

const [token = ''] = secrets;
const final = ['redact', sessionId, '--in-place', '--no-backup'];

test('a run without a backup finishes one with a backup: no copy is left', (t) => {
  const { run, bench } = library(t);
  for (const words of [['find', 'special'], ['archive'], ['rename', sessionId, `the ${token}`], ['find', 'special']])
    run(...words);
  const first = run('redact', sessionId, '--in-place');
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout, /`clew redact \S+ --in-place --no-backup` cleans them, `clew redact --prove` lists them/);
  // The log of a database that is open elsewhere comes and goes.
  const found = findPlanted(placesOf(bench)).filter((file) => !file.endsWith('-wal'));
  // While a redaction is not finished, an index counts as a copy, although its log may hold the words.
  const held = [...new Set([...found, path.join(bench.env.CLEW_HOME, 'index.db')])].sort();
  assert.ok(held.length >= 3, held.join('\n'));
  assert.deepEqual(proof(run), { status: 1, clean: false, holders: held, unread: [] });
  const second = run(...final);
  assert.equal(second.status, 0, second.stderr);
  assert.match(
    second.stdout,
    /^no secrets found in \S+, which was redacted before; this run looked for copies of what it held\n/,
  );
  assert.match(second.stdout, /no copy is left: searched every byte of \d+ files in /);
  assert.deepEqual(findPlanted(placesOf(bench)), []);
  // An index from before would count as a copy.
  run('find', 'special');
  assert.deepEqual(proof(run), { status: 0, clean: true, holders: [], unread: [] });
  assert.ok(!readFileSync(path.join(bench.env.CLEW_HOME, 'purges.json'), 'utf8').includes(token.slice(5, 15)));
});

test('what the client keeps apart from sessions is cleaned; settings, other sessions and unknown files are listed', (t) => {
  const { run, bench } = library(t);
  const text = `key ${token}\n`;
  const cleaned = {
    'paste-cache/0a1b.txt': text,
    'shell-snapshots/snapshot-bash-1.sh': text,
    'telemetry/events.json': JSON.stringify({ said: text }),
    'sessions/1.json': Buffer.from(JSON.stringify({ at: Buffer.from(text).toString('base64') })),
    'projects/-home-kim-project/memory/MEMORY.md': text,
    'projects/-home-kim-project/sessions-index.json': JSON.stringify({ firstPrompt: text }),
    [`todos/${sessionId}-agent-1.json`]: text,
    [`jobs/${token}.json`]: '{}',
  };
  const listed = {
    'settings.json': JSON.stringify({ env: { TOKEN: token } }),
    'backups/.claude.json.backup': text,
    'image-cache/1.png': Buffer.from(`\0\x01${token}`),
    'plans/notes.gz': gzipSync(text),
    [`file-history/${otherId}/aaaa@v1`]: text,
  };
  writeTree(bench.root, { ...cleaned, ...listed });
  const odd = Buffer.concat([Buffer.from(`${bench.root}/paste-cache/`), Buffer.from([0xe9])]);
  writeFileSync(odd, text);
  const before = Object.keys(listed).map((name) => readFileSync(path.join(bench.root, name), 'latin1'));
  const dry = run(...final, '--dry-run');
  assert.equal(dry.status, 0, dry.stderr);
  assert.match(dry.stdout, /would redact \S+paste-cache\/0a1b\.txt/);
  const { status, stdout, stderr } = run(...final);
  assert.equal(status, 1);
  assert.match(stderr, /redacted values may remain in 6 places/);
  const names = [...Object.keys(listed), 'paste-cache/\\xe9'];
  for (const name of names) assert.ok(stdout.includes(path.join(bench.root, name)) || name.includes(otherId), name);
  assert.match(stdout, new RegExp(`session ${otherId} also holds them`));
  assert.deepEqual(findPlanted(placesOf(bench)), names.map((name) => path.join(bench.root, name)).sort());
  assert.deepEqual(
    Object.keys(listed).map((name) => readFileSync(path.join(bench.root, name), 'latin1')),
    before,
  );
  const index = readFileSync(path.join(bench.root, 'projects/-home-kim-project/sessions-index.json'), 'utf8');
  assert.equal(asObject(parseJson(index))?.firstPrompt, 'key [redacted:github-token:1]\n');
});

test('a value that came back without its context is known by its hash', (t) => {
  const { run, bench } = library(t);
  assert.equal(run(...final).status, 0);
  const [, , password = ''] = secrets;
  const text = readFileSync(bench.main, 'utf8').replace('nothing more', JSON.stringify(`(${password})`).slice(1, -1));
  writeFileSync(bench.main, text);
  assert.equal(proof(run).status, 1);
  const again = run(...final);
  assert.equal(again.status, 0, again.stderr);
  assert.deepEqual(findPlanted(placesOf(bench)), []);
});

test('a secret that the session has only in base64 is found as plain text elsewhere', (t) => {
  const { run, bench } = library(t);
  const inside = `gh${'p_'}B4se64xK2VmZq7TbXvLc8NpW1sYd6JgF3aKe`;
  const main = readFileSync(bench.main, 'utf8').replace(
    'nothing more',
    Buffer.from(`export T=${inside}\n`).toString('base64'),
  );
  writeFileSync(bench.main, main);
  writeTree(bench.root, { 'plans/one.md': `key ${inside}\n` });
  const { status, stderr } = run(...final);
  assert.equal(status, 0, stderr);
  assert.match(readFileSync(path.join(bench.root, 'plans/one.md'), 'utf8'), /^key \[redacted:github-token:\d+\]\n$/);
});

test('only what was read counts as searched: a proof names links, damage, and what it cannot unpack', (t) => {
  const { run, bench } = library(t);
  const none = run('redact', '--prove');
  assert.deepEqual(
    [none.status, /nothing was redacted in place, so nothing was searched/.test(none.stderr)],
    [1, true],
  );
  assert.equal(run(...final).status, 0);
  symlinkSync('/usr', path.join(bench.root, 'away'));
  symlinkSync(path.join(bench.root, 'projects'), path.join(bench.root, 'inside'));
  writeTree(bench.root, { 'skills/pack.zip': Buffer.from('PK\x03\x04 and more') });
  assert.equal(proof(run).status, 0);
  const { stdout } = run('redact', '--prove');
  assert.match(
    stdout,
    /2 files searched in part only:\n {2}\S+away: is a link to a place that is not searched\n {2}\S+pack\.zip: is a zip/,
  );
  writeTree(bench.env.CLEW_HOME, { 'archive/000001.pack': 'clew-archive 1 cut o' });
  const torn = proof(run);
  assert.deepEqual([torn.status, torn.clean, torn.unread.length], [1, false, 1]);
});

test('an index from before counts as a copy until the others are cleaned: its words are not searched', (t) => {
  const { run, bench } = library(t);
  assert.equal(run('redact', sessionId, '--in-place').status, 0);
  const index = path.join(bench.env.CLEW_HOME, 'index.db');
  writeFileSync(index, 'words of a database');
  assert.ok(proof(run).holders.includes(index));
  assert.equal(run(...final).status, 0);
  writeFileSync(index, 'words of a database');
  assert.deepEqual(proof(run), { status: 0, clean: true, holders: [], unread: [] });
});

test('a certificate is written to a new file, and a session without a redaction is refused', (t) => {
  const { run, bench } = library(t);
  assert.equal(run(...final).status, 0);
  const file = path.join(bench.root, '..', 'proof.json');
  const { stdout } = run('redact', '--prove', '--json', '--output', file);
  assert.equal(readFileSync(file, 'utf8'), stdout);
  assert.equal(run('redact', '--prove', '--output', file).status, 3);
  assert.equal(run('redact', '--prove', sessionId.slice(0, 8)).status, 0);
  assert.equal(run('redact', '--prove', otherId).status, 1);
  assert.equal(run('redact', '--prove', '--in-place').status, 2);
});

test('a journal that is damaged stops a redaction before anything changes', (t) => {
  const { run, bench } = library(t);
  const before = readFileSync(bench.main);
  for (const text of ['{"salt":', JSON.stringify({ salt: makeSalt(), purges: [{ at: 1 }] })]) {
    writeTree(bench.env.CLEW_HOME, { 'purges.json': text });
    for (const words of [final, ['redact', '--prove']]) {
      const { status, stderr } = run(...words);
      assert.deepEqual(
        [status, /the journal of redactions \(\S+purges\.json\) is damaged; move it away/.test(stderr)],
        [1, true],
      );
    }
    assert.deepEqual(readFileSync(bench.main), before);
  }
});

test('the journal has the hashes before the session changes, and only its owner can read it', (t) => {
  const { run, bench } = library(t);
  writeTree(bench.root, { [`sessions/${process.pid}.json`]: JSON.stringify({ sessionId }) });
  assert.notEqual(run(...final).status, 0);
  assert.ok(readFileSync(bench.main, 'utf8').includes(token));
  const file = path.join(bench.env.CLEW_HOME, 'purges.json');
  const [purge] = (asObject(parseJson(readFileSync(file, 'utf8')))?.purges ?? []) as unknown[];
  assert.equal((asObject(purge as never)?.values as unknown[]).length, secrets.length);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

type RunClew = (...words: string[]) => Run;

function library(t: TestContext): { readonly bench: Bench; readonly run: RunClew } {
  const [, npm = '', password = ''] = secrets;
  const text = transcript()
    .user(`special: use ${token} and ${npm}`)
    .assistant('nothing more')
    .user(`DB_PASSWORD='${password}'\n`)
    .assistant('done')
    .text();
  const bench = benchWith(t, sessionId, text);
  const env = { CLEW_HOME: bench.env.CLEW_HOME };
  return { bench, run: (...words) => runClew([...words, '--root', bench.root], { env }) };
}

function placesOf({ root, env }: Bench): string[] {
  mkdirSync(env.CLEW_HOME, { recursive: true });
  return [root, env.CLEW_HOME];
}

/** Names are shown without the values in them. */
function proof(run: RunClew) {
  const { status, stdout, stderr } = run('redact', '--prove', '--json');
  const value = asObject(parseJson(stdout));
  assert.ok(isArray(value?.holders) && isArray(value.unread), stderr);
  const holders = value.holders.filter(isObject).map(({ file, sessionId: archived }) => {
    return archived === null ? (asString(file) ?? '') : 'archive';
  });
  return {
    status,
    clean: value.clean,
    holders: [...new Set(holders)].filter((file) => !file.endsWith('-wal')).sort(),
    unread: value.unread,
  };
}
