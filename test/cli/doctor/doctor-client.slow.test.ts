// clew doctor --client with a program in the place of Claude Code. It sends what client 2.1.325 was recorded to send
// (test/interop/recordings/probe), so the predictions hold unless a test changes an answer.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../src/base/json/json.ts';
import { runClew } from '../../support/clew.ts';
import { type FakeClientOptions, writeFakeClient } from '../../support/fake-client.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

type Context = Parameters<typeof temporaryFolder>[0];

/** The folder that holds `claude`. */
function fakeFolder(context: Context, options: FakeClientOptions): string {
  const folder = temporaryFolder(context);
  writeFakeClient(folder, options);
  return folder;
}

const other = [{ role: 'user', content: [{ type: 'text', text: 'next' }] }];

test('the `claude` of the PATH is tried, and every prediction holds for what 2.1.325 sends', (context) => {
  const folder = fakeFolder(context, { version: '2.1.325' });
  const { status, stdout, stderr } = runClew(['doctor', '--client'], {
    env: { PATH: `${folder}:${process.env.PATH}` },
  });
  assert.equal(stderr, '');
  assert.equal(stdout, `20 of 20 predictions hold for Claude Code 2.1.325\n${path.join(folder, 'claude')}\n`);
  assert.equal(status, 0);
});

test('a client that follows another rule is named with the rule, and the exit code is 1', (context) => {
  const folder = fakeFolder(context, { version: '2.1.400', instead: { pin: other, fork: null } });
  const { status, stdout } = runClew(['doctor', '--client', './claude'], { cwd: folder });
  assert.deepEqual(stdout.split('\n'), [
    '18 of 20 predictions hold for Claude Code 2.1.400',
    path.join(folder, 'claude'),
    'It is newer than 2.1.325, the newest one known here, whose rules were tried.',
    '✗ fork: of two branches the one that ends last in the file is sent; the client does not resume it: No conversation found',
    '✗ pin: a last-prompt line chooses the branch; message 1 is user ["next"], not user ["one"]',
    'What `clew messages` and `clew doctor` say of a resume may be wrong in these points.',
    '',
  ]);
  assert.equal(status, 1);
});

test('--json says the same', (context) => {
  const folder = fakeFolder(context, { version: '2.1.325', instead: { pin: other } });
  const { status, stdout } = runClew(['doctor', '--client', path.join(folder, 'claude'), '--json']);
  const { results, ...report } = parseJson(stdout) as { readonly results: readonly { name: string; holds: boolean }[] };
  assert.deepEqual(report, {
    client: {
      path: path.join(folder, 'claude'),
      version: '2.1.325',
      newerThanKnown: false,
      newestKnown: '2.1.325',
    },
    predictions: 20,
    holding: 19,
  });
  assert.deepEqual(
    results.filter(({ holds }) => !holds),
    [
      {
        name: 'pin',
        rule: 'a last-prompt line chooses the branch',
        holds: false,
        difference: 'message 1 is user ["next"], not user ["one"]',
      },
    ],
  );
  assert.equal(status, 1);
});

test('without a client, or with an invalid one, it is one line and exit code 2', (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(path.join(folder, 'mute'), '#!/bin/sh\n');
  chmodSync(path.join(folder, 'mute'), 0o755);
  mkdirSync(path.join(folder, 'folder'));
  const old = fakeFolder(context, { version: '1.0.57' });
  const said = (args: readonly string[]): string => {
    const { status, stdout, stderr } = runClew(['doctor', ...args], { cwd: folder, env: { PATH: folder } });
    assert.deepEqual([status, stdout], [2, ''], args.join(' '));
    return stderr;
  };
  assert.equal(
    said(['--client']),
    'clew: there is no `claude` in the PATH; install Claude Code, or write --client FILE\n',
  );
  for (const name of ['nothing', 'folder']) {
    assert.equal(said(['--client', name]), `clew: ${name} is not a program; give the path of the \`claude\` to try\n`);
  }
  assert.equal(
    said(['--client', './mute']),
    `clew: ${path.join(folder, 'mute')} does not say its version; run it with --version to see why\n`,
  );
  assert.equal(
    said(['--client', path.join(old, 'claude')]),
    'clew: Claude Code 1.0.57 is too old; give one from 2.1.45 on; the newest known here is 2.1.325\n',
  );
  assert.equal(
    said(['--client', '--all']),
    'clew: --client tries the installed Claude Code, not a session; leave out all but --json\n',
  );
});
