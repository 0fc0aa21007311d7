// What the tracer remembers: the state of cc-langfuse is taken over once, ledgers survive a torn end, and what killed
// runs left is finished by the next.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ledger } from '../../src/trace/ledger.ts';
import { listBatches } from '../../src/trace/outbox.ts';
import { recoverSessions } from '../../src/trace/recover.ts';
import { traceSession } from '../../src/trace/trace-session.ts';
import { sessionText } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, runTracer, toolTurn, traceEnv } from '../support/trace-kit.ts';

test('what cc-langfuse has sent is not sent again, and its turns are counted', async (context) => {
  const home = homeFor(context);
  const file = path.join(home, 'p', 's.jsonl');
  const compat = path.join(home, '.claude', 'state', 'cc-langfuse_state.json');
  writeTree(home, {
    'p/s.jsonl': sessionText(
      ['a', 'b', 'c'].flatMap((id) => toolTurn(id)),
      { sessionId: 's' },
    ),
    '.claude/state/cc-langfuse_state.json': JSON.stringify({
      s: { last_line: 8, turn_count: 2, updated: '2026-01-01' },
      other: { last_line: 1 },
    }),
  });
  const tracer = contextFor(traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_COMPAT: 'on' }));
  const report = await traceSession(runOf(file), tracer);
  assert.deepEqual([report.turns, report.spans], [1, 4]);
  const { s, other } = JSON.parse(readFileSync(compat, 'utf8')) as Record<string, Record<string, unknown>>;
  assert.deepEqual([s?.last_line, s?.turn_count, other], [12, 3, { last_line: 1 }]);
  assert.deepEqual((await traceSession({ ...runOf(file), fromStart: true }, tracer)).spans, 0);
});

test('without --compat the state of cc-langfuse is only read', async (context) => {
  const home = homeFor(context);
  const text = JSON.stringify({ s: { last_line: 4, turn_count: 1 } });
  writeTree(home, {
    'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }),
    '.claude/state/cc-langfuse_state.json': text,
  });
  const tracer = contextFor(traceEnv(home, 'http://127.0.0.1:9'));
  assert.equal((await traceSession(runOf(path.join(home, 'p', 's.jsonl')), tracer)).spans, 0);
  assert.equal(readFileSync(path.join(home, '.claude/state/cc-langfuse_state.json'), 'utf8'), text);
});

test('the first session to claim a span has it, also for another process and after a torn write', async (context) => {
  const file = path.join(temporaryFolder(context), 'ledger', 'x.bin');
  const keys = Array.from({ length: 3000 }, (_, i) => `key ${i}`);
  const one = new Ledger(file);
  assert.equal((await one.claim(keys, 'one')).mine.size, 3000);
  await one.record(keys.slice(0, 1000), 'one');
  appendFileSync(file, 'torn');
  const two = new Ledger(file);
  const claims = await two.claim([...keys, 'new'], 'two');
  assert.deepEqual([[...claims.mine], claims.foreign.size], [['new'], 3000]);
  const again = await one.claim([...keys, 'new'], 'one');
  assert.deepEqual([again.mine.size, [...again.foreign]], [2000, ['new']]);
  writeFileSync(file, '');
  assert.equal((await one.claim(keys, 'two')).mine.size, 3000);
});

test('a tracer that was killed is recovered by whoever comes next, for any session', async (context) => {
  const home = homeFor(context);
  const env = traceEnv(home, 'http://127.0.0.1:9');
  const file = path.join(home, 'p', 's.jsonl');
  writeTree(home, {
    'p/s.jsonl': sessionText(
      ['a', 'b'].flatMap((id) => toolTurn(id)),
      { sessionId: 's' },
    ),
  });
  for (let killAtStep = 1; ; killAtStep++) {
    const { steps } = await runTracer(env, { runs: [runOf(file, 'session')], killAtStep, isSender: false, sendMs: 0 });
    if (steps !== undefined) break;
    await recoverSessions(contextFor(env));
  }
  const { places } = contextFor(env);
  await traceSession(runOf(file, 'session'), contextFor(env));
  const batches = listBatches(places, 'default', 'ready');
  const ids = batches.flatMap((name) => {
    const text = readFileSync(path.join(places.folder, 'outbox', 'default', `${name}.ready`), 'latin1');
    return (JSON.parse(text.slice(0, text.indexOf('\n'))) as { spanIds: string[] }).spanIds;
  });
  assert.deepEqual([ids.length, new Set(ids).size], [8, 8]);
});
