// Wherever a command takes the path of a file, by an argument, a variable or its input: a pipe, a device, a folder or
// gigabytes give one line that says so, and nothing is waited for.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a process of its own: a hang would stop the thread of the test too. It is killed after a minute, without a status. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}, input = ''): Ended {
  const options = { env: { ...cleanEnv(), ...env }, input, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [clew, ...args], options);
  return { status, stdout, stderr };
}

interface Odd {
  readonly root: string;
  readonly session: string;
  readonly pipe: string;
  readonly huge: string;
  readonly folder: string;
}

function plant(context: TestContext): Odd {
  const base = temporaryFolder(context);
  const [root, pipe, huge, folder] = ['root', 'pipe', 'huge', 'folder'].map((name) => path.join(base, name));
  assert.ok(root !== undefined && pipe !== undefined && huge !== undefined && folder !== undefined);
  const text = transcript().user('one').assistant('two').user('three').assistant('four').text();
  writeTree(root, { [`projects/-p/${sessionId}.jsonl`]: text });
  execFileSync('mkfifo', [pipe]);
  writeFileSync(huge, '');
  truncateSync(huge, 5_000_000_000);
  mkdirSync(folder);
  return { root, session: path.join(root, 'projects', '-p', `${sessionId}.jsonl`), pipe, huge, folder };
}

/** Where a file is named, and what is said of [a pipe, a device, a folder, five gigabytes]. */
const pipeSaid = /is a pipe, not a file; name a regular file\n$/;
const deviceSaid = /\/dev\/zero is a device, not a file; name a regular file\n$/;
const folderSaid = /\(EISDIR\); name a (?:JSON )?file\n$/;
const hugeSaid = /is larger than 64 MB; name a smaller file\n$/;

test('arguments and variables that name a file', (context) => {
  const odd = plant(context);
  const { root, session } = odd;
  const places: readonly (readonly [string, (file: string) => Ended, RegExp])[] = [
    [
      'CLEW_PRICES',
      (file) => run(['usage', '--root', root], { CLEW_PRICES: file }),
      / is larger than 4\.0 MB; name a smaller file\n$/,
    ],
    ['prices update', (file) => run(['prices', 'update', file]), / is larger than 4\.0 MB; name a smaller file\n$/],
    ['--rules', (file) => run(['export', session, '--rules', file]), hugeSaid],
    ['--summary-file', (file) => run(['compress', session, '--keep-turns', '1', '--summary-file', file]), hugeSaid],
    ['import', (file) => run(['import', file, '--root', root]), /is not a bundle; /],
  ];
  for (const [name, call, large] of places) {
    for (const [file, said] of [
      [odd.pipe, pipeSaid],
      ['/dev/zero', deviceSaid],
      [odd.folder, folderSaid],
      [odd.huge, large],
    ] as const) {
      const { status, stdout, stderr } = call(file);
      assert.deepEqual([status, stdout], [2, ''], `${name} ${file}: ${stderr}`);
      assert.match(stderr, said, name);
      assert.match(stderr, /^clew: [^\n]+\n$/, name);
    }
  }
});

test('a session argument', (context) => {
  const { pipe, huge, folder } = plant(context);
  for (const [file, said] of [
    [pipe, /is not a regular file; /],
    ['/dev/zero', /is not a regular file; /],
    [folder, /is a folder/],
    [huge, /huge is not a transcript: its first 64 KB hold no JSON record; name a \.jsonl file of Claude Code\n$/],
  ] as const) {
    for (const command of ['show', 'doctor', 'export', 'replay']) {
      const { status, stdout, stderr } = run([command, file]);
      assert.deepEqual([status, stdout], [2, ''], `${command} ${file}: ${stderr}`);
      assert.match(stderr, said, command);
      assert.match(stderr, /^clew: [^\n]+\n$/, command);
    }
  }
});

test('the transcript that the input of a status line names', (context) => {
  const { root, pipe, huge, folder } = plant(context);
  for (const [file, said] of [
    [pipe, /^clew: \S+ is a pipe, not a file; name a regular file\n$/],
    ['/dev/zero', /^clew: \/dev\/zero is a device, not a file; name a regular file\n$/],
    [folder, /^$/],
    [huge, /^clew: \S+ is not a transcript: its first 64 KB hold no JSON record; [^\n]+\n$/],
  ] as const) {
    const input = JSON.stringify({ session_id: sessionId, transcript_path: file });
    const { status, stdout, stderr } = run(['statusline', '--root', root], {}, input);
    assert.deepEqual([status, stdout], [0, '$0.00 session · $0.00 today\n'], file);
    assert.match(stderr, said, file);
  }
});

test('a state folder below /proc', (context) => {
  const { root } = plant(context);
  const env = { CLEW_HOME: '/proc/clew' };
  const { status, stdout, stderr } = run(['ls', '--root', root, '--json'], env);
  assert.equal(status, 0);
  assert.match(stdout, new RegExp(sessionId));
  const said = 'clew: the index cannot be written: /proc/clew/index.db; set CLEW_HOME to a folder you may write to';
  assert.equal(stderr, `${said}; until then every call reads all sessions\n`);
  assert.deepEqual(run(['find', 'one', '--root', root], env), { status: 2, stdout: '', stderr: `${said}\n` });
  const archived = run(['archive', '--root', root], env);
  assert.deepEqual([archived.status, archived.stdout], [2, '']);
  assert.match(archived.stderr, /^clew: cannot write \/proc\/clew\/\S+ \(EROFS\); [^\n]+\n$/);
});
