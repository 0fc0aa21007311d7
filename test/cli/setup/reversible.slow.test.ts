// clew setup and --remove, killed at any changing system call: whatever the user runs next, the original bytes come back, or
// every part is there. `CLEW_SEED` chooses other settings; with CLEW_LONG=1 all points of one case are tried.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type CallPoint, noStrace } from '../../support/struck-calls.ts';
import { generateCase, type SetupCase, SetupPlace } from './setup-place.ts';

const firstSeed = Number(process.env.CLEW_SEED ?? '1');
const skip = noStrace;

test('generated settings: set up twice and removed, every byte and mode is as before', (context) => {
  for (let seed = firstSeed; seed < firstSeed + fuzzRuns(100); seed++) {
    const place = new SetupPlace(context, generateCase(seed));
    place.checkAdded(`seed ${seed}`);
    place.checkAdded(`seed ${seed}, again`);
    place.checkRemoved(`seed ${seed}`);
    place.checkRemoved(`seed ${seed}, again`);
  }
});

test('generated settings: parts that come and go one by one leave every byte as before', (context) => {
  for (let seed = firstSeed; seed < firstSeed + fuzzRuns(25); seed++) {
    const place = new SetupPlace(context, generateCase(seed));
    const random = seededRandom(seed);
    const shuffled = (): readonly string[] =>
      place.parts
        .map((part) => ({ part, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ part }) => `--${part}`);
    for (const part of shuffled()) assert.equal(place.run(['setup', part, '--yes', '--root', place.root]).status, 0);
    place.checkInstalled(`seed ${seed}`);
    for (const part of shuffled()) assert.equal(place.run([...place.remove, part]).status, 0);
    assert.deepEqual(place.snapshot(), place.original, `seed ${seed}`);
  }
});

test('killed while it sets up or removes, then any commands: nothing is lost, nothing stays', { skip }, (context) => {
  let kills = 0;
  for (let seed = firstSeed; seed < firstSeed + fuzzRuns(60); seed++) {
    const random = seededRandom(seed * 7919);
    const place = new SetupPlace(context, generateCase(seed));
    const points = listBoth(context, generateCase(seed));
    const steps: string[] = [];
    for (let i = 0; i < 3; i++) {
      const isRemoval = random() < 0.5;
      const all = isRemoval ? points.remove : points.setup;
      const point = all[Math.floor(random() * all.length)];
      assert.ok(point !== undefined);
      steps.push(`${isRemoval ? 'remove' : 'setup'} ${point.call}:${point.nth}`);
      if (place.strike(isRemoval ? place.remove : place.setup, point, 'KILL').status === null) kills++;
    }
    const what = `seed ${seed}: ${steps.join(', ')}`;
    if (random() < 0.5) place.checkAdded(what);
    place.checkRemoved(what);
  }
  assert.ok(kills > fuzzRuns(60), `${kills} kills`);
  context.diagnostic(`${kills} kills`);
});

test('every point of one case: finished by the same command, or taken back by the other', { skip }, (context) => {
  const isLong = process.env.CLEW_LONG === '1';
  const chosen = {
    ...generateCase(firstSeed),
    parts: ['mcp', 'archive', 'push', 'guard', 'trace', 'statusline', 'skill'] as const,
  };
  const points = listBoth(context, chosen);
  const random = seededRandom(firstSeed);
  let kills = 0;
  for (const name of ['setup', 'remove'] as const)
    for (const point of points[name].filter(() => isLong || random() < 0.1)) {
      const what = `${name} ${point.call}:${point.nth}`;
      for (const next of ['checkAdded', 'checkRemoved'] as const) {
        const place = new SetupPlace(context, chosen);
        if (name === 'remove') place.checkAdded(what);
        if (place.strike(name === 'setup' ? place.setup : place.remove, point, 'KILL').status === null) kills++;
        place[next](what);
        place.checkRemoved(what);
      }
    }
  assert.ok(kills > 0);
  context.diagnostic(`${kills} kills at ${points.setup.length + points.remove.length} points`);
});

function listBoth(context: TestContext, chosen: SetupCase): Readonly<Record<'setup' | 'remove', readonly CallPoint[]>> {
  const place = new SetupPlace(context, chosen);
  return { setup: place.points(place.setup), remove: place.points(place.remove) };
}
