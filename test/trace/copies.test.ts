// Forks, resumed copies and copies that were cut: of several sessions with the same messages, the first one to come
// sends them, and the others send only what is their own.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type Receiver, repeated, startReceiver } from '../support/trace-receiver.ts';

const usage = { input_tokens: 7, output_tokens: 11, cache_read_input_tokens: 13, cache_creation_input_tokens: 17 };
const shared = ['a', 'b', 'c'].flatMap((id) => toolTurn(id));
const counted = assistant('counted', { message: { id: 'msg_counted', usage }, requestId: 'req_1' });
const own = [...shared, user('more'), counted];

test('each message and call is sent once, by the first session that has it', async (context) => {
  const library = await libraryOf(context, {
    origin: own,
    // As old clients resume: the history under a new id, and then turns of its own.
    resumed: [...own, ...toolTurn('r')],
    // Cut in front: the first turn begins with another message, so that its trace and spans have other ids.
    stripped: [user('prompt a'), ...shared.slice(3), user('more'), counted],
  });
  const expected = [
    { turns: 4, spans: 14, copies: 0 },
    { turns: 5, spans: 4, copies: 14 },
    { turns: 4, spans: 0, copies: 12 },
  ];
  assert.deepEqual(await library.dryRun(), expected);
  assert.equal(library.receiver.requests.length, 0);
  assert.deepEqual(await library.trace(), expected);
  const { spans } = library.receiver;
  assert.deepEqual(repeated(spans), {});
  const values = (key: string): unknown[] => spans.flatMap(({ attributes }) => attributes[key] ?? []).sort();
  assert.deepEqual(values('langfuse.observation.metadata.message_id'), [
    ...['msg_aa', 'msg_ab', 'msg_ba', 'msg_bb', 'msg_ca', 'msg_cb', 'msg_counted', 'msg_ra', 'msg_rb'],
  ]);
  assert.deepEqual(values('langfuse.observation.metadata.tool_id'), ['toolu_a', 'toolu_b', 'toolu_c', 'toolu_r']);
  const turns = spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name);
  assert.deepEqual(turns.sort(), ['Turn 1', 'Turn 2', 'Turn 3', 'Turn 4', 'Turn 5']);
  const sessions = spans.map(({ attributes }) => attributes['session.id']);
  assert.equal(sessions.filter((id) => id === 'origin').length, 14);
  assert.equal(sessions.filter((id) => id === 'resumed').length, 4);
  // Eight messages of 10 and 20 tokens, and the one that is counted.
  assert.deepEqual(tokensOf(values('langfuse.observation.usage_details')), {
    input: 87,
    output: 171,
    cache_read_input_tokens: 13,
    cache_creation_input_tokens: 17,
  });
  assert.deepEqual(
    (await library.trace()).map((report) => report.spans),
    [0, 0, 0],
  );
  assert.equal(spans.length, 18);
});

test('an id that is not of the API may name another message in another session: both are sent', async (context) => {
  const turn = (session: string) => [
    user(session),
    assistant('one', { message: { id: `msg_${session}` } }),
    assistant('two', { message: { id: 'response-2' } }),
  ];
  const library = await libraryOf(context, { x: turn('x'), y: turn('y') });
  assert.deepEqual(
    (await library.trace()).map((report) => report.spans),
    [3, 3],
  );
});

test('where forks are kept, copies are traces of their own, and sent once as well', async (context) => {
  const files = { origin: toolTurn('a'), fork: toolTurn('a') };
  const library = await libraryOf(context, files, { CLEW_TRACE_KEEP_FORKS: 'on' });
  await library.trace();
  const { spans } = library.receiver;
  assert.deepEqual([spans.length, repeated(spans)], [8, {}]);
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 2);
  await library.trace();
  assert.equal(spans.length, 8);
});

interface Report {
  readonly turns: number;
  readonly spans: number;
  readonly copies: number;
}

interface Library {
  readonly receiver: Receiver;
  readonly dryRun: () => Promise<readonly Report[]>;
  /** Traces all sessions in the order given, from their start to their end, and sends what that makes. */
  readonly trace: () => Promise<readonly Report[]>;
}

async function libraryOf(
  context: TestContext,
  sessions: Readonly<Record<string, readonly Parameters<typeof sessionText>[0][number][]>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Library> {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  for (const [i, [sessionId, lines]] of Object.entries(sessions).entries()) {
    writeTree(home, { [`p/${sessionId}.jsonl`]: sessionText(lines, { sessionId, startMinute: i }) });
  }
  const env = traceEnv(home, receiver.url, { CLEW_TRACE_REDACT: 'off', ...more });
  const runAll = async (isDryRun: boolean): Promise<readonly Report[]> => {
    const tracer = contextFor(env);
    const reports: Report[] = [];
    for (const sessionId of Object.keys(sessions)) {
      const run = { ...runOf(path.join(home, 'p', `${sessionId}.jsonl`), 'session'), fromStart: true, isDryRun };
      const { turns, spans, copies } = await traceSession(run, tracer);
      reports.push({ turns, spans, copies });
    }
    const { places, config } = tracer;
    if (!isDryRun) await sendOutbox({ places, destinations: config.destinations });
    return reports;
  };
  return { receiver, dryRun: () => runAll(true), trace: () => runAll(false) };
}

function tokensOf(details: readonly unknown[]): Readonly<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const text of details)
    for (const [key, count] of Object.entries(JSON.parse(String(text)) as Record<string, number>))
      total[key] = (total[key] ?? 0) + count;
  return total;
}
