// Every way of stripping on sessions that the real client wrote: the proof holds, what is not named stays byte for
// byte, and undo restores everything.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import { UserError } from '../../../src/base/errors/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { type Outcome, operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { operationsFolder, readRecords } from '../../../src/surgery/journal/operation-log.ts';
import { undoOperation } from '../../../src/surgery/journal/undo-operations.ts';
import { planStrip } from '../../../src/surgery/strip/strip.ts';
import type { StripOptions } from '../../../src/surgery/strip/strip-options.ts';
import { type Bench, benchOf, contentsOf, someRealSessions } from '../../support/surgery-kit.ts';

const ways: readonly StripOptions[] = [
  { tools: [] },
  { tools: ['Bash', 'mcp__*'] },
  { tools: ['Read'] },
  { tools: [], keepLast: 1 },
  { tools: [], thinking: true, images: true, progress: true, bookkeeping: true, agents: true },
  { truncateResults: 20, truncateInputs: 10, agents: true },
  { thinking: true },
  { images: true },
  { progress: true },
  { bookkeeping: true },
];

for (const [i, options] of ways.entries()) {
  test(`real sessions keep their other lines and their promises: ${JSON.stringify(options)}`, async (context) => {
    let count = 0;
    for (const file of someRealSessions(i)) {
      const bench = benchOf(context, file);
      const before = contentsOf(bench.folder);
      const outcome = await strip(bench, options);
      if (outcome === undefined) continue;
      count++;
      await assertSound(bench, outcome, file);
      assertUnnamedIdentical(bench.main, outcome, file);
      const after = contentsOf(bench.folder);
      for (const [name, bytes] of before) assert.equal(after.get(name), bytes, name);
      await undo(bench, outcome);
      assert.deepEqual(contentsOf(bench.folder), before, file);
    }
    assert.ok(count > 0, 'nothing was stripped anywhere');
  });
}

async function strip(bench: Bench, options: StripOptions): Promise<Outcome | undefined> {
  const source = await loadSource(bench.main);
  try {
    return await operate(planStrip(source, options), [source], { env: bench.env });
  } catch (error) {
    if (error instanceof UserError && error.message.startsWith('nothing to strip in')) return undefined;
    throw new Error(`${bench.main}: ${error}`, { cause: error });
  }
}

async function assertSound(bench: Bench, { to, proof }: Outcome, file: string): Promise<void> {
  const rules = async (main: string): Promise<ReadonlySet<string>> => {
    const request = requestMessages(await loadSession(main), 'go on');
    return new Set('refused' in request ? [] : checkRequest(request).map(({ rule }) => rule));
  };
  const known = await rules(bench.main);
  assert.deepEqual(
    [...(await rules(to.path))].filter((rule) => !known.has(rule)),
    [],
    file,
  );
  assert.equal(proof.pairs.answered, proof.pairs.calls, file);
  assert.ok(proof.untouchedIdentical);
}

/** Apart from the session id, a line differs only in what stripping may touch. */
function assertUnnamedIdentical(main: string, { to, dropped }: Outcome, file: string): void {
  const gone = new Set(dropped.filter((each) => each.file === undefined).map(({ line }) => line));
  const before = entriesOf(main).filter((_, i) => !gone.has(i + 1));
  const after = entriesOf(to.path);
  assert.equal(after.length, before.length, file);
  for (const [i, entry] of after.entries()) assert.deepEqual(untouched(entry), untouched(before[i] ?? {}), file);
}

function untouched(entry: JsonObject): JsonObject {
  const { sessionId, session_id, parentUuid, leafUuid, messageId, snapshotMessageId, snapshot, ...rest } = entry;
  const { forkedFrom, logicalParentUuid, compactMetadata, toolUseResult, sourceToolAssistantUUID, message, ...others } =
    rest;
  if (!isObject(message)) return { ...others, hasMessage: message !== undefined };
  const { content, usage, ...envelope } = message;
  return { ...others, message: envelope };
}

async function undo(bench: Bench, { id }: Outcome): Promise<void> {
  const operations = operationsFolder(bench.env);
  const record = (await readRecords(operations)).find((each) => each.id === id);
  assert.ok(record !== undefined);
  await undoOperation(operations, record);
}

function entriesOf(file: string): JsonObject[] {
  assert.ok(path.isAbsolute(file));
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => (line === '' ? {} : (parseJson(line) ?? {})))
    .filter(isObject);
}
