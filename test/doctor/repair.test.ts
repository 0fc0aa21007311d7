// Every class of damage against the table: whether `--fix` repairs it, and what a resume of the repaired session sends.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { damageCodes, makeFinding } from '../../src/doctor/checks/finding.ts';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { plantDamage, plantedCodes } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { sessionId, text, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { damageTable, healthyMessages } from './damage-table.ts';
import { assertSound, missingIn, openBytes, repairBytes, sentBy, wordsOf } from './doctor-kit.ts';

test('the table names every class of damage', () => {
  assert.deepEqual(Object.keys(damageTable).sort(), [...damageCodes].sort());
});

test('what the healthy session sends is what the table says, and there is nothing to repair', async (context) => {
  const { source, diagnosis } = await openBytes(temporaryFolder(context), plain);
  assert.deepEqual(await sentBy(source.session.files.main), healthyMessages);
  assert.equal(await planRepair(source, diagnosis), undefined);
});

for (const code of plantedCodes.filter((each) => damageTable[each].isRepaired)) {
  test(`${code} is repaired, and a resume sends the whole conversation`, async (context) => {
    const { bytes } = plantDamage(plain, [code], seededRandom(1));
    const outcome = await repairBytes(temporaryFolder(context), bytes);
    assert.deepEqual(await sentBy(outcome.to.path), damageTable[code].sent);
    assert.equal(outcome.changed, damageTable[code].changed);
    await assertSound(outcome, bytes, code);
  });
}

test('damage on other lines is repaired too, and nothing that was said is lost', async (context) => {
  for (const code of ['G-phantom-parent', 'G-duplicate-uuid', 'L-spliced', 'L-joined', 'L-nul'] as const) {
    for (const seed of [2, 3]) {
      const { bytes } = plantDamage(plain, [code], seededRandom(seed));
      const outcome = await repairBytes(temporaryFolder(context), bytes);
      const what = `${code}, seed ${seed}`;
      assert.equal(missingIn(wordsOf(await sentBy(outcome.to.path)), wordsOf(healthyMessages)), undefined, what);
      await assertSound(outcome, bytes, what);
    }
  }
});

test('a finding of one class alone plans a repair exactly where the table says so', async (context) => {
  const { source, diagnosis } = await openBytes(temporaryFolder(context), plain);
  const planned: [string, boolean][] = [];
  for (const code of damageCodes) {
    const finding = makeFinding(code, 'warn', { file: source.session.transcript.path }, '', '');
    const plan = await planRepair(source, { ...diagnosis, findings: [finding] });
    planned.push([code, plan !== undefined]);
  }
  assert.deepEqual(
    planned,
    damageCodes.map((code) => [code, damageTable[code].isRepaired]),
  );
});

test('a session that is too long, and nothing else, is left as it is', async (context) => {
  const long = transcript()
    .user('word '.repeat(250_000))
    .assistant('read', { message: { usage: undefined } });
  const { source, diagnosis } = await openBytes(temporaryFolder(context), Buffer.from(long.text()));
  assert.deepEqual(
    diagnosis.findings.map(({ code }) => code),
    ['A-too-long'],
  );
  assert.equal(await planRepair(source, diagnosis), undefined);
});

test('a file without a conversation is not repaired, whatever its lines are like', async (context) => {
  const title = transcript().aside('custom-title', { customTitle: 'x' }).text();
  const { source, diagnosis } = await openBytes(temporaryFolder(context), Buffer.from(`${title}<<<<<<< HEAD\n`));
  assert.deepEqual(diagnosis.findings.map(({ code }) => code).sort(), ['F-empty', 'L-not-json']);
  assert.equal(await planRepair(source, diagnosis), undefined);
});

test('if newer work is on another branch, the strategy decides which branch a resume continues', async (context) => {
  const bytes = Buffer.from(
    transcript()
      .user('one')
      .assistant('done one')
      .user('old way')
      .assistant('old done')
      .from('a1')
      .user('new way')
      .assistant('new done')
      .lastPrompt('a2')
      .text(),
  );
  const start = ['one', 'done one'];
  const expected = {
    bridge: [...start, 'old way', 'old done'],
    newest: [...start, 'new way', 'new done'],
    graft: [...start, 'old way', 'old done', 'new way', 'new done'],
  };
  for (const strategy of ['bridge', 'newest', 'graft'] as const) {
    const { to } = await repairBytes(temporaryFolder(context), bytes, { strategy });
    assert.deepEqual(wordsOf(await sentBy(to.path)), expected[strategy], strategy);
  }
  const { to } = await repairBytes(temporaryFolder(context), bytes);
  assert.deepEqual(wordsOf(await sentBy(to.path)), expected.graft, 'the default');
});

test('lines of another session become that session, and every line that stays keeps its bytes', async (context) => {
  const other = '22222222-2222-4222-a222-222222222222';
  const own = transcript().user('here').assistant('yes').text();
  const foreign = transcript({ sessionId: other })
    .user('there', { uuid: 'x1' })
    .assistant('no', { uuid: 'x2', parentUuid: 'x1' })
    .text();
  const [first = '', second = ''] = own.split('\n');
  const { to, others } = await repairBytes(
    temporaryFolder(context),
    Buffer.from(`${first}\n${foreign}${second}\n${transcript().user('on', { parentUuid: 'a1', uuid: 'u2' }).text()}`),
  );
  assert.deepEqual(
    others.map((each) => each.sessionId),
    [other],
  );
  assert.equal(readFileSync(others[0]?.path ?? '', 'utf8'), foreign);
  assert.deepEqual(wordsOf(await sentBy(to.path)).slice(0, 3), ['here', 'yes', 'on']);
});

test('a result that is in the wrong place is put after its call', async (context) => {
  const bytes = Buffer.from(
    transcript()
      .user('go')
      .assistant([toolUse('t1')])
      .user('typed meanwhile', { uuid: 'u9' })
      .user([toolResult('t1')])
      .assistant([text('')])
      .user('more')
      .assistant('done')
      .text(),
  );
  const { to } = await repairBytes(temporaryFolder(context), bytes);
  assert.deepEqual(wordsOf(await sentBy(to.path)), ['go', 'call t1', 't1 → out t1', 'typed meanwhile', 'more', 'done']);
});

test('a damaged sub-agent is repaired with its session', async (context) => {
  const name = `${sessionId}/subagents/agent-abc.jsonl`;
  const agent = transcript({ isSidechain: true, agentId: 'abc' }).user('task').assistant('ok').text();
  const bench = benchWith(context, sessionId, plain, { [name]: `${agent}<<<<<<< HEAD\n` });
  const source = await loadSource(bench.main);
  const plan = await planRepair(source, await diagnoseSession(source.session), { isInPlace: true });
  assert.ok(plan !== undefined);
  const { dropped } = await operate(plan, [source], { env: bench.env });
  assert.equal(readFileSync(path.join(bench.folder, name), 'utf8'), agent);
  assert.deepEqual(
    dropped.map(({ line, file }) => [line, path.basename(file ?? '')]),
    [[3, 'agent-abc.jsonl']],
  );
});

test('a line that is there twice, with a parent that was never written, is not its own parent', async (context) => {
  const line = transcript().user('hello', { parentUuid: 'never-written' }).text();
  const { to } = await assertRepaired(context, line + line);
  assert.deepEqual(wordsOf(await sentBy(to.path)).slice(0, 1), ['hello']);
});

test('of two notes under one uuid both are kept where they say different things', async (context) => {
  const notes = transcript()
    .user('hello')
    .attachment('date_change', [], { attachment: { type: 'date_change', newDate: 'Monday' } })
    .attachment('date_change', [], { uuid: 'at1', attachment: { type: 'date_change', newDate: 'Tuesday' } })
    .assistant('hi')
    .text();
  const uuid = (JSON.parse(notes.split('\n')[1] ?? '') as { readonly uuid: string }).uuid;
  const { to, dropped } = await assertRepaired(context, notes.replace('"at1"', JSON.stringify(uuid)));
  assert.deepEqual(dropped, []);
  const written = readFileSync(to.path, 'utf8');
  assert.deepEqual([written.includes('Monday'), written.includes('Tuesday')], [true, true]);
});

test('a compaction that another line has replaced takes no effect once it has an id of its own', async (context) => {
  const preserved = { anchorUuid: 'x', uuids: ['x'], allUuids: ['x'] };
  const bytes = transcript()
    .user('hello')
    .assistant('hi')
    .boundary({ preservedMessages: preserved }, { uuid: 'x', parentUuid: null, logicalParentUuid: 'a1' })
    .from('a1')
    .user('more')
    .assistant('done')
    .attachment('note', [], { uuid: 'x' })
    .text();
  const { to } = await assertRepaired(context, bytes);
  assert.deepEqual(wordsOf(await sentBy(to.path)), ['hello', 'hi', 'more', 'done']);
});

async function assertRepaired(context: TestContext, bytes: string): ReturnType<typeof repairBytes> {
  const outcome = await repairBytes(temporaryFolder(context), Buffer.from(bytes));
  await assertSound(outcome, Buffer.from(bytes), 'the repaired session');
  return outcome;
}
