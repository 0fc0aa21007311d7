// The record of clew setup, cut, forged, newer, missing or left by a killed call: nothing outside its place is touched, a
// record is never thrown away, and the entries of Clew go anyway.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkSetup } from '../../../src/cli/setup/check.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { type SetupCase, SetupPlace } from './setup-place.ts';

const plain: SetupCase = {
  seed: 0,
  files: {
    'settings.json': '{\n  "model": "opus"\n}\n',
    '.claude.json': '{"numStartups":3}',
    'commands/mine.md': 'mine',
  },
  parts: ['mcp', 'archive', 'push', 'guard', 'statusline', 'skill'],
};

function makeSetUp(context: TestContext, chosen: SetupCase = plain): SetupPlace & { readonly record: string } {
  const place = new SetupPlace(context, chosen);
  place.checkAdded('at first');
  return Object.assign(place, { record: path.join(place.state, 'setup/setup.json') });
}

test('a record that is cut anywhere is kept under another name, and every entry of Clew goes', (context) => {
  const { length } = readFileSync(makeSetUp(context).record);
  for (let size = 0; size < length - 2; size += Math.ceil(length / 9)) {
    const place = makeSetUp(context);
    const cut = readFileSync(place.record).subarray(0, size);
    writeFileSync(place.record, cut);
    const shown = place.run([...place.remove, '--dry-run']);
    assert.match(shown.stderr, /setup\.json is damaged .*; what has the form of clew setup is found without it/);
    assert.deepEqual(readFileSync(place.record), cut);
    assert.equal(place.run(place.remove).status, 0);
    assert.deepEqual(place.snapshot(), place.original, `cut to ${size} bytes`);
    const kept = readdirSync(path.dirname(place.record)).filter((name) => name.startsWith('setup.json.damaged-'));
    assert.deepEqual(
      kept.map((name) => readFileSync(path.join(place.state, 'setup', name))),
      [cut],
    );
  }
});

test('without its record, or with one of an interrupted --remove of an older version, everything goes', (context) => {
  for (const forget of ['all', 'parts'] as const) {
    const place = makeSetUp(context);
    const record = JSON.parse(readFileSync(place.record, 'utf8'));
    if (forget === 'all') rmSync(path.dirname(place.record), { recursive: true });
    else {
      record.roots[place.root].added = {};
      writeFileSync(place.record, JSON.stringify({ ...record, version: 1 }));
    }
    place.checkRemoved(`forgotten: ${forget}`);
  }
});

const forgeries: Readonly<Record<string, (record: Forged, victim: string, place: SetupPlace) => void>> = {
  'a file of another place': (record, victim) => {
    record.files[victim] = { backup: null, beforeHash: null, afterHash: null, nextHash: null };
  },
  'a copy of another place': (record, victim, place) => {
    Object.assign(record.files[path.join(place.root, 'settings.json')] ?? {}, { backup: victim });
  },
  'a copy above its folder': (record, victim, place) => {
    const backup = path.relative(path.join(place.state, 'setup'), victim);
    Object.assign(record.files[path.join(place.root, 'settings.json')] ?? {}, { backup });
  },
  'a folder outside': (record, victim) => {
    record.folders = ['..', '../../..', path.dirname(victim)];
  },
  'a part that does not exist': (record) => {
    record.added.everything = { commands: ['rm'] };
  },
  'values of other types': (record) => {
    record.files = { 1: 2 } as unknown as Forged['files'];
  },
};

interface Forged {
  files: Record<string, object>;
  added: Record<string, object>;
  folders?: readonly string[];
}

for (const [name, forge] of Object.entries(forgeries)) {
  test(`a forged record with ${name} changes nothing outside`, (context) => {
    const place = makeSetUp(context);
    const outside = path.join(path.dirname(place.root), 'outside');
    writeTree(outside, { 'empty/../victim': 'precious' });
    mkdirSync(path.join(outside, 'empty'), { recursive: true });
    const all = JSON.parse(readFileSync(place.record, 'utf8'));
    forge(all.roots[place.root], path.join(outside, 'victim'), place);
    writeFileSync(place.record, JSON.stringify(all));
    const { status, stderr } = place.run(place.remove);
    assert.equal(status, 0, stderr);
    assert.equal(readFileSync(path.join(outside, 'victim'), 'utf8'), 'precious');
    assert.ok(existsSync(path.join(outside, 'empty')));
    assert.deepEqual(place.snapshot(), place.original);
  });
}

test('a copy that is a link to another file is not used', (context) => {
  const place = makeSetUp(context);
  const folder = path.dirname(place.record);
  const copy = readdirSync(folder).find((name) => name.startsWith('settings.json.')) ?? '';
  const secret = path.join(path.dirname(place.root), 'secret');
  writeFileSync(secret, readFileSync(path.join(folder, copy)));
  rmSync(path.join(folder, copy));
  symlinkSync(secret, path.join(folder, copy));
  assert.equal(place.run(place.remove).status, 0);
  assert.deepEqual(place.snapshot(), place.original);
  assert.equal(readFileSync(secret, 'utf8'), plain.files['settings.json']);
});

test('a record of a newer version, and one that cannot be read, end the command before anything changes', (context) => {
  for (const [spoil, message] of [
    [
      (file: string) => writeFileSync(file, '{"version":99,"roots":{}}'),
      /is from a newer version of Clew; update Clew/,
    ],
    [(file: string) => [rmSync(file), mkdirSync(file)], /cannot read .*setup\.json \(EISDIR\); /],
  ] as const) {
    const place = makeSetUp(context);
    spoil(place.record);
    const before = place.snapshot();
    for (const args of [place.remove, place.setup]) {
      const { status, stderr } = place.run(args);
      assert.notEqual(status, 0);
      assert.match(stderr, message);
    }
    assert.deepEqual(place.snapshot(), before);
  }
});

test('a file that was written between two calls is the new original', (context) => {
  const place = makeSetUp(context);
  const file = path.join(place.root, 'settings.json');
  assert.equal(place.run(place.remove).status, 0);
  writeFileSync(file, '{"model":"sonnet"}');
  assert.equal(place.run(place.setup).status, 0);
  assert.equal(place.run(place.remove).status, 0);
  assert.equal(readFileSync(file, 'utf8'), '{"model":"sonnet"}');
});

test('containers that were empty before stay, also after the client has formatted the file again', (context) => {
  for (const hooks of [{ SessionEnd: [] }, {}]) {
    const settings = JSON.stringify({ hooks, a: 1 });
    const files = { 'settings.json': settings, '.claude.json': '{"mcpServers":{},"n":0}' };
    const place = makeSetUp(context, { ...plain, files });
    for (const name of ['settings.json', '.claude.json']) changeJson(path.join(place.root, name), { n: 1 });
    assert.equal(place.run(place.remove).status, 0);
    assert.deepEqual(readJson(path.join(place.root, 'settings.json')), { hooks, a: 1, n: 1 });
    assert.deepEqual(readJson(path.join(place.root, '.claude.json')), { mcpServers: {}, n: 1 });
  }
});

test('a hook of another installation, which no record names, goes with the others', (context) => {
  const place = makeSetUp(context);
  const file = path.join(place.root, 'settings.json');
  const text = readFileSync(file, 'utf8');
  const [command = ''] = /"[^"\n]*\/clew\.js[^\n]* push --auto --detach"/.exec(text) ?? [];
  const other = command.replace(/[^" \\]*\/clew\.js/, '/opt/clew/dist/clew.js');
  assert.notEqual(other, command);
  writeFileSync(
    file,
    text.replace(command, () => other),
  );
  assert.equal(place.run(place.remove).status, 0);
  assert.deepEqual(readJson(file), JSON.parse(plain.files['settings.json'] ?? ''));
});

function readJson(file: string): object {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function changeJson(file: string, more: object): void {
  writeFileSync(file, `${JSON.stringify({ ...readJson(file), ...more }, null, 2)}\n`);
}

test('the check reports an interrupted call, finishes it, and finds nothing afterwards', async (context) => {
  const place = makeSetUp(context);
  const all = JSON.parse(readFileSync(place.record, 'utf8'));
  all.roots[place.root].goal = [];
  writeFileSync(place.record, JSON.stringify(all));
  writeFileSync(path.join(path.dirname(place.record), `settings.json.${'a'.repeat(16)}.copy`), 'left');
  const before = place.snapshot();
  const env = { ...place.env };
  const found = await checkSetup({ env, repair: false });
  assert.deepEqual(
    found.map(({ where, problem, repair, next }) => [path.basename(where), problem, repair, next]),
    [
      ['claude', 'clew setup was interrupted', undefined, 'run clew setup --remove again'],
      [`settings.json.${'a'.repeat(16)}.copy`, 'a killed clew setup has left this file', undefined, 'run clew fsck'],
    ],
  );
  assert.deepEqual(place.snapshot(), before);
  const repaired = await checkSetup({ env, repair: true });
  assert.equal(repaired[0]?.repair, 'finished');
  assert.deepEqual(place.snapshot(), place.original);
  assert.deepEqual(await checkSetup({ env, repair: true }), []);
});

test('the check keeps a damaged record, and says that a copy is gone', async (context) => {
  const place = makeSetUp(context);
  const folder = path.dirname(place.record);
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.copy'))) rmSync(path.join(folder, name));
  const gone = await checkSetup({ env: { ...place.env }, repair: true });
  assert.equal(gone.length, 2);
  for (const { problem, repair } of gone)
    assert.match(`${problem} ${repair}`, /^the copy of .* is missing or damaged undefined$/);
  writeFileSync(place.record, '{');
  const damaged = await checkSetup({ env: { ...place.env }, repair: true });
  assert.match(damaged[0]?.repair ?? '', /^kept as .*setup\.json\.damaged-/);
  assert.deepEqual(await checkSetup({ env: { ...place.env }, repair: true }), []);
});
