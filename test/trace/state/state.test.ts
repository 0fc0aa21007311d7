// What the tracer remembers: the state of cc-langfuse is taken over once, ledgers survive a torn end, and what killed
// runs left is finished by the next.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { Ledger } from '../../../src/trace/session/ledger.ts';
import { recoverSessions } from '../../../src/trace/session/recover.ts';
import { traceSession } from '../../../src/trace/session/trace-session.ts';
import { tracePlaces } from '../../../src/trace/state/places.ts';
import { sessionText } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { contextFor, homeFor, runOf, runTracer, toolTurn, traceEnv } from '../../support/trace-kit.ts';

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
  const tracer = contextFor(
    traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_COMPAT: 'on', CLEW_TRACE_REDACT: 'off' }),
  );
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
  const tracer = contextFor(traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_REDACT: 'off' }));
  assert.equal((await traceSession(runOf(path.join(home, 'p', 's.jsonl')), tracer)).spans, 0);
  assert.equal(readFileSync(path.join(home, '.claude/state/cc-langfuse_state.json'), 'utf8'), text);
});

test('the first session to claim a span has it, also for another process and after a torn write', async (context) => {
  const file = path.join(temporaryFolder(context), 'ledger', 'x.bin');
  const keys = Array.from({ length: 1200 }, (_, i) => `key ${i}`);
  const one = new Ledger(file);
  assert.equal((await one.claim(keys, 'one')).mine.size, 1200);
  await one.record(keys.slice(0, 400), 'one');
  appendFileSync(file, 'torn');
  const two = new Ledger(file);
  const claims = await two.claim([...keys, 'new'], 'two');
  assert.deepEqual([[...claims.mine], claims.foreign.size], [['new'], 1200]);
  const again = await one.claim([...keys, 'new'], 'one');
  assert.deepEqual([again.mine.size, [...again.foreign]], [800, ['new']]);
  writeFileSync(file, '');
  assert.equal((await one.claim(keys, 'two')).mine.size, 1200);
});

/** Steps of a run in order, and how many batches wait to be sent after a run that ended there was recovered. */
const steps: readonly (readonly [string, number])[] = [
  ['parsed', 0],
  ['claimed', 0],
  ['one batch spooled', 0],
  ['spooled', 0],
  ['committed', 1],
  ['before the ledger', 1],
  ['before the release', 1],
  ['released', 1],
];

test('a run that ends at any step is undone before its commit and finished after it, and each span is spooled once', async (context) => {
  for (const [step, committed] of steps) {
    const { env, file, fork } = session(context);
    const ended = new Error(`ended at: ${step}`);
    const onStep = (now: string): void => {
      if (now === step) throw ended;
    };
    await assert.rejects(traceSession(runOf(file, 'session'), { ...contextFor(env), onStep }), ended);
    await recoverSessions(contextFor(env));
    assert.deepEqual([waiting(env).length, pending(env)], [committed, []], step);
    assert.equal((await traceSession(runOf(fork, 'session'), contextFor(env))).spans, step === 'parsed' ? 8 : 0, step);
    await traceSession({ ...runOf(file, 'session'), fromStart: true }, contextFor(env));
    const ids = waiting(env).flat();
    assert.deepEqual([ids.length, new Set(ids).size], [8, 8], step);
  }
});

test('the session of a tracer that was killed is traced by whoever comes next', async (context) => {
  const { env, file } = session(context);
  const task = { runs: [runOf(file, 'session')], isSender: false, sendMs: 0 };
  // Its third step: a batch is written and not committed.
  assert.equal((await runTracer(env, { ...task, killAtStep: 3 })).steps, undefined);
  assert.equal(pending(env).length, 1);
  assert.equal(await recoverSessions(contextFor(env)), 1);
  assert.deepEqual([waiting(env).flat().length, pending(env)], [8, []]);
});

function session(context: TestContext): { readonly env: Record<string, string>; file: string; fork: string } {
  const home = homeFor(context);
  const turns = ['a', 'b'].flatMap((id) => toolTurn(id));
  writeTree(home, {
    'p/s.jsonl': sessionText(turns, { sessionId: 's' }),
    'p/fork.jsonl': sessionText(turns, { sessionId: 'fork' }),
  });
  const [file, fork] = ['s.jsonl', 'fork.jsonl'].map((name) => path.join(home, 'p', name)) as [string, string];
  return { env: traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_REDACT: 'off' }), file, fork };
}

/** The span ids of each batch that a sender would send. */
function waiting(env: NodeJS.ProcessEnv): readonly (readonly string[])[] {
  const outbox = path.join(tracePlaces(env).folder, 'outbox', 'default');
  return namesIn(outbox)
    .filter((name) => name.endsWith('.ready'))
    .map((name) => {
      const text = readFileSync(path.join(outbox, name), 'latin1');
      return (JSON.parse(text.slice(0, text.indexOf('\n'))) as { spanIds: string[] }).spanIds;
    });
}

function pending(env: NodeJS.ProcessEnv): readonly string[] {
  const names = namesIn(path.join(tracePlaces(env).folder, 'outbox', 'default'));
  return names.filter((name) => name.includes('.pending-'));
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
