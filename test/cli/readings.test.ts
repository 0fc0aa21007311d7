// How often each command reads the bytes of its transcripts, counted at the system calls of a process of its own. Every
// command starts without an index.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { sessionOf } from '../library/library-root.ts';
import { cleanEnv } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { skipWithout } from '../support/terminal.ts';

const skip = skipWithout('strace');
const project = 'projects/-home-ada-0';
const damaged = '0a1b2c3d-0000-4000-8000-000000000001';

test('a first ls reads its library once', { skip }, (context) => {
  const { status, readings } = run(context, writeLibrary(context), ['ls', '--json']);
  assert.equal(status, 0);
  assertBetween(readings, 1, 1.1);
});

test('a first find reads its library twice', { skip }, (context) => {
  const { status, readings } = run(context, writeLibrary(context), ['find', 'phare', '--json']);
  assert.equal(status, 0);
  assertBetween(readings, 2, 2.1);
});

test('doctor --all reads its library once', { skip }, (context) => {
  const { status, readings, stdout } = run(context, writeLibrary(context), ['doctor', '--all', '--json']);
  assert.equal(status, 0);
  assert.match(stdout, /L-surrogate/, 'only a reader of every byte finds it');
  assertBetween(readings, 1, 1.1);
});

test(
  'doctor --fix reads the file that it repairs twice, and once more for its hash in the journal',
  { skip },
  (context) => {
    const root = temporaryFolder(context);
    writeTree(root, { [`${project}/${damaged}.jsonl`]: damagedSession(400) });
    const only = path.join(root, project, `${damaged}.jsonl`);
    const { status, readings } = run(context, root, ['doctor', only, '--fix', '--yes', '--json'], [only]);
    assert.equal(status, 0);
    assertBetween(readings, 1, 3.1);
  },
);

/** Sessions smaller and larger than what is read at once, with sub-agents in both places and damage in one. */
function writeLibrary(context: TestContext): string {
  const root = temporaryFolder(context);
  const agent = sessionText([user('look around'), assistant('Nothing here.')], { sessionId: 'session-0' });
  const names = Array.from({ length: 12 }, (_, i) => [`${project}/session-${i}.jsonl`, sessionOf(i, 60)]);
  writeTree(root, {
    ...Object.fromEntries(names),
    [`${project}/session-12.jsonl`]: sessionOf(12, 800),
    [`${project}/session-0/subagents/agent-a1.jsonl`]: agent.repeat(20),
    [`${project}/session-0/custom-title.json`]: '{"customTitle":"Named"}',
    [`${project}/agent-b2.jsonl`]: agent.repeat(20),
    [`${project}/${damaged}.jsonl`]: damagedSession(60),
    [`${project}/phare.jsonl`]: sessionText([user('a phare in the fog'), assistant('Yes.')], { sessionId: 'phare' }),
  });
  return root;
}

/** A line is gone, and a half surrogate pair makes doctor look at every byte. */
function damagedSession(turns: number): string {
  const lines = sessionOf(1, turns).replaceAll('session-1', damaged).split('\n');
  lines.splice(Math.floor(turns / 2) * 4, 1);
  return lines.join('\n').replace('answer 3:', 'answer \\ud83d:');
}

interface CountedRun {
  readonly status: number | null;
  readonly stdout: string;
  /** Bytes read of `files`, divided by their size before the run. */
  readonly readings: number;
}

function run(
  context: TestContext,
  root: string,
  args: readonly string[],
  files: readonly string[] = transcriptsBelow(root),
): CountedRun {
  const home = temporaryFolder(context);
  const log = path.join(home, 'calls');
  writeFileSync(log, '');
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const flags = ['-f', '-qqq', '-y', '-s', '0', '-e', 'signal=none', '-e', 'trace=read,pread64,readv,preadv,preadv2'];
  const command = [process.execPath, clew, ...args, '--root', root];
  const { status, stdout } = spawnSync('strace', [...flags, '-o', log, '--', ...command], {
    env: { ...cleanEnv(), CLEW_HOME: path.join(home, 'state') },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, readings: bytesRead(readFileSync(log, 'latin1'), files) / size };
}

function transcriptsBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(root, name));
}

/** A call that another thread interrupts is in two lines: its file in the first, its result in the second. */
function bytesRead(log: string, files: readonly string[]): number {
  const wanted = new Set(files);
  const begun = new Map<string, string>();
  let bytes = 0;
  for (const line of log.split('\n')) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const file = /^\w+\(\d+<([^>]*)>/.exec(call)?.[1] ?? (call.startsWith('<...') ? begun.get(thread) : undefined);
    if (call.endsWith('<unfinished ...>')) begun.set(thread, file ?? '');
    else if (wanted.has(file ?? '')) bytes += Math.max(0, Number(/= (-?\d+)/.exec(call)?.[1] ?? 0));
  }
  return bytes;
}

function assertBetween(value: number, least: number, most: number): void {
  assert.ok(value >= least && value <= most, `${value.toFixed(2)} readings, not between ${least} and ${most}`);
}
