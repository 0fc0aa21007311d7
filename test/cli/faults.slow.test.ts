// Any call of a command on a file fails as a full, faulty or forbidden disk lets it: one line that says what to do next,
// never a bug in Clew. `CLEW_SEED` chooses other calls; with CLEW_LONG=1 there are ten times as many.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanEnv, runClew } from '../support/clew.ts';
import { clew, dist } from '../support/dist.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import {
  type CallPoint,
  listPoints,
  noStrace,
  runStruck,
  type Strike,
  type StruckRun,
} from '../support/struck-calls.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const commands: readonly string[] = [
  ...[
    'ls',
    'find first',
    'usage daily',
    'usage daily --json',
    'stats',
    'show {id}',
    'export {id} --output {top}/one.md',
  ],
  ...['star {id}', 'tag {id} new', 'fork {id}', 'archive', 'archive --verify', 'doctor {id}', 'doctor --all', 'index'],
  ...[
    'setup --mcp --archive --skill --yes',
    'setup --remove --yes',
    'trace install',
    'guard set --hard 5',
    'statusline',
  ],
  ...[
    'redact {id} --check',
    'history',
    'undo',
    'trace explain {id}',
    'completion bash',
    'rm {id} --yes',
    'messages {id}',
  ],
];

const id = '40000000-0000-4000-8000-000000000000';

interface Place {
  readonly top: string;
  readonly env: Readonly<Record<string, string>>;
  args(command: string): readonly string[];
}

function makePlace(context: TestContext): Place {
  const top = temporaryFolder(context);
  const root = path.join(top, 'claude');
  writeTree(root, {
    [`projects/-home-kim-red/${id}.jsonl`]: sessionText([user('first'), assistant('second')], { version: '2.1.325' }),
    'settings.json': '{"model":"opus"}',
  });
  const env = { ...cleanEnv(), PATH: '/nowhere', HOME: top, CLEW_HOME: path.join(top, 'state'), CLEW_ROOTS: root };
  return {
    top,
    env,
    args: (command) => command.replaceAll('{id}', id).replaceAll('{top}', top).split(' '),
  };
}

/** What the system may answer to a call of this name. */
function errorsFor(call: string): readonly Strike[] {
  if (/^(?:read|pread64|readv|getdents64)$/.test(call)) return ['EIO'];
  if (/^(?:fsync|fdatasync)$/.test(call)) return ['EIO', 'ENOSPC', 'EDQUOT'];
  if (/write|truncate/.test(call)) return ['ENOSPC', 'EIO', 'EDQUOT'];
  if (/stat/.test(call)) return ['EACCES', 'EIO'];
  if (call === 'openat') return ['EMFILE', 'EACCES', 'EIO', 'ENOSPC', 'EROFS', 'ENFILE'];
  return ['EIO', 'EACCES', 'EROFS', 'ENOSPC'];
}

function findFault({ status, stderr, stdout }: Omit<StruckRun, 'struck'>): string | undefined {
  if (status === null || status === 70 || status > 3) return `exit ${status}`;
  if (/this is a bug|^\s+at .*:\d+:\d+\)?$/m.test(stderr + stdout)) return 'called a bug, or a stack';
  const lines = stderr.split('\n').filter((line) => line !== '');
  if (lines.some((line) => !line.startsWith('clew: '))) return 'a line on stderr that is not one of clew';
  if (status !== 0 && lines.length === 0 && stdout === '') return 'no line';
  return status === 2 && !lines.some((line) => line.includes('; ')) ? 'no next step' : undefined;
}

const random = seededRandom(Number(process.env.CLEW_SEED ?? '1'));
const perCommand = process.env.CLEW_LONG === '1' ? 40 : 4;

function pickPoints(points: readonly CallPoint[]): readonly CallPoint[] {
  return points
    .map((point) => ({ point, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, perCommand)
    .map(({ point }) => point);
}

test('a disk that refuses any call is one line with a next step', { skip: noStrace }, (context) => {
  const faults: string[] = [];
  let tried = 0;
  for (const command of commands) {
    const first = makePlace(context);
    const points = listPoints(first.args(command), { env: first.env, cwd: first.top }, first.top);
    assert.ok(points.length > 0 || command.startsWith('completion'), command);
    for (const point of pickPoints(points)) {
      const place = makePlace(context);
      if (/undo|history|remove/.test(command)) prepare(place, command);
      const errors = errorsFor(point.call);
      const strike = errors[Math.floor(random() * errors.length)] ?? 'EIO';
      const run = runStruck(place.args(command), point, strike, { env: place.env, cwd: place.top });
      if (run.struck === undefined) continue;
      tried++;
      const fault = findFault(run);
      if (fault !== undefined)
        faults.push(`clew ${command}, ${point.call}:${point.nth} ${strike}: ${fault}: ${run.stderr}`);
    }
  }
  assert.deepEqual(faults, [], `${faults.length} of ${tried}`);
  context.diagnostic(`${tried} calls`);
});

function prepare(place: Place, command: string): void {
  const before = command.includes('remove') ? 'setup --mcp --skill --yes' : `tag ${id} old`;
  assert.equal(runClew(place.args(before), { env: place.env, cwd: place.top, isAlone: true }).status, 0);
}

test('a file of the program that cannot be read is one line', { skip: noStrace }, (context) => {
  const place = makePlace(context);
  // Node's loader opens them in another thread, after a look at each in the first one.
  const looks = listPoints(['ls'], { env: place.env }, path.join(dist, 'chunks')).filter(
    ({ call }) => call === 'statx',
  );
  let refused = 0;
  for (const point of pickPoints(looks)) {
    const run = runStruck(['ls'], point, 'EIO', { env: place.env });
    if (run.struck?.startsWith(dist) !== true) continue;
    refused++;
    assert.match(run.stderr, /^clew: .*cannot (?:be )?read.*; .*check .*\n$/, run.struck);
    assert.equal(run.status, 2);
  }
  assert.ok(refused > 0);
});

test('a working directory that is gone is one line, or not needed', (context) => {
  const place = makePlace(context);
  for (const command of ['ls', 'show {id}', 'usage daily', 'statusline', 'find first', 'setup --yes', '--version']) {
    const gone = path.join(place.top, 'gone');
    if (!existsSync(gone)) mkdirSync(gone);
    const script = 'cd "$1" && /bin/rmdir "$1" && shift && exec "$@"';
    const { status, stdout, stderr } = spawnSync(
      '/bin/sh',
      ['-c', script, 'sh', gone, process.execPath, clew, ...place.args(command)],
      { env: place.env, encoding: 'utf8' },
    );
    if (existsSync(gone)) rmdirSync(gone);
    assert.equal(findFault({ status, stdout, stderr }), undefined, `${command}: ${stderr}`);
    if (status !== 0)
      assert.match(stderr, /^clew: the working directory cannot be read \(ENOENT\); change to a folder/);
  }
});

test('an output that takes nothing is one line', { skip: !existsSync('/dev/full') }, (context) => {
  const place = makePlace(context);
  const full = openSync('/dev/full', 'w');
  for (const command of ['ls', 'ls --json', 'show {id}', 'usage daily', 'stats', 'setup --status', '--help']) {
    const call = [clew, ...place.args(command)];
    const { status, stderr } = spawnSync(process.execPath, call, {
      env: place.env,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    assert.deepEqual(
      [status, /^clew: the output could not be written .*; check/m.test(stderr)],
      [2, true],
      `${command}: ${stderr}`,
    );
    // Where not even the error can be written, the exit code remains.
    assert.equal(
      spawnSync(process.execPath, call, { env: place.env, stdio: ['ignore', full, full] }).status,
      2,
      command,
    );
  }
});
