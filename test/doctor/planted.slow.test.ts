// Damage in random combinations, in the healthy session and in real ones, is found again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { healthyFiles } from '../support/healthy.ts';
import { isFertile, plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { assertFound, openBytes } from './doctor-kit.ts';

test('damage in random combinations is found, whatever the session', async (context) => {
  const folder = temporaryFolder(context);
  const sessions = [plain, ...healthyFiles().map((file) => readFileSync(file))].filter(isFertile);
  assert.ok(sessions.length > 100, `${sessions.length} sessions`);
  const cases = process.env.CLEW_LONG === '1' ? 5000 : 300;
  let planted = 0;
  for (let seed = 1; seed <= cases; seed++) {
    const random = seededRandom(seed);
    const healthy = sessions[Math.floor(random() * sessions.length)] ?? plain;
    const wanted = plantedCodes.filter(() => random() < 0.12);
    const { bytes, codes } = plantDamage(healthy, wanted, random);
    assertFound((await openBytes(folder, bytes)).diagnosis, codes, `seed ${seed}`);
    planted += codes.length;
  }
  assert.ok(planted > cases * 3, `${planted} were planted`);
});
