// What lists say of a session in addition to its title: its tag, what it was made from, and what doctor said of it, with the
// same words in ls, show, find and doctor --all.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { jsonOf, type Run, runClew } from '../support/clew.ts';
import { plantDamage } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { plain } from '../support/sound-session.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const first = '11111111-1111-4111-8111-111111111111';
const second = '22222222-2222-4222-8222-222222222222';
const broken = '33333333-3333-4333-8333-333333333333';

test('a tag is shown by ls, show and find, and ls --tag selects by it', (context) => {
  const { run, json } = library(context);
  assert.equal(run('tag', first, 'review').status, 0);
  assert.match(run('ls').stdout, /MARKS[\s\S]*#review/);
  assert.match(run('show', first).stdout, /^#review$/m);
  assert.match(run('find', 'lantern').stdout, / · #review$/m);
  assert.equal(asObject(json('show', first))?.tag, 'review');
  const [hit] = rowsOf(asObject(json('find', 'lantern'))?.hits);
  assert.equal(hit?.tag, 'review');
  assert.deepEqual(
    rowsOf(json('ls', '--tag', 'review')).map(({ sessionId, tag }) => [sessionId, tag]),
    [[first, 'review']],
  );
  assert.equal(run('ls', '--tag', 'review', '--ids').stdout, `${first}\n`);
  assert.match(run('ls', '--tag', 'other').stderr, /^clew: no session for --tag other below .*; `clew ls` shows all$/m);
  assert.equal(run('ls', '--tag', '').status, 2);
  assert.equal(run('tag', first, '--remove').status, 0);
  assert.doesNotMatch(run('ls').stdout, /review/);
});

test('the copies that Clew makes say what they were made from', (context) => {
  const { run, json } = library(context);
  const made: readonly (readonly [readonly string[], string])[] = [
    [['fork', first], 'fork of 11111111'],
    [['compress', first, '--keep-turns', '1'], 'compressed from 11111111'],
    [['rewind', first, '--to', '1'], 'rewound from 11111111'],
  ];
  for (const [args, text] of made) {
    const to = asObject(asObject(json(...args))?.to);
    const id = String(to?.sessionId);
    const row = run('ls', '--json').stdout;
    assert.ok(row.includes(id));
    assert.ok(
      run('ls')
        .stdout.split('\n')
        .some((line) => line.includes(text)),
      `${text}:\n${run('ls').stdout}`,
    );
    assert.ok(run('show', id).stdout.split('\n').includes(text), text);
    const lineage = asObject(asObject(json('show', id))?.lineage);
    assert.deepEqual([lineage?.operation, isArray(lineage?.from)], [args[0], true]);
    const own = rowsOf(json('ls')).find(({ sessionId }) => sessionId === id);
    assert.deepEqual(own?.lineage, lineage);
  }
  assert.equal(rowsOf(json('ls')).find(({ sessionId }) => sessionId === first)?.lineage, null);
});

test('a fork of the client is marked by its lines alone', (context) => {
  const { root, json } = library(context);
  const lines = sessionText([user('go', { forkedFrom: { sessionId: first, messageUuid: 'x' } }), assistant('done')]);
  writeTree(root, { 'projects/-p/44444444.jsonl': lines });
  assert.deepEqual(rowsOf(json('ls')).find(({ sessionId }) => sessionId === '44444444')?.lineage, {
    operation: 'fork',
    from: [first],
  });
});

test('an operation that was taken back leaves no mark, nor does one in place', (context) => {
  const { run, json } = library(context);
  assert.equal(run('rewind', first, '--to', '1', '--in-place').status, 0);
  assert.ok(rowsOf(json('ls')).every(({ lineage }) => lineage === null));
});

test('ls says what doctor said, and "not examined" until then and after a change', (context) => {
  const { root, run, json, work } = library(context);
  const health = (): unknown => Object.fromEntries(rowsOf(json('ls')).map((row) => [row.sessionId, row.health]));
  const unknown = { [first]: null, [second]: null, [broken]: null };
  assert.deepEqual(health(), unknown);
  assert.match(run('ls').stdout, /^3 not examined; `clew doctor --all` looks at them$/m);
  const examined = run('doctor', '--all');
  assert.equal(examined.status, 1, examined.stdout + examined.stderr);
  const said = Object.fromEntries(
    rowsOf(asObject(JSON.parse(run('doctor', '--all', '--json').stdout))?.sessions).map((row) => [
      row.sessionId,
      row.severity ?? 'sound',
    ]),
  );
  assert.deepEqual(said, { [first]: 'sound', [second]: 'sound', [broken]: 'loss' });
  assert.deepEqual(health(), said);
  assert.match(run('ls').stdout, /DAMAGE[\s\S]* loss\n/);
  assert.doesNotMatch(run('ls').stdout, /not examined/);
  // Days pass, and nothing was written to it: what only depends on the day is judged again.
  const old = Date.now() / 1000 - 28 * 86_400;
  utimesSync(path.join(root, 'projects', work, `${second}.jsonl`), old, old);
  run('doctor', second);
  assert.deepEqual(health(), { ...said, [second]: 'warn' });
  appendFileSync(path.join(root, 'projects', work, `${first}.jsonl`), '\n');
  assert.deepEqual(health(), { ...said, [second]: 'warn', [first]: null });
  run('doctor', first);
  assert.deepEqual(health(), { ...said, [second]: 'warn' });
  const agents = { [`projects/${work}/${first}/subagents/agent-a1.jsonl`]: 'junk\n' };
  writeTree(root, agents);
  assert.deepEqual(health(), { ...said, [second]: 'warn', [first]: null });
  run('doctor', first);
  assert.notEqual(asObject(health() as JsonValue)?.[first], null);
  appendFileSync(path.join(root, Object.keys(agents)[0] ?? ''), 'more junk\n');
  assert.deepEqual(health(), { ...said, [second]: 'warn', [first]: null });
});

function rowsOf(value: JsonValue | undefined): readonly JsonObject[] {
  assert.ok(isArray(value));
  return value.map((each) => asObject(each) ?? {});
}

function library(context: TestContext): {
  readonly root: string;
  readonly work: string;
  readonly run: (...args: string[]) => Run;
  readonly json: (...args: string[]) => JsonValue;
} {
  const temp = temporaryFolder(context);
  const cwd = path.join(temp, 'work');
  mkdirSync(cwd);
  const root = path.join(temp, 'claude');
  const work = cwd.replace(/[^A-Za-z0-9]/g, '-');
  const talk = (sessionId: string, word: string): string =>
    sessionText([user(word), assistant('lit'), user('again'), assistant('done')], { sessionId, cwd });
  writeTree(root, {
    [`projects/${work}/${first}.jsonl`]: talk(first, 'lantern'),
    [`projects/${work}/${second}.jsonl`]: talk(second, 'lantern oil'),
    [`projects/${work}/${broken}.jsonl`]: plantDamage(plain, ['L-torn-tail'], seededRandom(7)).bytes,
  });
  const env = { CLEW_HOME: path.join(temp, 'state'), CLEW_ROOTS: root, COLUMNS: '' };
  const run = (...args: string[]): Run => runClew(args, { env });
  return { root, work, run, json: (...args) => jsonOf([...args, '--json'], { env }) };
}
