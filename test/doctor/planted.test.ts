// Every class of damage, planted into sound sessions alone and in random combinations, is found again.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type Diagnosis, diagnoseSession } from '../../src/doctor/diagnose.ts';
import { type DamageCode, damageCodes, isSevere } from '../../src/doctor/finding.ts';
import { loadSession } from '../../src/session/session.ts';
import { healthyFiles } from '../support/healthy.ts';
import { isFertile, plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const id = '11111111-1111-4111-a111-111111111111';

test('the session that damage is planted in is sound', async (context) => {
  assert.deepEqual((await diagnose(temporaryFolder(context), plain)).findings, []);
});

for (const code of plantedCodes) {
  test(`${code}, planted alone, is found`, async (context) => {
    const folder = temporaryFolder(context);
    for (let seed = 1; seed <= 12; seed++) {
      const { bytes, codes } = plantDamage(plain, [code], seededRandom(seed));
      assert.deepEqual(codes, [code]);
      assertFound(await diagnose(folder, bytes), codes, `seed ${seed}`);
    }
  });
}

test('only the classes of folders and a line of half a gigabyte are not planted into bytes', () => {
  const others = damageCodes.filter((code) => !plantedCodes.includes(code) && !code.startsWith('F-'));
  assert.deepEqual(others, ['L-oversize']);
});

test('damage in random combinations is found, whatever the session', async (context) => {
  const folder = temporaryFolder(context);
  const sessions = [plain, ...healthyFiles().map((file) => readFileSync(file))].filter(isFertile);
  const cases = process.env.CLEW_LONG === '1' ? 5000 : 300;
  for (let seed = 1; seed <= cases; seed++) {
    const random = seededRandom(seed);
    const healthy = sessions[Math.floor(random() * sessions.length)] ?? plain;
    const wanted = plantedCodes.filter(() => random() < 0.12);
    const { bytes, codes } = plantDamage(healthy, wanted, random);
    assertFound(await diagnose(folder, bytes), codes, `seed ${seed}`);
  }
});

function assertFound(diagnosis: Diagnosis, codes: readonly DamageCode[], what: string): void {
  const found = new Set(diagnosis.findings.map((finding) => finding.code));
  assert.deepEqual(
    codes.filter((code) => !found.has(code)),
    [],
    `${what}, planted ${codes.join(' ')}`,
  );
  const { loaded, of } = diagnosis.reachable;
  const isTold = diagnosis.findings.some(isSevere);
  assert.ok(loaded === of || isTold, `${what}: ${loaded} of ${of} entries are loaded, and no finding says why`);
}

async function diagnose(folder: string, bytes: Buffer): Promise<Diagnosis> {
  const sessionId = /"sessionId":"([0-9a-f-]{36})"/.exec(bytes.toString('latin1'))?.[1] ?? id;
  const file = path.join(folder, `${sessionId}.jsonl`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, bytes);
  return diagnoseSession(await loadSession(file));
}
