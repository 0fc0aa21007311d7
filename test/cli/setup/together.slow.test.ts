// clew setup while other programs write the same files: no change of theirs is lost, and none of ours is left.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../../support/clew.ts';
import { noStrace, runStruck } from '../../support/struck-calls.ts';
import { type SetupCase, SetupPlace } from './setup-place.ts';

const chosen: SetupCase = {
  seed: 0,
  files: {
    'settings.json': '{\n  "model": "opus"\n}\n',
    '.claude.json': '{\n  "numStartups": 0,\n  "mcpServers": {}\n}',
  },
  parts: ['mcp', 'archive', 'statusline'],
};

/** Counts up in `.claude.json` as a client writes it: with its lock, and over a new file. */
const client = `
const { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } = require('node:fs');
const [file] = process.argv.slice(1);
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
let isOver = false, count = 0;
process.stdin.on('data', () => (isOver = true));
const write = () => {
  for (;;) { try { mkdirSync(file + '.lock'); break; } catch { pause(1); } }
  const value = JSON.parse(readFileSync(file, 'utf8'));
  value.numStartups++;
  writeFileSync(file + '.new', JSON.stringify(value, null, 2));
  renameSync(file + '.new', file);
  rmdirSync(file + '.lock');
  count++;
  if (isOver) { process.stdout.write(String(count)); process.exit(); }
  setTimeout(write, 2);
};
write();
`;

test('a client that writes .claude.json all the time loses nothing, and our server comes and goes', async (context) => {
  const place = new SetupPlace(context, chosen);
  const file = path.join(place.root, '.claude.json');
  const writer = spawn(process.execPath, ['-e', client, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  context.after(() => writer.kill('SIGKILL'));
  const run = (args: readonly string[]) => {
    const { status, stderr } = runClew(args, { env: place.env, isAlone: true });
    assert.equal(status, 0, stderr);
  };
  for (let i = 0; i < 6; i++) {
    run(place.setup);
    place.checkInstalled(`round ${i}`);
    run(place.remove);
  }
  const counted = once(writer.stdout, 'data');
  writer.stdin.write('end');
  const count = Number(String((await counted)[0]));
  assert.ok(count > 20, `${count} writes`);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { numStartups: count, mcpServers: {} });
  context.diagnostic(`${count} writes of the client`);
});

/** Waits for the file that setup is about to give its name, and changes the settings before it does. */
const intruder = `
const { readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const [root, from, to] = process.argv.slice(1);
const file = root + '/settings.json';
process.stdout.write('ready');
const look = () => {
  if (!readdirSync(root).some((name) => name.startsWith('.clew-'))) return setImmediate(look);
  writeFileSync(file + '.new', readFileSync(file, 'utf8').replace(from, to));
  renameSync(file + '.new', file);
};
look();
`;

test(
  'settings that change between the reading and the replacing are read again',
  { skip: noStrace },
  async (context) => {
    for (const isRemoval of [false, true]) {
      const place = new SetupPlace(context, { ...chosen, parts: ['archive', 'guard'] });
      if (isRemoval) assert.equal(place.run(place.setup).status, 0);
      const args = isRemoval ? place.remove : place.setup;
      const writer = spawn(process.execPath, ['-e', intruder, place.root, 'opus', 'sonnet'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      context.after(() => writer.kill('SIGKILL'));
      await once(writer.stdout, 'data');
      // The new file gets the mode of the old one before its name: a second is enough for the other program.
      const ended = once(writer, 'exit');
      const run = runStruck(args, { call: 'fchmod', nth: 1 }, 1_000_000, { env: place.env });
      assert.equal(run.status, 0, run.stderr);
      await ended;
      const text = readFileSync(path.join(place.root, 'settings.json'), 'utf8');
      if (isRemoval) assert.equal(text, '{\n  "model": "sonnet"\n}\n');
      else {
        assert.match(text, /"sonnet"/);
        place.checkInstalled('after the change');
        assert.equal(place.run(place.remove).status, 0);
        assert.equal(readFileSync(path.join(place.root, 'settings.json'), 'utf8'), '{\n  "model": "sonnet"\n}\n');
      }
    }
  },
);
