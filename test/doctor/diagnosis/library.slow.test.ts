// The quick look at a library against the close look at each session, for damage in random combinations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Finding, isSevere } from '../../../src/doctor/checks/finding.ts';
import { diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { diagnoseLibrary } from '../../../src/doctor/diagnosis/library.ts';
import { discoverSessions } from '../../../src/store/discover.ts';
import { projectsFolders } from '../../../src/store/roots.ts';
import { healthyFiles } from '../../support/healthy.ts';
import { isFertile, plantDamage, plantedCodes } from '../../support/plant.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { plain } from '../../support/sound-session.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { openBytes } from '../doctor-kit.ts';

test('the quick look finds whatever the close look finds', async (context) => {
  const sessions = [plain, ...healthyFiles().map((file) => readFileSync(file))].filter(isFertile);
  assert.ok(sessions.length > 100, `${sessions.length} sessions`);
  const cases = process.env.CLEW_LONG === '1' ? 1500 : 120;
  for (let seed = 1; seed <= cases; seed++) {
    const random = seededRandom(seed);
    const healthy = sessions[Math.floor(random() * sessions.length)] ?? plain;
    const wanted = plantedCodes.filter(() => random() < 0.06);
    const { bytes, codes } = plantDamage(healthy, wanted, random);
    const folder = temporaryFolder(context);
    const { source } = await openBytes(folder, bytes);
    const close = (await diagnoseSession(source.session, { folders: projectsFolders([folder]) })).findings;
    const quick = await quickLook(folder);
    assert.deepEqual(quick.filter(isSevere), close.filter(isSevere), `seed ${seed}`);
    const found = new Set(quick.map(({ code }) => code));
    assert.deepEqual(found, new Set(close.map(({ code }) => code)), `seed ${seed}`);
    assert.deepEqual(
      codes.filter((code) => !found.has(code)),
      [],
      `seed ${seed}`,
    );
  }
});

async function quickLook(root: string): Promise<readonly Finding[]> {
  const { sessions } = await discoverSessions([root]);
  assert.equal(sessions.length, 1);
  const findings: Finding[] = [];
  for await (const { diagnosis } of diagnoseLibrary(sessions, { folders: projectsFolders([root]), nowMs: Date.now() }))
    findings.push(...(diagnosis?.findings ?? []));
  return findings;
}
