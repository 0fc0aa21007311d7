// Random command lines in the thread that runs the built command: what each of them did wrong.
import { runInThread } from '../support/clew-thread.ts';
import { type HostilePlace, snapshotAround } from '../support/hostile-place.ts';
import { randomCommand } from '../support/random-command.ts';
import { outputFaults } from '../support/safety-watch.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { changesOf } from '../support/tree-snapshot.ts';

export function fuzzInThread(place: HostilePlace, seed: number, count: number): readonly string[] {
  const random = seededRandom(seed);
  const faults: string[] = [];
  let around = snapshotAround(place);
  for (let calls = 0; calls < count; ) {
    const { args, isEndless } = randomCommand(random, place);
    // A thread cannot be stopped, and hooks read the input of the tests' own process.
    if (isEndless || ['statusline', 'guard'].includes(args[0] ?? '') || args.includes('--auto')) continue;
    calls++;
    const run = runInThread({ args, env: place.env }, place.work);
    const after = snapshotAround(place);
    const found = [...outputFaults(args, run), ...changesOf(around, after)];
    faults.push(...found.map((fault) => `seed ${seed}: clew ${JSON.stringify(args)}: ${fault}`));
    around = after;
  }
  return faults;
}
