// Real sessions, damaged on purpose and repaired: the real client resumes them and sends what we predict.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { healthyFiles } from '../support/healthy.ts';
import { isFertile, plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { benchOf } from '../support/surgery-kit.ts';
import { assertPredicted } from './live.ts';

const current = '2.1.325';
const old = '2.1.45';

test(
  `repaired sessions are resumed by ${current} as predicted, portable ones by ${old} too`,
  { concurrency: availableParallelism() + 1 },
  async (t) => {
    const files = healthyFiles().filter((file) => isFertile(readFileSync(file)));
    const count = Math.min(10, files.length);
    assert.ok(count === 10, `only ${count} sessions to damage`);
    await Promise.all(
      Array.from({ length: count }, (_, i) => files[Math.floor((i * files.length) / count)] ?? '').map((file, i) =>
        t.test(file.slice(-80), async (context) => {
          await assertPredicted(current, await repaired(context, file, i + 1, false));
          if (i % 2 === 0) await assertPredicted(old, await repaired(context, file, i + 1, true));
        }),
      ),
    );
  },
);

async function repaired(context: TestContext, file: string, seed: number, isPortable: boolean): Promise<string> {
  const bench = benchOf(context, file);
  const random = seededRandom(seed);
  const wanted = plantedCodes.filter(() => random() < 0.2);
  writeFileSync(bench.main, plantDamage(readFileSync(file), wanted, random).bytes);
  const source = await loadSource(bench.main);
  const plan = await planRepair(source, await diagnoseSession(source.session));
  assert.ok(plan !== undefined);
  const { to } = await operate(plan, [source], { env: bench.env, isPortable });
  return to.path;
}
