// Every class of damage, planted alone into the healthy session, is found again with the severity that it costs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { damageCodes } from '../../src/doctor/checks/finding.ts';
import { plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { damageTable } from './damage-table.ts';
import { assertFound, openBytes } from './doctor-kit.ts';

test('nothing is found in the session that damage is planted in', async (context) => {
  const { diagnosis } = await openBytes(temporaryFolder(context), plain);
  assert.deepEqual(
    [diagnosis.findings, diagnosis.violations, diagnosis.reachable, diagnosis.reachableOld],
    [[], [], { loaded: 10, of: 10 }, { loaded: 10, of: 10 }],
  );
});

for (const code of plantedCodes) {
  test(`${code}, planted alone, is found`, async (context) => {
    const folder = temporaryFolder(context);
    for (let seed = 1; seed <= 4; seed++) {
      const { bytes, codes } = plantDamage(plain, [code], seededRandom(seed));
      assert.deepEqual(codes, [code]);
      const { diagnosis } = await openBytes(folder, bytes);
      assertFound(diagnosis, codes, `seed ${seed}`);
      const found = diagnosis.findings.find((finding) => finding.code === code);
      if (seed === 1) assert.equal(found?.severity, damageTable[code].severity);
    }
  });
}

test('only the classes of folders, of signed thinking and a line of half a gigabyte are not planted into bytes', () => {
  const others = damageCodes.filter((code) => !plantedCodes.includes(code) && !code.startsWith('F-'));
  assert.deepEqual(others, [
    'L-oversize',
    'A-thinking-bound',
    'A-thinking-hole',
    'I-thinking-dropped',
    'I-thinking-stripped',
    'W-prompt-lost',
  ]);
});
