// Planted damage, repaired: the proof holds, a second look finds nothing, and every entry is accounted for.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkRequest } from '../../src/api/check-request.ts';
import { diagnoseSession } from '../../src/doctor/diagnose.ts';
import { isMendable } from '../../src/doctor/repair/mendable.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { requestMessages } from '../../src/session/resume/request.ts';
import { loadSession } from '../../src/session/session.ts';
import { type Outcome, operate } from '../../src/surgery/operate.ts';
import { loadSource } from '../../src/surgery/source.ts';
import { healthyFiles } from '../support/healthy.ts';
import { isFertile, plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';

const id = '11111111-1111-4111-a111-111111111111';

for (const code of plantedCodes) {
  test(`${code}, planted alone, is mended`, async (context) => {
    const folder = temporaryFolder(context);
    for (let seed = 1; seed <= 4; seed++) {
      const { bytes } = plantDamage(plain, [code], seededRandom(seed));
      await assertMended(folder, bytes, `${code}, seed ${seed}`);
    }
  });
}

test('damage in random combinations is mended, whatever the session', async (context) => {
  const sessions = [plain, ...healthyFiles().map((file) => readFileSync(file))].filter(isFertile);
  const cases = process.env.CLEW_LONG === '1' ? 5000 : 300;
  const folder = temporaryFolder(context);
  for (let seed = 1; seed <= cases; seed++) {
    const random = seededRandom(seed);
    const healthy = sessions[Math.floor(random() * sessions.length)] ?? plain;
    const wanted = plantedCodes.filter(() => random() < 0.12);
    const { bytes, codes } = plantDamage(healthy, wanted, random);
    await assertMended(folder, bytes, `seed ${seed}, planted ${codes.join(' ')}`);
  }
});

test('a line that is there twice, with a parent that was never written, is not hung on itself', async (context) => {
  const line = transcript().user('hello', { parentUuid: 'never-written' }).text();
  await assertMended(temporaryFolder(context), Buffer.from(line + line), 'doubled');
});

test('of two notes under one uuid both are kept where they say different things', async (context) => {
  const text = transcript()
    .user('hello')
    .attachment('date_change', [], { attachment: { type: 'date_change', newDate: 'Monday' } })
    .attachment('date_change', [], { uuid: 'at1', attachment: { type: 'date_change', newDate: 'Tuesday' } })
    .assistant('hi')
    .text();
  const uuid = (JSON.parse(text.split('\n')[1] ?? '') as { readonly uuid: string }).uuid;
  const outcome = await mend(temporaryFolder(context), Buffer.from(text.replace('"at1"', JSON.stringify(uuid))));
  assert.deepEqual(outcome?.dropped, []);
  const written = readFileSync(outcome?.to.path ?? '', 'utf8');
  assert.deepEqual([written.includes('Monday'), written.includes('Tuesday')], [true, true]);
});

test('a compaction that another line has replaced does not come to life with an id of its own', async (context) => {
  const preserved = { anchorUuid: 'x', uuids: ['x'], allUuids: ['x'] };
  const text = transcript()
    .user('hello')
    .assistant('hi')
    .boundary({ preservedMessages: preserved }, { uuid: 'x', parentUuid: null, logicalParentUuid: 'a1' })
    .from('a1')
    .user('more')
    .assistant('done')
    .attachment('note', [], { uuid: 'x' })
    .text();
  const folder = temporaryFolder(context);
  await assertMended(folder, Buffer.from(text), 'replaced compaction');
});

async function assertMended(folder: string, bytes: Buffer, what: string): Promise<void> {
  const outcome = await mend(folder, bytes).catch((error: unknown) => assert.fail(`${what}: ${String(error)}`));
  if (outcome === undefined) return;
  const { to, proof } = outcome;
  assert.deepEqual([proof.violations, proof.untouchedIdentical], [[], true], what);
  const repaired = await loadSession(to.path);
  const again = await diagnoseSession(repaired);
  assert.deepEqual(
    again.findings.filter(isMendable).map(({ code, line, message }) => `${code} ${line} ${message}`),
    [],
    what,
  );
  assert.equal(again.reachable.loaded, again.reachable.of, what);
  assert.equal(await planRepair(await loadSource(to.path), again), undefined, what);
  const request = requestMessages(repaired, 'go on');
  assert.deepEqual('refused' in request ? request : checkRequest(request), [], what);
}

async function mend(folder: string, bytes: Buffer): Promise<Outcome | undefined> {
  const sessionId = /"sessionId":"([0-9a-f-]{36})"/.exec(bytes.toString('latin1'))?.[1] ?? id;
  const projects = path.join(folder, 'projects/-w-p');
  const file = path.join(projects, `${sessionId}.jsonl`);
  mkdirSync(projects, { recursive: true });
  writeFileSync(file, bytes);
  const source = await loadSource(file);
  const plan = await planRepair(source, await diagnoseSession(source.session));
  return plan && operate(plan, [source], { env: { CLEW_HOME: path.join(folder, 'state') } });
}
