// A kill at any point of an operation leaves the original whole, and the next operation clears up.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { operationsFolder, readRecords } from '../../../src/surgery/journal/operation-log.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { planStrip } from '../../../src/surgery/strip/strip.ts';
import { cleanEnv } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { benchWith, contentsOf, undoLast } from '../../support/surgery-kit.ts';
import { sessionId, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';

test('a kill at any point leaves the original whole, and the next operation clears up', async (context) => {
  const kills = process.env.CLEW_LONG === '1' ? 200 : 24;
  const builder = transcript();
  for (let i = 0; i < 400; i++) builder.user(`question ${i} ${'x'.repeat(2000)}`).assistant(`answer ${i}`);
  const agent = transcript({ isSidechain: true, agentId: 'abc' }).user('sub').assistant('done').text();
  const bench = benchWith(context, sessionId, builder.text(), {
    [`${sessionId}/subagents/agent-abc.jsonl`]: agent,
    [`${sessionId}/tool-results/out.txt`]: 'output',
  });
  const before = contentsOf(bench.folder);
  let killed = 0;
  for (let i = 0; i < kills; i++) {
    const child = spawn(process.execPath, [clew, 'fork', bench.main, '--root', bench.root], {
      env: { ...cleanEnv(), CLEW_HOME: bench.env.CLEW_HOME },
      stdio: 'ignore',
    });
    if (await killAfter(child, 60 + (i / kills) * 500)) killed++;
    const now = contentsOf(bench.folder);
    for (const [name, bytes] of before) assert.equal(now.get(name), bytes, name);
  }
  assert.ok(killed > 0, 'no kill came in time');
  const source = await loadSource(bench.main);
  await operate(planFork(source), [source], { env: bench.env });
  const records = await readRecords(operationsFolder(bench.env));
  assert.ok(records.every(({ state }) => state === 'done'));
  const made = new Set(records.flatMap(({ files }) => files.map((file) => path.relative(bench.folder, file.path))));
  const left = [...contentsOf(bench.folder).keys()].filter((name) => !before.has(name) && !made.has(name));
  assert.deepEqual(left, []);
});

test('a kill in the middle of an operation in place leaves it whole, done or not, with a way back', async (context) => {
  const kills = process.env.CLEW_LONG === '1' ? 200 : 8;
  const builder = transcript();
  for (let i = 0; i < 300; i++) {
    builder.user(`question ${i} ${'x'.repeat(2000)}`).assistant([toolUse(`t${i}`)]);
    builder.user([toolResult(`t${i}`)]).assistant(`answer ${i}`);
  }
  const bench = benchWith(context, sessionId, builder.text());
  const before = contentsOf(bench.folder);
  const plan = async (): Promise<string> => {
    const source = await loadSource(bench.main);
    await operate(planStrip(source, { tools: [], isInPlace: true }), [source], { env: bench.env });
    const done = readFileSync(bench.main, 'latin1');
    await undoLast(bench);
    return done;
  };
  const whole = new Set([...before.values(), await plan()]);
  const strip = (): ChildProcess =>
    spawn(process.execPath, [clew, 'strip', bench.main, '--tools', '--in-place', '--root', bench.root], {
      env: { ...cleanEnv(), CLEW_HOME: bench.env.CLEW_HOME },
      stdio: 'ignore',
    });
  const ends = { killed: 0, done: 0 };
  const began = Date.now();
  assert.equal(await killAfter(strip(), 60_000), false);
  const tookMs = Date.now() - began;
  await undoLast(bench);
  for (let i = 0; i < kills; i++) {
    if (await killAfter(strip(), (i / kills) * 1.2 * tookMs)) ends.killed++;
    assert.ok(whole.has(readFileSync(bench.main, 'latin1')), `kill ${i} left half a file`);
    // Any later operation first takes back what was not finished.
    const source = await loadSource(bench.main);
    await operate(planFork(source), [source], { env: bench.env, isDryRun: true }).catch((error: unknown) =>
      // The file that it was planned from has just been restored.
      assert.match(String(error), /has changed since it was read|proof failed/),
    );
    const records = await readRecords(operationsFolder(bench.env));
    assert.ok(records.every(({ state }) => state !== 'begun'));
    if (records[0]?.state === 'done') {
      ends.done++;
      await undoLast(bench);
    }
    assert.deepEqual(contentsOf(bench.folder), before, `kill ${i}`);
  }
  context.diagnostic(JSON.stringify(ends));
  assert.ok(ends.killed > 0, 'no kill came in time');
});

async function killAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const ended = once(child, 'exit');
  await Promise.race([delay(ms), ended]);
  const isRunning = child.exitCode === null;
  if (isRunning) child.kill('SIGKILL');
  await ended;
  return isRunning;
}
