// Every session that the real client wrote, compressed: the proof holds, the old lines stay, and undo restores all.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../../src/base/errors/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { type Outcome, operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { operationsFolder, readRecords } from '../../../src/surgery/journal/operation-log.ts';
import { undoOperation } from '../../../src/surgery/journal/undo-operations.ts';
import { planCompress } from '../../../src/surgery/operations/compress.ts';
import { findCompressCut, offlineSummary } from '../../../src/surgery/operations/compress-summary.ts';
import { type Bench, benchOf, contentsOf, someRealSessions } from '../../support/surgery-kit.ts';

for (const [i, { keepTurns, dropOld }] of [
  { keepTurns: 1, dropOld: false },
  { keepTurns: 1, dropOld: true },
  { keepTurns: 0, dropOld: false },
].entries()) {
  test(`real sessions compress to their last ${keepTurns} turns${dropOld ? ' and drops the rest' : ''}`, async (context) => {
    let count = 0;
    for (const file of someRealSessions(i)) {
      const bench = benchOf(context, file);
      const before = contentsOf(bench.folder);
      const outcome = await compress(bench, keepTurns, dropOld);
      if (outcome === undefined) continue;
      count++;
      assert.equal(outcome.proof.pairs.answered, outcome.proof.pairs.calls, file);
      assertOldLines(bench.main, outcome, dropOld);
      const after = contentsOf(bench.folder);
      for (const [name, bytes] of before) assert.equal(after.get(name), bytes, name);
      await undo(bench, outcome);
      assert.deepEqual(contentsOf(bench.folder), before, file);
    }
    assert.ok(count > 10, `only ${count} were compressed`);
  });
}

async function compress(bench: Bench, keepTurns: number, dropOld: boolean): Promise<Outcome | undefined> {
  const source = await loadSource(bench.main);
  try {
    const cut = findCompressCut(source.session, keepTurns);
    const plan = planCompress(source, offlineSummary(source.session, cut), { keepTurns, dropOld }, cut);
    return await operate(plan, [source], { env: bench.env });
  } catch (error) {
    if (error instanceof UserError && error.message.startsWith('nothing to compress')) return undefined;
    throw new Error(`${bench.main}: ${error}`, { cause: error });
  }
}

/** Apart from the session id, the note where a line comes from, the first line that stays and the last usage, every line that is kept is as it was. */
function assertOldLines(main: string, { to, dropped }: Outcome, dropOld: boolean): void {
  const gone = new Set(dropped.map(({ line }) => line));
  assert.equal(gone.size > 0, dropOld);
  const old = entriesOf(main).filter((_, i) => !gone.has(i + 1));
  const now = entriesOf(to.path);
  const known = new Set(old.map(({ uuid }) => uuid));
  const said = now.filter(({ uuid }) => uuid === undefined || known.has(uuid));
  assert.equal(now.length - said.length, 2, 'a boundary and a summary');
  const pins = said.length - old.length;
  assert.ok(pins === 0 || (pins === 1 && said.at(-1)?.type === 'last-prompt'));
  const kept = said.slice(0, old.length);
  const differing = kept.filter((entry, i) => !isDeepStrictEqual(plain(entry), plain(old[i] ?? {})));
  assert.deepEqual(differing, []);
}

function plain({
  forkedFrom,
  sessionId,
  session_id,
  parentUuid,
  leafUuid,
  messageId,
  snapshot,
  snapshotMessageId,
  message,
  ...rest
}: JsonObject): JsonObject {
  const { usage, ...said } = isObject(message) ? message : {};
  return { ...rest, message: said };
}

async function undo(bench: Bench, { id }: Outcome): Promise<void> {
  const operations = operationsFolder(bench.env);
  const record = (await readRecords(operations)).find((each) => each.id === id);
  assert.ok(record !== undefined);
  await undoOperation(operations, record);
}

function entriesOf(file: string): JsonObject[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line) ?? {})
    .filter(isObject);
}
