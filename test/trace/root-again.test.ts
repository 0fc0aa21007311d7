// A turn that continues after a Stop: at Langfuse its span is sent again, with the same id and start, the output and the
// end it has now. All other spans, and all spans at other back ends, are sent once.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listBatches, openBatch } from '../../src/trace/outbox/outbox.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, repeated, spansIn } from '../support/trace-receiver.ts';
import { startTime, transcript } from '../support/transcript-builder.ts';
import { hash } from './trace-kit.ts';

/** Line n is written at second n - 1. A Stop comes after the lines 4, 6 and 9. */
const session = transcript({ gitBranch: 'main', version: '2.1.99' })
  .user('<command-name>/go</command-name>', { promptId: 'p1' })
  .call('t1')
  .result('t1')
  .assistant('done')
  .user('Stop hook feedback', { isMeta: true })
  .assistant('more')
  .user('<task-notification>\n<task-id>b</task-id>\n</task-notification>')
  .call('t2')
  .assistant('all done');
const lines = session.text().split(/(?<=\n)/);
const stops = [4, 6, 9];
const root = hash(`${hash('cct1|trace|m1', 32)}|agent`, 16);

test('Langfuse gets the span of the turn again with each answer that follows a Stop, and every other span once', async (context) => {
  const spans = await traced(context, 'langfuse');
  const versions = spans.filter(({ spanId }) => spanId === root);
  assert.deepEqual(
    versions.map(({ name, startMs, endMs, attributes }) => [
      name,
      startMs - startTime,
      endMs - startTime,
      attributes['langfuse.observation.input'],
      attributes['langfuse.observation.output'],
      attributes['langfuse.trace.metadata.git_branch'],
    ]),
    [
      ['Turn 1', 0, 3000, said('user', '/go'), said('assistant', 'done'), 'main'],
      ['Turn 1', 0, 5000, said('user', '/go'), said('assistant', 'more'), 'main'],
      ['Turn 1', 0, 8000, said('user', '/go'), said('assistant', 'all done'), 'main'],
    ],
  );
  assert.ok(versions.every(({ attributes }) => attributes['langfuse.observation.usage_details'] === undefined));
  assert.deepEqual(repeated(spans), { [root]: 3 });
  assert.equal(spans.length, 3 + 5 + 2);
});

test('all versions have the same parent, status and attributes but for the output', async (context) => {
  const labels = { CLEW_TRACE_USER: 'kim', CLEW_TRACE_ENVIRONMENT: 'test', CLEW_TRACE_TAGS: 'a,b' };
  const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  // Another program that started the client has named the trace.
  for (const [more, parentSpanId, traceName] of [
    [{}, undefined, 'Turn 1'] as const,
    [{ CC_LANGFUSE_TRACEPARENT: parent }, '00f067aa0ba902b7', undefined] as const,
  ]) {
    const spans = await traced(context, 'langfuse', { ...labels, ...more });
    const versions = spans.filter(({ spanId }) => spanId === root);
    assert.equal(versions.length, 3);
    const [first, ...others] = versions.map((span) => ({ ...span, endMs: 0, attributes: withoutOutput(span) }));
    assert.ok(first !== undefined);
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(first.parentSpanId, parentSpanId);
    const expected = {
      'langfuse.trace.name': traceName,
      'langfuse.observation.metadata.prompt_id': 'p1',
      'langfuse.release': '2.1.99',
      'langfuse.environment': 'test',
      'user.id': 'kim',
      'langfuse.trace.tags': ['a', 'b'],
    };
    const found = Object.keys(expected).map((key) => [key, first.attributes[key]]);
    assert.deepEqual(Object.fromEntries(found), expected);
  }
});

test('other profiles, and the seed to the letter, get every span once', async (context) => {
  for (const profile of ['genai', 'openinference']) {
    const spans = await traced(context, profile);
    assert.deepEqual([repeated(spans), spans.length], [{}, 8], profile);
  }
  const spans = await traced(context, 'langfuse', { CLEW_TRACE_STRICT_SEED: 'on' });
  assert.deepEqual(repeated(spans), {});
});

test('a run that is killed before or after it is committed sends each version once', async (context) => {
  for (const step of ['claimed', 'spooled', 'committed', 'before the release']) {
    const { env, file, places } = written(context, 'langfuse');
    for (const [i, count] of stops.entries()) {
      write(file, stops[i - 1] ?? 0, count);
      const killed = {
        ...contextFor(env),
        onStep: (each: string) => {
          if (each === step) throw new Error('killed');
        },
      };
      await assert.rejects(traceSession(runOf(file), killed), /killed/);
      await traceSession(runOf(file), contextFor(env));
    }
    assert.deepEqual(repeated(spooledSpans(places)), { [root]: 3 }, step);
  }
});

test('a transcript that is read again from its start sends nothing again', async (context) => {
  const { env, file, places } = written(context, 'langfuse');
  for (const [i, count] of stops.entries()) {
    write(file, stops[i - 1] ?? 0, count);
    await traceSession(runOf(file), contextFor(env));
  }
  const before = spooledSpans(places).length;
  await traceSession({ ...runOf(file, 'session'), fromStart: true }, contextFor(env));
  assert.deepEqual(
    spooledSpans(places)
      .slice(before)
      .map(({ name }) => name),
    ['Read'],
  );
});

test('a copy of the session that continues does not send the turn of the original again', async (context) => {
  const { env, file, places } = written(context, 'langfuse');
  const copy = path.join(path.dirname(file), 'copy.jsonl');
  write(file, 0, 4);
  await traceSession(runOf(file), contextFor(env));
  write(copy, 0, 4);
  await traceSession(runOf(copy), contextFor(env));
  write(copy, 4, 6);
  await traceSession(runOf(copy), contextFor(env));
  assert.deepEqual(repeated(spooledSpans(places)), {});
  assert.equal(spooledSpans(places).length, 5);
});

async function traced(
  context: TestContext,
  profile: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly ReceivedSpan[]> {
  const { env, file, places } = written(context, profile, more);
  for (const [i, count] of stops.entries()) {
    write(file, stops[i - 1] ?? 0, count);
    await traceSession(runOf(file), contextFor(env));
    await traceSession(runOf(file), contextFor(env)); // nothing is new
  }
  await traceSession(runOf(file, 'session'), contextFor(env));
  return spooledSpans(places);
}

function written(context: TestContext, profile: string, more: Readonly<Record<string, string>> = {}) {
  const home = homeFor(context);
  const env = traceEnv(home, 'http://127.0.0.1:9', {
    CLEW_TRACE_PROFILE: profile,
    CLEW_TRACE_REDACT: 'off',
    ...more,
  });
  writeTree(home, { 'p/s.jsonl': '' });
  return { env, file: path.join(home, 'p', 's.jsonl'), places: contextFor(env).places };
}

function write(file: string, from: number, to: number): void {
  appendFileSync(file, lines.slice(from, to).join(''));
}

function spooledSpans(places: ReturnType<typeof contextFor>['places']): readonly ReceivedSpan[] {
  assert.ok(readdirSync(path.join(places.folder, 'outbox')).length === 1);
  return listBatches(places, 'default', 'ready').flatMap((name) => {
    const batch = openBatch(places, 'default', name, 'ready');
    assert.ok(batch !== undefined);
    return spansIn(gunzipSync(batch.body));
  });
}

function withoutOutput({ attributes }: ReceivedSpan): ReceivedSpan['attributes'] {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !/\.output$/.test(key)));
}

function said(role: string, content: string): string {
  return JSON.stringify({ role, content });
}
