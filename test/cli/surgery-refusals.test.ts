// What a user gets wrong, for every command that changes sessions: one line that says what and what next, the right exit
// code, and no byte changed anywhere.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { holdSession } from '../../src/library/session-files/session-use.ts';
import { runClew } from '../support/clew.ts';
import { type Bench, type benchWith, contentsOf, entriesOf } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { agent, empty, junk, library, prompt, qwen } from './surgery-refusals-kit.ts';

/** [arguments, exit code, pattern of the one line]. */
const refusals: readonly (readonly [string, number, RegExp])[] = [
  ['fork', 2, /fork needs a SESSION/],
  ['fork S --at 9', 2, /has no turn 9; it has 2/],
  ['fork S --at 0', 2, /has no turn 0/],
  ['fork S --at zzz', 2, /no line of .* has the uuid zzz/],
  ['fork S other', 2, /takes one SESSION/],
  ['fork nowhere', 2, /no session "nowhere"/],
  [`fork ${empty}`, 2, /is empty, as some clients leave it/],
  [`fork ${junk}`, 2, /is not a transcript: no line of it is a JSON record/],
  [`fork ${qwen}`, 2, /written by Qwen Code/],
  [`fork ${agent}`, 2, /transcript of a sub-agent, not a session; name its session: [0-9a-f-]{36}/],
  ['strip S --tools Nope', 2, /nothing to strip in/],
  ['strip S --tools --keep-last x', 2, /takes a number/],
  [`strip ${agent} --tools`, 2, /transcript of a sub-agent/],
  ['compress S', 2, /for example --keep-turns 5/],
  ['compress S --keep-turns 2', 2, /nothing to compress/],
  [`compress ${prompt} --keep-turns 1`, 2, /it has 1 turn;/],
  ['compress S --keep-turns 1 --summary-file nowhere.md', 2, /cannot read .*nowhere\.md \(ENOENT\); check the name/],
  ['compress S --keep-turns 1 --api --offline', 2, /cannot be combined/],
  ['compress S --keep-turns 1 --api', 2, /ANTHROPIC_API_KEY is not set/],
  ['move S', 2, /move takes OLD_DIR NEW_DIR/],
  ['move S --to /w/q other', 2, /move takes no argument "other" here/],
  ['move /nowhere /elsewhere', 2, /no session started in \/nowhere/],
  [`move ${agent} --to /w/q`, 2, /transcript of a sub-agent/],
  ['rewind S', 2, /--to TURN is missing/],
  ['rewind S --to 3', 2, /has no turn 3/],
  ['graft S', 2, /needs a SESSION_B/],
  ['graft S S', 2, /both arguments name the same session/],
  [`merge S ${prompt}`, 2, /have no turn in common/],
  ['split S', 2, /--at TURN is missing/],
  ['split S --at 2', 2, /cannot be split at turn 2/],
  ['rename S', 2, /needs a TITLE/],
  ['tag S', 2, /either TAG or --remove/],
  [`rename ${agent} title`, 2, /transcript of a sub-agent/],
  ['bundle S', 2, /--output FILE is missing/],
  ['bundle S -o there.clew', 3, /already exists/],
  [`bundle ${agent} -o new.clew`, 2, /transcript of a sub-agent/],
  ['import nowhere.clew', 2, /cannot read .*; check the name/],
  ['import there.clew', 2, /the bundle cannot be imported/],
  ['undo', 3, /no operation to undo/],
  ['undo nope', 2, /there is no operation "nope"/],
  ['doctor', 2, /needs a SESSION, --all or --client/],
  ['doctor S --in-place', 2, /--in-place needs --fix; add --fix or leave out --in-place/],
  ['doctor S --fix --strategy best', 2, /there is no strategy "best"/],
  ['doctor --all --fix', 2, /--fix repairs one session at a time; give a SESSION instead of --all/],
  [`doctor ${agent} --fix`, 2, /transcript of a sub-agent/],
];

test('every command that changes sessions refuses wrong use in one line and changes nothing', (context) => {
  const bench = library(context);
  const before = contentsOf(path.dirname(bench.root));
  for (const [words, status, pattern] of refusals) {
    const run = clewIn(bench, words);
    assert.deepEqual([words, run.status, run.stdout], [words, status, '']);
    assert.match(run.stderr, pattern);
    assert.match(run.stderr.split('\n').at(-2) ?? '', /^clew: .+; .+$/, words);
  }
  assert.deepEqual(contentsOf(path.dirname(bench.root)), before);
});

/** Everything that changes a session in place. */
const changes = [
  'rename S t',
  'tag S t',
  'strip S --tools --in-place',
  'rewind S --to 1 --in-place',
  'compress S --keep-turns 1 --in-place',
  'move S --to /w/q',
  'redact S --in-place',
  'doctor S --fix --in-place --yes',
  'undo',
  'rm S --yes',
];

test('a session that a client has open is changed by no command, and copied by those that only read it', (context) => {
  const bench = changedLibrary(context);
  mkdirSync(path.join(bench.root, 'sessions'));
  writeFileSync(path.join(bench.root, 'sessions', `${process.pid}.json`), JSON.stringify({ sessionId }));
  assertLeftAlone(bench, `Claude Code runs it as process ${process.pid}`);
  assert.equal(clewIn(bench, 'fork S').status, 0);
});

test("a session that Clew's own agent works in is changed by no command either", async (context) => {
  const bench = changedLibrary(context);
  const release = await holdSession(bench.main, bench.env);
  assertLeftAlone(bench, `clew works in it (process ${process.pid} on ${hostname()})`);
  assert.equal(clewIn(bench, 'fork S').status, 0);
  await release();
  assert.equal(clewIn(bench, 'undo').status, 0);
  assert.equal(clewIn(bench, 'undo').status, 0);
  assert.equal(clewIn(bench, 'tag S t').status, 0);
});

/** With an operation to take back, a secret, and no newline at the end, so that no command has nothing to do. */
function changedLibrary(context: Parameters<typeof benchWith>[0]): Bench {
  const bench = library(context);
  assert.equal(clewIn(bench, 'rename S before').status, 0);
  const secret = ['gh', `p_${'aB3dE5fG7hI9'.repeat(3)}`].join('');
  const place = { uuid: 'x', parentUuid: 'a3', timestamp: '2026-01-03T11:00:00.000Z' };
  appendFileSync(bench.main, transcript().user(`it is ${secret}`, place).text().trimEnd());
  return bench;
}

function assertLeftAlone(bench: Bench, user: string): void {
  const before = contentsOf(bench.root);
  for (const words of changes) {
    const { status, stderr } = clewIn(bench, words);
    const said = stderr.split('\n').at(-2);
    const line = `clew: session ${sessionId} is in use: ${user}; end it there and run it again`;
    assert.deepEqual([words, status, said], [words, 3, line]);
  }
  assert.deepEqual(contentsOf(bench.root), before);
}

test('every command that changes sessions can be tried first, and --json shows what it would do', (context) => {
  const bench = changedLibrary(context);
  assert.equal(clewIn(bench, 'bundle S -o sent.clew').status, 0);
  const { to } = JSON.parse(clewIn(bench, 'fork S --at 1 --json').stdout);
  const end = entriesOf(to.path).findLast(({ type }) => type === 'assistant');
  const place = { parentUuid: String(end?.uuid), sessionId: to.sessionId, timestamp: '2026-01-03T11:00:00.000Z' };
  appendFileSync(to.path, transcript().user('another way', place).text());
  const before = contentsOf(bench.root);
  const tries = ['fork S', 'strip S --tools', 'compress S --keep-turns 1', 'move S --to /w/q', 'rewind S --to 1'];
  const others = ['split S --at 1', 'rename S t', 'tag S t', 'bundle S -o new.clew', 'redact S', 'import sent.clew'];
  for (const words of [...tries, ...others, `graft S ${to.sessionId}`]) {
    const { status, stdout, stderr } = clewIn(bench, `${words} --dry-run --json`);
    assert.deepEqual([words, status, stderr], [words, 0, '']);
    const { operation, written } = JSON.parse(stdout);
    assert.deepEqual([words, operation, written], [words, words.split(' ')[0], false]);
  }
  const renamed = JSON.parse(clewIn(bench, 'history --json').stdout).at(-1).id;
  const undo = JSON.parse(clewIn(bench, `undo ${renamed} --dry-run --json`).stdout);
  assert.equal(undo.operation, 'rename');
  const fix = JSON.parse(clewIn(bench, 'doctor S --fix --dry-run --json').stdout);
  assert.deepEqual([fix.written, fix.dropped], [null, []]);
  assert.deepEqual(contentsOf(bench.root), before);
  assert.ok(!existsSync(path.join(bench.root, 'new.clew')));
});

function clewIn(bench: Bench, words: string): ReturnType<typeof runClew> {
  const args = words
    .split(' ')
    .map((word) => (word === 'S' ? sessionId : word === agent ? path.join(bench.folder, agent) : word));
  const root = args[0] === 'undo' ? [] : ['--root', bench.root];
  return runClew([...args, ...root], { cwd: bench.root, env: { CLEW_HOME: bench.env.CLEW_HOME } });
}
