// Every command that changes, copies or deletes a session, with a path to something else: one line, exit code 2, and
// nothing is touched.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../support/clew.ts';
import { strangers, writeStrangers } from '../support/strangers.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const commands = [
  'rm F --yes',
  'rm F --yes --no-archive',
  'tag F t',
  'rename F t',
  'move F --to /w',
  'redact F --in-place',
  'strip F --tools',
  'compress F --keep-turns 1',
  'fork F',
  'rewind F --to 1 --in-place',
  'split F --at 1',
  'graft F F',
  'doctor F --fix --in-place --yes',
  'bundle F -o made.clew',
  'export F -o made.md',
  'export F --format parquet -o made',
  '-p hello --resume F',
];

test('no command takes a file that is not a session for one', async (t) => {
  const folder = temporaryFolder(t);
  const server = writeStrangers(folder);
  await once(server, 'listening');
  t.after(() => server.close());
  const root = path.join(folder, 'root');
  mkdirSync(path.join(root, 'projects'), { recursive: true });
  const env = { CLEW_HOME: path.join(folder, 'state'), CLAUDE_CONFIG_DIR: root, ANTHROPIC_API_KEY: 'none' };
  const before = contentsOf(folder);
  const names = Object.keys(strangers);
  // Each command meets a few kinds, and each kind is met by a few commands.
  for (const [i, words] of commands.entries()) {
    for (const name of [names[i % names.length], names[(i * 5 + 3) % names.length], 'notes.jsonl']) {
      const pattern = strangers[name ?? ''];
      assert.ok(name !== undefined && pattern !== undefined);
      const args = words.split(' ').map((word) => (word === 'F' ? path.join(folder, name) : word));
      const run = runClew(
        args.map((word) => (word.startsWith('made') ? path.join(folder, word) : word)),
        { env },
      );
      assert.deepEqual([words, name, run.status, run.stdout], [words, name, 2, '']);
      assert.match(run.stderr.trimEnd(), pattern, `${words} ${name}`);
      assert.equal(run.stderr.trimEnd().includes('\n'), false, run.stderr);
    }
  }
  for (const name of ['made.clew', 'made.md', 'made']) assert.equal(existsSync(path.join(folder, name)), false, name);
  const after = new Map([...contentsOf(folder)].filter(([name]) => !name.startsWith('state/')));
  assert.deepEqual(after, before);
});
