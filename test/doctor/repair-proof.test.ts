// The proof of a repair: what a second look still finds on the staged result keeps the repair from being written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { plantDamage } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { openBytes } from './doctor-kit.ts';

test('a result that is still damaged, or loads less than it holds, breaks the proof', async (context) => {
  const { source, diagnosis } = await openBytes(
    temporaryFolder(context),
    plantDamage(plain, ['A-image-size'], seededRandom(1)).bytes,
  );
  const plan = await planRepair(source, diagnosis);
  const planned = plan?.results[0];
  assert.ok(plan?.expects !== undefined && planned !== undefined);
  const staged = async (text: string): Promise<readonly string[]> => {
    const bench = benchWith(context, sessionId, text);
    return (
      (await plan.expects?.({ planned, session: await loadSession(bench.main), origins: new Map() }, 0)) ??
      assert.fail()
    );
  };
  assert.deepEqual(await staged(plain.toString()), []);
  assert.deepEqual(await staged(`${plain}<<<<<<< HEAD\n`), [
    'L-not-json at line 11 is left: the line contains text that is not a record',
  ]);
  const broken = transcript().user('a').assistant('b').after(9000).user('c', { parentUuid: 'never-written' });
  assert.deepEqual(await staged(broken.text()), [
    'G-phantom-parent at line 3 is left: its parent never-written is not in the file',
    'a resume would load 1 of 3 entries',
  ]);
  assert.equal(plan.violations, 'all', 'what the API rejected before, it must not reject after');
});
