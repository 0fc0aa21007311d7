// Random command lines in a place full of hostile sessions: 400 in a thread, and 50 as processes (five and four times as many with CLEW_LONG=1), half
// of them on a terminal. Nothing around changes, only text is printed, every call ends, and none ends as a bug.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Run } from '../support/clew.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';
import { type HostilePlace, makeHostilePlace, snapshotAround } from '../support/hostile-place.ts';
import { ordinaryProgram, ordinaryUser } from '../support/ordinary-user.ts';
import { type RandomCommand, randomCommand } from '../support/random-command.ts';
import { inTerminal, outputFaults } from '../support/safety-watch.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { withoutOwnSequences } from '../support/steering.ts';
import { skipWithout } from '../support/terminal.ts';
import { changesOf } from '../support/tree-snapshot.ts';
import { fuzzInThread } from './fuzz-kit.ts';

const callsForPlace = 50;
/** A failure names its seed; CLEW_FUZZ_SEED=1007 repeats the calls of that one. */
const { CLEW_FUZZ_SEED: only } = process.env;
const seeds = (first: number, count: number): number[] =>
  only === undefined ? Array.from({ length: count }, (_, i) => first + i) : only.split(',').map(Number);

test('random command lines (2,000 with CLEW_LONG=1)', { timeout: 1_800_000 }, (context) => {
  assert.deepEqual(
    seeds(1000, fuzzRuns(40)).flatMap((seed) => fuzzInThread(makeHostilePlace(context), seed, callsForPlace)),
    [],
  );
});

test(
  'random command lines as processes, half on a terminal',
  { skip: skipWithout('script'), timeout: 1_800_000 },
  async (t) => {
    const faults: string[] = [];
    const queue = seeds(2000, fuzzRuns(4));
    const work = async (): Promise<void> => {
      for (let seed = queue.shift(); seed !== undefined; seed = queue.shift())
        faults.push(...(await fuzzProcesses(makeHostilePlace(t, { uid: ordinaryUser.uid }), seed)));
    };
    await Promise.all([work(), work()]);
    assert.deepEqual(faults, []);
  },
);

async function fuzzProcesses(place: HostilePlace, seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const faults: string[] = [];
  let around = snapshotAround(place);
  for (let call = 0; call < callsForPlace; call++) {
    let command = randomCommand(random, place);
    // Each of these takes seconds: a quarter of them is enough.
    while (command.isEndless && random() < 0.75) command = randomCommand(random, place);
    const isInTerminal = call % 2 === 0 && command.args[0] !== 'chat';
    const run = await runBounded(place, command, isInTerminal);
    const after = snapshotAround(place);
    const found = [...outputFaults(command.args, run, isInTerminal), ...changesOf(around, after)];
    const where = isInTerminal ? ' on a terminal' : '';
    faults.push(...found.map((fault) => `seed ${seed}${where}: clew ${JSON.stringify(command.args)}: ${fault}`));
    around = after;
  }
  return faults;
}

/** A call that has to end gets a minute, for a machine on which everything else runs too; one that need not, 3 seconds. */
async function runBounded(
  place: HostilePlace,
  { args, isEndless }: RandomCommand,
  isInTerminal: boolean,
): Promise<Run> {
  const own = [...ordinaryProgram(), ...args];
  const argv = isInTerminal ? inTerminal(own) : own;
  const limit = ['-k', '2', isEndless ? '3' : '60'];
  const child = spawn('/usr/bin/timeout', [...limit, ...argv], {
    env: place.env,
    cwd: place.work,
    ...ordinaryUser,
  });
  const closed = once(child, 'close');
  child.stdin.on('error', () => {}).end(isInTerminal ? 'n\n' : ''); // the answer to a question, if there is one
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  const [status] = (await closed) as [number | null];
  const clean = isInTerminal ? withoutOwnSequences : (text: string) => text;
  // `timeout` ends itself by the signal that it had to send.
  const isStopped = status === null || status === 124 || status === 137;
  return { status: isEndless && isStopped ? 0 : (status ?? 137), stdout: clean(stdout), stderr };
}
