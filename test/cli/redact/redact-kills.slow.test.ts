// Secrets in every place and encoding, then any sequence of redactions, kills at any changing call, and reruns: what `--prove`
// says is what a search with known bytes finds, and an exit code of 0 means that nothing is left.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { asObject, asString, isArray, parseJson } from '../../../src/base/json/json.ts';
import { cleanEnv } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { findPlanted, otherId, pick, plantPlaces, secrets } from './planted-places.ts';

const isLong = process.env.CLEW_LONG === '1';
const first = Number(process.env.CLEW_SEED ?? 1);
const count = Number(process.env.CLEW_CASES ?? (isLong ? 500 : 8));

const top = temporaryFolder({ after });
const root = path.join(top, 'live', 'library');
const state = path.join(top, 'live', 'state');
const env = { ...cleanEnv(), CLEW_HOME: state, CLAUDE_CONFIG_DIR: root, UV_THREADPOOL_SIZE: '1' };

test(`after any redactions, kills and reruns the proof agrees with a search for bytes (${count} sequences)`, () => {
  makeTemplate();
  const totals = { kills: 0, clean: 0, dirty: 0, unrecorded: 0 };
  for (let seed = first; seed < first + count; seed++) runSequence(seed, totals);
  console.log(JSON.stringify(totals));
  assert.ok(count < 8 || (totals.kills > 0 && totals.clean + totals.dirty > 0), JSON.stringify(totals));
});

type Totals = { kills: number; clean: number; dirty: number; unrecorded: number };

function runSequence(seed: number, totals: Totals): void {
  const random = seededRandom(seed);
  rmSync(path.join(top, 'live'), { recursive: true, force: true });
  cpSync(path.join(top, 'template'), path.join(top, 'live'), { recursive: true, preserveTimestamps: true });
  const hasPlaces = random() < 0.6;
  const planted = hasPlaces ? plantPlaces(root, state, random) : [];
  const steps: string[] = [`seed ${seed}, planted ${JSON.stringify(planted)}`];
  const runs = 1 + Math.floor(random() * 3);
  for (let step = 0; step < runs; step++) {
    const words = pick(commands, random);
    const killAt = random() < 0.6 ? 1 + Math.floor(random() * 160) : undefined;
    const run = redact(words, killAt);
    if (run.signal === 'SIGKILL') totals.kills++;
    steps.push(`${words.join(' ')}, kill at ${killAt}: ${run.signal ?? run.status} ${run.stderr}`);
    assert.notEqual(run.status, 70, steps.join('\n'));
    if (run.status === 0 && words.includes('--no-backup') && words.includes(sessionId))
      assert.deepEqual(left(), [], steps.join('\n'));
    if (random() < 0.3) redact(['find', 'special']);
  }
  // Nothing is in the way, so that the last run finishes what the others began.
  if (!hasPlaces) {
    const last = redact(['redact', sessionId, '--in-place', '--no-backup']);
    steps.push(`last: ${last.status} ${last.stdout} ${last.stderr}`);
    assert.deepEqual([last.status, left()], [0, []], steps.join('\n'));
  }
  const run = redact(['redact', '--prove', '--json']);
  steps.push(`prove: ${run.status} ${run.stderr}`);
  if (!isRecorded()) {
    totals.unrecorded++;
    assert.ok(
      left().some((file) => file.endsWith(`${sessionId}.jsonl`)),
      `lost without a record: ${steps.join('\n')}`,
    );
    return;
  }
  const held = left();
  const { said, unread } = readCertificate(run.stdout, steps);
  // An index from before the cleaning is named without a search.
  const isIndex = (file: string): boolean => /index\.db(?:-wal|-shm)?$/.test(file);
  assert.deepEqual(
    said.filter((file) => !isIndex(file)),
    held.filter((file) => !isIndex(file)),
    steps.join('\n'),
  );
  if (held.some(isIndex)) assert.ok(said.some(isIndex), steps.join('\n'));
  assert.equal(run.status, said.length + unread === 0 ? 0 : 1, `${steps.join('\n')}\n${run.stdout}`);
  if (held.length === 0) totals.clean++;
  else totals.dirty++;
}

const commands: readonly (readonly string[])[] = [
  ['redact', sessionId, '--in-place'],
  ['redact', sessionId, '--in-place', '--no-backup'],
  ['redact', sessionId, '--in-place', '--no-backup'],
  ['redact', sessionId, '--in-place', '--no-backup'],
  ['redact', otherId, '--in-place', '--no-backup'],
  ['redact', sessionId],
];

/** Before that nothing was redacted. */
function isRecorded(): boolean {
  const file = path.join(state, 'purges.json');
  return existsSync(file) && readFileSync(file, 'utf8').includes(`"sessionId": "${sessionId}"`);
}

function left(): readonly string[] {
  return findPlanted([root, state]);
}

function readCertificate(stdout: string, steps: readonly string[]): { said: string[]; unread: number } {
  const certificate = asObject(parseJson(stdout));
  assert.ok(isArray(certificate?.holders) && isArray(certificate.unread), `${steps.join('\n')}\n${stdout}`);
  const files = certificate.holders.map((holder) => {
    const file = asString(asObject(holder)?.file) ?? '';
    // Names are shown without the values in them.
    const isArchive = /^archive(?:\/|$)/.test(path.relative(state, file));
    return isArchive ? 'archive' : file.replaceAll(/\[redacted:[a-z-]+:\d+\]/g, secrets[0] ?? '');
  });
  return { said: [...new Set(files)].sort(), unread: certificate.unread.length };
}

interface EndedRun {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const changing =
  'rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,write,pwrite64,ftruncate,fsync,fdatasync';

/** `killAt`: the number of the changing call of a thread before which the process is killed. */
function redact(words: readonly string[], killAt?: number): EndedRun {
  const call = [process.execPath, clew, ...words];
  const traced = ['-f', '-qqq', '-o', '/dev/null', '-e', `trace=${changing}`];
  const inject = ['-e', `inject=${changing}:signal=SIGKILL:when=${killAt}`];
  const [program = '', ...args] = killAt === undefined ? call : ['strace', ...traced, ...inject, '--', ...call];
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { env, encoding: 'utf8', cwd: top });
  if (error !== undefined) throw error;
  return { status, signal: status === 137 ? 'SIGKILL' : signal, stdout, stderr };
}

/** Two sessions with the secrets, an index, two versions in the archive, and backups of operations. */
function makeTemplate(): void {
  const [token = '', npm = '', password = ''] = secrets;
  const main = transcript()
    .user(`special: use ${token}`)
    .assistant(`yes, ${npm}`)
    .user(`DB_PASSWORD='${password}'\n`, { more: { DB_PASSWORD: password } })
    .assistant('done')
    .text();
  const history = [sessionId, otherId].map((id) =>
    JSON.stringify({ display: `say ${token}`, timestamp: 1, project: '/p', sessionId: id }),
  );
  writeTree(root, {
    [`projects/-home-kim-project/${sessionId}.jsonl`]: main,
    [`projects/-home-kim-project/${sessionId}/tool-results/a.txt`]: `first\n${token}\n`,
    [`projects/-home-kim-project/${otherId}.jsonl`]: transcript({ sessionId: otherId })
      .user('nothing special', { uuid: 'other-1' })
      .assistant('ok', { uuid: 'other-2', message: { id: 'other-m1' } })
      .text(),
    'history.jsonl': `${history[0]}\n`,
  });
  for (const words of [
    ['find', 'special'],
    ['archive'],
    ['tag', sessionId, 'x'],
    ['rename', sessionId, `the ${token}`],
    ['archive'],
    ['find', 'special'],
  ]) {
    const run = redact(words);
    assert.equal(run.status, 0, `${words.join(' ')}: ${run.stderr}`);
  }
  const planted = readFileSync(path.join(root, 'history.jsonl'), 'utf8');
  assert.ok(planted.includes(token) && left().length >= 6, left().join('\n'));
  cpSync(path.join(top, 'live'), path.join(top, 'template'), { recursive: true, preserveTimestamps: true });
}
