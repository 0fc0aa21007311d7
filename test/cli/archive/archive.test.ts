// clew archive, restore and rm as a user meets them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { snapshot } from '../../support/archive-kit.ts';
import { type Run, runClew } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { giveToOrdinaryUser, ordinaryUser } from '../../support/ordinary-user.ts';
import { filesBelow } from '../../support/paths.ts';
import { empty, first, library, second } from '../archive-kit.ts';

test('archive keeps sessions, says so in one line, and does nothing the second time', (t) => {
  const { run, state } = library(t);
  const { stdout, ...rest } = run('archive');
  assert.match(stdout, /^archived 3 sessions \(\d+(\.\d)? KB\) in \d+(\.\d)? K?B\n$/);
  assert.deepEqual(rest, { status: 0, stderr: '' });
  assert.deepEqual(run('archive'), ok('archived 0 sessions (0 B) in 0 B; 3 unchanged\n'));
  assert.deepEqual(readdirSync(state), ['archive']);
  assert.match(
    run('archive', '--list').stdout,
    /^ARCHIVED {2}TITLE +FOLDER +COPIES +SIZE {2}ON DISK {2}ID\n( +now {2}\S.* -home-kim-\w+ +1 .*\n){3}\n3 sessions in the archive; /,
  );
  assert.match(run('archive', '--verify').stdout, /^3 sessions, 3 copies, 5 files, .*: every byte can be restored\n$/);
});

test('an unchanged run opens no transcript', (t) => {
  const { run, root } = library(t);
  run('archive');
  // Were one of them opened, other bytes would be found in it; a sub-agent of 2.0 would have another owner.
  for (const file of filesBelow(root, '.jsonl')) {
    const { size, mtimeMs } = statSync(file);
    writeFileSync(file, 'x'.repeat(size));
    utimesSync(file, mtimeMs / 1000, mtimeMs / 1000);
  }
  assert.deepEqual(run('archive'), ok('archived 0 sessions (0 B) in 0 B; 3 unchanged\n'));
});

test('archive takes a part of the sessions: by age, by project', (t) => {
  const { run } = library(t);
  const count = (...args: string[]): string | undefined =>
    /would archive (\d+)/.exec(run('archive', '--dry-run', ...args).stdout)?.[1];
  assert.deepEqual(
    [
      count(),
      count('--older-than', '3'),
      count('--older-than', '10000'),
      count('--project', 'blue'),
      count('--project', '/home/kim/red'),
    ],
    ['3', '3', undefined, '1', '2'],
  );
  assert.equal(
    run('archive', '--older-than', 'x').stderr,
    'clew: --older-than takes a number of days, not "x"; try --older-than 20\n',
  );
  assert.equal(run('archive', '--list', '--verify').status, 2);
  assert.match(run('archive', '--project', 'none').stderr, /^clew: no such sessions below /);
});

test('archive, rm, restore: the folder is as it was', (t) => {
  const { run, root } = library(t);
  const before = snapshot(root);
  assert.equal(
    run('rm', first, second.slice(0, 8), '--yes').stdout,
    `deleted ${first} (3 files, ${sizeOf(before, first)}); \`clew restore ${first}\` brings it back\n` +
      `deleted ${second} (1 file, ${sizeOf(before, second)}); \`clew restore ${second}\` brings it back\n`,
  );
  assert.deepEqual([...snapshot(root).keys()], [`projects/-home-kim-red/${empty}.jsonl`]);
  assert.match(run('archive', '--list').stdout, / gone +10000000\n/);
  for (const id of [first, second]) assert.match(run('restore', id).stdout, new RegExp(`^restored .*${id}.jsonl `));
  assert.deepEqual(snapshot(root), before);
  assert.match(run('restore', first).stdout, / is there already, just as it was archived\n$/);
});

test('rm asks for a word where nobody can be asked, and for a session', (t) => {
  const { run, root } = library(t);
  const before = snapshot(root);
  assert.deepEqual(run('rm', first), {
    status: 3,
    stdout: '',
    stderr: 'clew: deleting needs confirmation: add `--yes`; use `--dry-run` to look first\n',
  });
  assert.match(run('rm', first, '--dry-run').stdout, /^would delete 1/);
  assert.equal(run('rm').stderr, 'clew: rm needs a SESSION; run `clew rm --help`\n');
  assert.equal(run('rm', first, '--empty').status, 2);
  assert.deepEqual(snapshot(root), before);
});

test('rm --empty deletes what holds no conversation', (t) => {
  const { run, root } = library(t);
  assert.match(run('rm', '--empty', '--yes').stdout, new RegExp(`^deleted ${empty} \\(1 file, 0 B\\);`));
  assert.deepEqual(run('rm', '--empty', '--yes'), {
    status: 0,
    stdout: '',
    stderr: 'clew: no sessions without a conversation; nothing to delete\n',
  });
  assert.equal(snapshot(root).size, 4);
});

const hasScript = spawnSync('script', ['--version']).error === undefined ? false : 'there is no script(1)';

test('on a terminal rm asks, and only yes deletes', { skip: hasScript }, (t) => {
  const { env, root } = library(t);
  const answer = (text: string): string =>
    spawnSync('script', ['-qec', `"${process.execPath}" "${clew}" rm ${second} --root "${root}"`, '/dev/null'], {
      input: text,
      encoding: 'utf8',
      env,
    }).stdout;
  const before = snapshot(root);
  assert.match(
    answer('n\n'),
    /Delete 1 session 2\S+ \(.*\)\? A copy is kept in the archive\. \[y\/N\][\s\S]*nothing was deleted/,
  );
  assert.deepEqual(snapshot(root), before);
  assert.match(answer('y\n'), /deleted 2/);
  assert.equal(snapshot(root).size, before.size - 1);
});

test('a SessionEnd hook archives its session without a word', (t) => {
  const { root, hook, run, state } = library(t);
  const transcript = path.join(root, 'projects/-home-kim-red', `${first}.jsonl`);
  const event = { session_id: first, transcript_path: transcript, hook_event_name: 'SessionEnd', reason: 'exit' };
  assert.deepEqual(hook(JSON.stringify(event)), ok(''));
  assert.deepEqual(archivedIds(run('archive', '--list', '--json')), [first]);
  assert.deepEqual(hook(JSON.stringify({ session_id: second })), ok(''));
  assert.deepEqual(archivedIds(run('archive', '--list', '--json')), [first, second]);
  assert.equal(existsSync(path.join(state, 'archive.log')), false);
});

test('a hook that fails still ends well, and leaves a line in the log', (t) => {
  const { hook, state } = library(t);
  for (const input of ['not json', '{"session_id":"99999999"}', '{"transcript_path":"/nowhere/x.jsonl"}'])
    assert.deepEqual(hook(input), ok(''));
  const lines = readFileSync(path.join(state, 'archive.log'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) =>
      line
        .replace(/^\S+ archive --auto: /, '')
        .split(';')[0]
        ?.replace(/ below .*/, ''),
    ),
    ['the input of the hook names no session', 'no session "99999999"', 'there is no file /nowhere/x.jsonl'],
  );
});

test('damage is found, named, and ends with exit code 1', (t) => {
  const { run, state } = library(t);
  run('archive');
  const pack = path.join(state, 'archive/000001.pack');
  const bytes = readFileSync(pack);
  bytes[400] = (bytes[400] ?? 0) ^ 1;
  writeFileSync(pack, bytes);
  const { status, stdout, stderr } = run('archive', '--verify');
  assert.equal(status, 1);
  assert.match(stdout, /000001\.pack at 0: a block of \d+ chunks is damaged\n/);
  assert.match(stdout, /\n10000000\S+ \(hello\): can no longer be restored\n/);
  assert.match(stdout, /\n30000000\S+: can be restored\n/);
  assert.match(stdout, /: 4 files cannot be restored; 2 sessions can no longer be restored\n$/);
  assert.match(stderr, /^clew: the archive is damaged; [^\n]*\n$/);
});

test('where the state folder cannot be written, one line says so and no transcript is touched', (t) => {
  const { env, root, state } = library(t);
  const before = snapshot(root);
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o555);
  giveToOrdinaryUser(path.dirname(root));
  const { status, stdout, stderr } = runClew(['archive'], { env, ...ordinaryUser });
  const archive = path.join(state, 'archive');
  assert.deepEqual(
    [status, stdout, stderr],
    [2, '', `clew: cannot write ${archive} (EACCES); check the permissions\n`],
  );
  assert.deepEqual(snapshot(root), before);
});

function ok(stdout: string): Run {
  return { status: 0, stdout, stderr: '' };
}

function sizeOf(files: ReturnType<typeof snapshot>, id: string): string {
  const own = [...files].filter(([name]) => name.includes(id) || (id === first && name.includes('/agent-')));
  const bytes = own.reduce((sum, [, [text]]) => sum + text.length, 0);
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}

function archivedIds({ stdout }: Run): string[] {
  return (JSON.parse(stdout) as { sessionId: string }[]).map((session) => session.sessionId).sort();
}
