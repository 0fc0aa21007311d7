// What the disk and other versions do to the index: every command that uses it says so in one line, answers all the
// same where the rows of one call are enough, and leaves the transcripts alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/library/index/database.ts';
import { snapshot } from '../support/archive-kit.ts';
import { cleanEnv, type Run, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { ordinaryUser } from '../support/ordinary-user.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

interface Place {
  readonly root: string;
  readonly home: string;
  readonly index: string;
  /** What each command prints where nothing is wrong. */
  readonly sound: ReadonlyMap<string, string>;
}

/** They need the rows only, which one call can read. */
const answering = ['ls', 'ls --json', 'usage', 'usage session --json', 'stats', 'stats --json'];
/** What was counted is not in the index. */
const counting = /^(usage|stats)/;
/** The full text is for the disk. */
const refusing = ['find lamp', 'find lamp --json', 'index'];

function place(context: TestContext): Place {
  const folder = temporaryFolder(context);
  chmodSync(folder, 0o755);
  const root = path.join(folder, 'root');
  const [home, other] = [path.join(folder, 'home'), path.join(folder, 'other')];
  const text = (title: string): string => sessionText([user(`light the lamp: ${title}`), assistant('It shines.')]);
  writeTree(root, { 'projects/-p/s1.jsonl': text('one'), 'projects/-p/s2.jsonl': text('two') });
  const sound = answering.map((words) => [words, run(words, { root, home: other }).stdout] as const);
  return { root, home, index: path.join(home, 'index.db'), sound: new Map(sound) };
}

type Target = Pick<Place, 'root' | 'home'>;

function run(words: string, { root, home }: Target, uid: { uid?: number } = {}): Run {
  return runClew([...words.split(' '), '--root', root], { env: { CLEW_HOME: home }, ...uid });
}

interface Trouble {
  readonly index: string;
  /** With what was counted, if it cannot be kept either. */
  readonly usage?: string;
}

/** Each command by `call`: the lines of stderr are the messages, and the transcripts are as they were. */
function checkAll({ root, sound }: Place, { index, usage }: Trouble, call: (words: string) => Run): void {
  const before = snapshot(root);
  const line = (text: string): string => `clew: ${text}; until then every call reads all sessions\n`;
  for (const words of answering) {
    const ofUsage = usage !== undefined && counting.test(words) ? line(usage) : '';
    // The titles of sessions are in the index; the other reports do not need it.
    const ofIndex = words === 'usage' ? '' : line(index);
    const stderr = words.startsWith('usage') ? ofUsage + ofIndex : ofIndex + ofUsage;
    const expected = { status: 0, stdout: sound.get(words), stderr };
    assert.deepEqual(withoutNames(call(words)), expected, words);
  }
  for (const words of refusing) {
    assert.deepEqual(call(words), { status: 2, stdout: '', stderr: `clew: ${index}\n` }, words);
  }
  const stderr = usage === undefined ? '' : `clew: ${usage}\n`;
  assert.deepEqual(withoutNames(call('statusline')), { status: 0, stdout: '$0.00 session · $0.00 today\n', stderr });
  assert.deepEqual(snapshot(root), before);
}

/** The name of a file of counts comes from the folders. */
function withoutNames({ status, stdout, stderr }: Run): Run {
  return { status, stdout, stderr: stderr.replace(/usage\/\w+\.state/, 'usage/NAME.state') };
}

test('a state folder that cannot be written', (context) => {
  const at = place(context);
  mkdirSync(at.home, { mode: 0o555 });
  checkAll(at, unwritable(at, 'EACCES'), (words) => run(words, at, ordinaryUser));
});

test('a state folder that is a file', (context) => {
  const at = place(context);
  writeFileSync(at.home, '');
  checkAll(at, unwritable(at, 'ENOTDIR'), (words) => run(words, at));
});

function unwritable({ home, index }: Place, code: string): Trouble {
  const advice = 'set CLEW_HOME to a folder you may write to';
  return {
    index: `the index cannot be written: ${index}; ${advice}`,
    usage: `${path.join(home, 'usage/NAME.state')} cannot be written (${code}); ${advice}`,
  };
}

test('an index that a newer Clew wrote', (context) => {
  const at = place(context);
  run('index', at);
  const database = openDatabase(at.index);
  database.exec('PRAGMA user_version = 999');
  database.close();
  const index = `${at.index} was written by a newer Clew; update Clew, or set CLEW_HOME to another folder`;
  checkAll(at, { index }, (words) => run(words, at));
});

test('a size limit of the shell that the index does not fit', (context) => {
  const at = place(context);
  const advice = 'check it, its quota and the size limit of the shell (ulimit -f)';
  checkAll(at, { index: `the disk refuses the index: ${at.index}; ${advice}` }, (words) =>
    inShell('ulimit -f 8; exec "$0" "$@"', words, at),
  );
});

const namespace = ['-U', '-r', '-m'];
const mayMount = spawnSync('unshare', [...namespace, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const withoutMount = mayMount ? false : 'this machine lets no user mount a disk of his own';

test('a disk that is full', { skip: withoutMount }, (context) => {
  const at = place(context);
  mkdirSync(at.home);
  const full = (file: string): string => `the disk is full: ${file}; make room and run it again`;
  const usage = full(path.join(at.home, 'usage/NAME.state'));
  checkAll(at, { index: full(at.index), usage }, (words) =>
    inShell('mount -t tmpfs -o size=4k tmpfs "$CLEW_HOME"; exec "$0" "$@"', words, at, ['unshare', ...namespace]),
  );
});

function inShell(script: string, words: string, { root, home }: Target, before: readonly string[] = []): Run {
  const [program = '', ...args] = [...before, 'sh', '-c', script, process.execPath, clew, ...words.split(' ')];
  const env = { ...cleanEnv(), CLEW_HOME: home };
  const { status, stdout, stderr } = spawnSync(program, [...args, '--root', root], { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

test('a transcript that cannot be read is named by every command, and the others count', (context) => {
  const at = place(context);
  mkdirSync(at.home);
  chmodSync(at.home, 0o777);
  const secret = path.join(at.root, 'projects/-p/s2.jsonl');
  chmodSync(secret, 0o000);
  for (const words of [...answering, ...refusing]) {
    const { status, stdout, stderr } = run(words, at, ordinaryUser);
    assert.deepEqual([status, stderr], [1, `clew: cannot read ${secret} (EACCES); check the permissions\n`], words);
    if (words === 'ls') assert.match(stdout, /one[\s\S]*1 session /);
    if (words === 'find lamp') assert.match(stdout, /one[\s\S]*\n1 match/);
  }
});
