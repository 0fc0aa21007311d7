// Files and folders that cannot be read: every command that reports on many sessions names them on stderr, lists them in
// its JSON and ends with exit code 1, and still reports on the rest. The commands run as another user, because root may
// read everything.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isArray, type JsonObject, type JsonValue, parseJson } from '../../../src/base/json/json.ts';
import { type Run, runClew } from '../../support/clew.ts';
import { giveToOrdinaryUser, ordinaryUser } from '../../support/ordinary-user.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const open = '11111111-1111-4111-8111-111111111111';
const sealed = '22222222-2222-4222-8222-222222222222';
const hidden = '33333333-3333-4333-8333-333333333333';

const reports: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '--ids'],
  ['find', 'lantern'],
  ['index'],
  ['usage'],
  ['usage', 'session'],
  ['stats'],
  ['doctor', '--all'],
  ['redact', '--check', '--all'],
  ['archive', '--dry-run'],
  ['archive'],
  ['rm', '--empty', '--dry-run'],
  ['export', '--all', '--format', 'parquet', '--force', '-o', 'OUTPUT'],
];

for (const args of reports) {
  test(`clew ${args.join(' ')} names a locked folder, a locked transcript and a locked side folder, and fails`, (context) => {
    const { run, locked, state } = library(context);
    const { status, stderr } = run(...args.map((word) => word.replace('OUTPUT', path.join(state, 'tables'))));
    // These two look at transcripts only.
    const isNarrow = args[0] === 'rm' || args[1] === '--ids';
    const wanted = isNarrow ? locked.slice(0, 2) : locked;
    for (const file of wanted) {
      const lines = stderr.split('\n').filter((line) => line.includes(`cannot read ${file} (EACCES)`));
      assert.equal(lines.length, 1, `${file} in:\n${stderr}`);
      assert.match(lines[0] ?? '', /^clew: cannot read .*; check the permissions$/);
    }
    assert.equal(status, 1);
  });
}

for (const args of [
  ['find', 'lantern'],
  ['index'],
  ['usage'],
  ['usage', '--receipts'],
  ['stats'],
  ['doctor', '--all'],
  ['redact', '--check', '--all'],
]) {
  test(`clew ${args.join(' ')} --json lists what it could not read`, (context) => {
    const { run, locked } = library(context);
    const { status, stdout } = run(...args, '--json');
    const unread = rowsOf(asObject(parseJson(stdout))?.unread).map(({ path: file, code }) => `${code} ${file}`);
    assert.deepEqual(unread.sort(), locked.map((file) => `EACCES ${file}`).sort());
    assert.equal(status, 1);
  });
}

test('ls --json has a row for everything it could not read', (context) => {
  const { run, root, locked } = library(context);
  const { status, stdout } = run('ls', '--json');
  assert.deepEqual(
    rowsOf(parseJson(stdout)).map(({ sessionId, path: file, unread }) => [sessionId, file, unread]),
    [
      [open, path.join(root, 'projects/-w-open', `${open}.jsonl`), null],
      [null, locked[0], 'EACCES'],
      [null, locked[2], 'EACCES'],
      [sealed, locked[1], 'EACCES'],
    ],
  );
  assert.equal(status, 1);
});

test('a transcript that was indexed before it was locked is named anyway', (context) => {
  const { run, root, locked } = library(context);
  for (const file of locked) chmodSync(file, 0o755);
  assert.equal(run('usage').status, 0);
  const file = path.join(root, 'projects/-w-open', `${open}.jsonl`);
  chmodSync(file, 0o000);
  const { status, stderr } = run('usage');
  assert.match(stderr, new RegExp(`cannot read ${file} \\(EACCES\\)`));
  assert.equal(status, 1);
});

test('redact --check says that nothing was checked where nothing could be read', (context) => {
  const { run, root } = library(context);
  chmodSync(path.join(root, 'projects'), 0o000);
  assert.deepEqual(run('redact', '--check', '--all'), {
    status: 1,
    stdout: 'nothing was checked; 1 file or folder could not be read\n',
    stderr: `clew: cannot read ${path.join(root, 'projects')} (EACCES); check the permissions\n`,
  });
});

test('a check of a root that cannot be entered, is missing or is a file fails', (context) => {
  const { run, root } = library(context);
  const parent = path.dirname(root);
  writeFileSync(path.join(parent, 'file'), '');
  mkdirSync(path.join(parent, 'closed'));
  mkdirSync(path.join(parent, 'closed/root'));
  chmodSync(path.join(parent, 'closed'), 0o000);
  for (const [name, code] of [
    ['closed', 'EACCES'],
    ['closed/root', 'EACCES'],
    ['nowhere', 'ENOENT'],
    ['file', 'ENOTDIR'],
  ] as const) {
    for (const args of [
      ['redact', '--check', '--all'],
      ['doctor', '--all'],
    ]) {
      const { status, stdout, stderr } = run.below(path.join(parent, name), ...args);
      assert.match(stderr, new RegExp(`cannot read ${path.join(parent, name)}(/projects)? \\(${code}\\)`));
      assert.match(stdout, /^(nothing was checked|no session was examined); 1 file or folder could not be/);
      assert.equal(status, 1, `${args.join(' ')} ${name}`);
    }
  }
});

test('a check of named files fails where one of them cannot be read, and reports the others', (context) => {
  const { run, root } = library(context);
  const file = path.join(root, 'projects/-w-open', `${sealed}.jsonl`);
  const note = path.join(path.dirname(root), 'note.txt');
  writeFileSync(note, `key ${`AK${'IA'}Q7ZR3MTW5XK2VB4N`}\n`);
  const { status, stdout, stderr } = run('redact', '--check', file, note);
  assert.match(stderr, new RegExp(`cannot read ${file} \\(EACCES\\)`));
  assert.match(stdout, /note\.txt: 1 secret/);
  assert.equal(status, 1);
});

test('a session with a locked side folder is shown and diagnosed, and the folder is named', (context) => {
  const { run, locked } = library(context);
  for (const command of ['show', 'doctor']) {
    const { status, stdout, stderr } = run(command, open);
    assert.match(stdout, /lantern/);
    assert.match(stderr, new RegExp(`cannot read ${locked[2]} \\(EACCES\\)`));
    assert.equal(status, 1);
  }
});

test('move refuses where a session of the folder cannot be read', (context) => {
  const { run, root } = library(context);
  const { status, stderr } = run('move', '/w/open', root);
  assert.match(stderr, /cannot read .* \(EACCES\); check the permissions; nothing was moved/);
  assert.equal(status, 2);
});

test('the log of archive --auto names what could not be read', (context) => {
  const { run, locked, state } = library(context);
  assert.equal(run('archive', '--auto').status, 0);
  const log = readFileSync(path.join(state, 'archive.log'), 'utf8');
  for (const file of locked) assert.ok(log.includes(`cannot read ${file} (EACCES)`), log);
});

function rowsOf(value: JsonValue | undefined): readonly JsonObject[] {
  assert.ok(isArray(value));
  return value.map((each) => asObject(each) ?? {});
}

interface Runner {
  (...args: string[]): Run;
  below(root: string, ...args: string[]): Run;
}

/** A library of which another user can read one session without its side folder; `locked` is what that user cannot. */
function library(context: TestContext): {
  readonly root: string;
  readonly state: string;
  readonly locked: readonly string[];
  readonly run: Runner;
} {
  const temp = temporaryFolder(context);
  const [root, state] = [path.join(temp, 'claude'), path.join(temp, 'state')];
  const projects = path.join(root, 'projects');
  writeTree(projects, {
    [`-w-open/${open}.jsonl`]: sessionText([user('lantern'), assistant('lit')], { sessionId: open }),
    [`-w-open/${open}/subagents/agent-1.jsonl`]: sessionText([user('oil')], { sessionId: open, isSidechain: true }),
    [`-w-open/${sealed}.jsonl`]: sessionText([user('wick')], { sessionId: sealed }),
    [`-w-locked/${hidden}.jsonl`]: sessionText([user('oil')], { sessionId: hidden }),
  });
  mkdirSync(state);
  const locked = [
    path.join(projects, '-w-locked'),
    path.join(projects, '-w-open', `${sealed}.jsonl`),
    path.join(projects, '-w-open', open, 'subagents'),
  ];
  giveToOrdinaryUser(temp);
  for (const file of locked) chmodSync(file, 0o000);
  const below = (below: string, ...args: string[]): Run =>
    runClew(args, { env: { CLEW_HOME: state, CLEW_ROOTS: below }, ...ordinaryUser });
  return { root, state, locked, run: Object.assign((...args: string[]) => below(root, ...args), { below }) };
}
