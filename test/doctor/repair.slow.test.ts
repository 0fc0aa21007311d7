// Damage in random combinations, in the healthy session and in real ones: what the table says is repaired is repaired,
// and what the healthy session sends, the repaired one sends too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { healthyFiles } from '../support/healthy.ts';
import { isFertile, plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { damageTable } from './damage-table.ts';
import { assertSound, missingIn, openBytes, sentBy, wordsOf } from './doctor-kit.ts';

test('damage in random combinations is repaired, whatever the session', async (context) => {
  const sessions = [plain, ...healthyFiles().map((file) => readFileSync(file))].filter(isFertile);
  assert.ok(sessions.length > 100, `${sessions.length} sessions`);
  const cases = process.env.CLEW_LONG === '1' ? 5000 : 150;
  const problems: string[] = [];
  let repaired = 0;
  for (let seed = 1; seed <= cases; seed++) {
    const random = seededRandom(seed);
    const healthy = sessions[Math.floor(random() * sessions.length)] ?? plain;
    const wanted = plantedCodes.filter(() => random() < 0.12);
    // A copy of a history that begins with a summary lacks the summary, and nothing shows that it is a copy of it.
    const possible = healthy.includes('"isCompactSummary"') ? wanted.filter((code) => code !== 'G-replayed') : wanted;
    const { bytes, codes } = plantDamage(healthy, possible, random);
    const folder = temporaryFolder(context);
    const sound = await openBytes(folder, healthy);
    const messages = await sentBy(sound.source.session.files.main);
    // Newer work on another branch replaces the last message; an answer that the client made up is not in the file.
    const stays = codes.includes('G-lost-leaf') ? messages.slice(0, -1) : messages;
    const expected = wordsOf(stays).filter((word) => word !== 'No response requested.');
    const { source, diagnosis } = await openBytes(folder, bytes);
    const plan = await planRepair(source, diagnosis);
    const what = `seed ${seed}, planted ${codes.join(' ')}`;
    if (codes.some((code) => damageTable[code].isRepaired)) assert.ok(plan !== undefined, `${what}: no repair`);
    if (plan === undefined) continue;
    repaired++;
    try {
      const outcome = await operate(plan, [source], { env: { CLEW_HOME: `${folder}/state` } });
      await assertSound(outcome, bytes, what);
      // Thinking after a message that comes back is left out, and the outcome says so.
      const isKept = (word: string): boolean => outcome.thinking.removed === 0 || !word.startsWith('thinking ');
      const missing = missingIn(wordsOf(await sentBy(outcome.to.path)), expected.filter(isKept));
      if (missing !== undefined) problems.push(`${what}: lost ${missing.slice(0, 80)}`);
    } catch (error) {
      problems.push(`${what}: ${String(error).slice(0, 300)}`);
    }
  }
  assert.deepEqual(problems, []);
  assert.ok(repaired > cases * 0.9, `${repaired} were damaged`);
});
