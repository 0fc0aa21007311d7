// The hook as Claude Code runs it: the built file, an event on stdin, exit code 0 whatever happens; what it spooled is
// sent by a process that it leaves behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, type JsonObject, parseJson } from '../../src/base/json.ts';
import { logFailure } from '../../src/trace/log.ts';
import { sendLock, sessionKey, tracePlaces } from '../../src/trace/places.ts';
import { isSending } from '../../src/trace/send.ts';
import { isSettled, settle } from '../../src/trace/settle.ts';
import { traceSession } from '../../src/trace/trace-session.ts';
import { dist } from '../support/dist.ts';
import { assistant, sessionText, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type Mood, repeated, startReceiver } from '../support/trace-receiver.ts';
import { waitFor } from '../support/wait.ts';

const hookFile = path.join(dist, 'trace-hook.js');

async function runHook(
  env: Readonly<Record<string, string>>,
  file: string,
  more: JsonObject = {},
): Promise<number | null> {
  const event = { session_id: path.basename(file, '.jsonl'), transcript_path: file, hook_event_name: 'Stop', ...more };
  return runHookWith(env, JSON.stringify(event));
}

function runHookWith(env: Readonly<Record<string, string>>, input: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [hookFile], { env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', resolve);
    child.stdin.end(input);
  });
}

/** The folder of a test can only be removed when nobody writes to it. */
async function senderEnds(env: Readonly<Record<string, string>>): Promise<void> {
  await waitFor(() => !isSending(tracePlaces(env), 'default'));
}

function logOf(env: Readonly<Record<string, string>>): string {
  const { log } = tracePlaces(env);
  return existsSync(log) ? readFileSync(log, 'utf8') : '';
}

test('each Stop brings the new turn to the receiver, once', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const file = path.join(home, 'p', 's.jsonl');
  for (const [i, id] of ['a', 'b', 'c'].entries()) {
    const text = sessionText(toolTurn(id), { sessionId: 's', startMinute: i });
    if (i === 0) writeTree(home, { 'p/s.jsonl': text });
    else appendFileSync(file, text);
    assert.equal(await runHook(env, file, { last_assistant_message: `answer ${id}` }), 0);
    await waitFor(
      () => receiver.spans.length === 4 * (i + 1),
      () => logOf(env),
    );
  }
  assert.deepEqual(repeated(receiver.spans), {});
  const turns = receiver.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  assert.deepEqual(
    turns.map(({ name }) => name),
    ['Turn 1', 'Turn 2', 'Turn 3'],
  );
  await senderEnds(env);
  assert.equal(logOf(env), '');
});

test('hooks at once, several for one session and for two, send each span once to a server that fails', async (context) => {
  const moods: Mood[] = ['500', 'slow', 'cut', 'partial', '429', 'fine', 'cut early'];
  const receiver = await startReceiver(context, { mood: () => moods.shift() ?? 'fine' });
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const [one, two] = [path.join(home, 'p', 'one.jsonl'), path.join(home, 'p', 'two.jsonl')];
  writeTree(home, { 'p/one.jsonl': '', 'p/two.jsonl': '' });
  for (let round = 0; round < 3; round++) {
    appendFileSync(one, sessionText(toolTurn(`one${round}`), { sessionId: 'one', startMinute: round }));
    // The other one is a fork: both hold the turn, one of them sends it.
    appendFileSync(two, sessionText(toolTurn(`one${round}`), { sessionId: 'two', startMinute: round }));
    appendFileSync(two, sessionText(toolTurn(`two${round}`), { sessionId: 'two', startMinute: round + 1 }));
    const codes = await Promise.all([one, one, two, two].map((file) => runHook(env, file)));
    assert.deepEqual(codes, [0, 0, 0, 0]);
    await waitFor(
      () => receiver.spans.length >= 8 * (round + 1),
      () => logOf(env),
    );
  }
  await senderEnds(env);
  assert.deepEqual(repeated(receiver.spans), {});
  assert.equal(receiver.spans.length, 24);
});

test('with the server down the hook does the same, and nothing is lost', async (context) => {
  const gone = await startReceiver(context);
  await gone.close();
  const home = homeFor(context);
  const env = traceEnv(home, gone.url);
  const file = path.join(home, 'p', 's.jsonl');
  writeTree(home, { 'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  assert.equal(await runHook(env, file), 0);
  const back = await startReceiver(context, { port: Number(new URL(gone.url).port) });
  appendFileSync(file, sessionText(toolTurn('b'), { sessionId: 's', startMinute: 1 }));
  assert.equal(await runHook(env, file), 0);
  await waitFor(
    () => back.spans.length === 8,
    () => logOf(env),
  );
  await senderEnds(env);
  assert.deepEqual(repeated(back.spans), {});
});

test('each destination is sent to by a process of its own, and killing one does nothing to the other', async (context) => {
  const [deaf, up] = [
    await startReceiver(context, { mood: () => 'slow', slowMs: 600_000 }),
    await startReceiver(context),
  ];
  const home = homeFor(context);
  const destinations = [{ name: 'up', endpoint: up.url, profile: 'genai', format: 'json' }];
  writeTree(home, { 'clew/trace.json': JSON.stringify({ destinations }) });
  const env = traceEnv(home, deaf.url);
  const file = path.join(home, 'p', 's.jsonl');
  writeTree(home, { 'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  assert.equal(await runHook(env, file), 0);
  const places = tracePlaces(env);
  await waitFor(
    () => deaf.requests.length === 1 && up.spans.length === 4 && !isSending(places, 'up'),
    () => logOf(env),
  );
  const holder = asObject(parseJson(readFileSync(path.join(places.folder, sendLock('default')), 'utf8')));
  process.kill(Number(holder?.pid), 'SIGKILL');
  appendFileSync(file, sessionText(toolTurn('b'), { sessionId: 's', startMinute: 1 }));
  await deaf.close();
  const back = await startReceiver(context, { port: Number(new URL(deaf.url).port) });
  assert.equal(await runHook(env, file), 0);
  await waitFor(
    () => back.spans.length === 8 && up.spans.length === 8,
    () => logOf(env),
  );
  await waitFor(() => !isSending(places, 'default') && !isSending(places, 'up'));
  assert.deepEqual([repeated(back.spans), repeated(up.spans)], [{}, {}]);
});

test('whatever is on stdin or wrong with the settings, the hook ends with 0 and says why in its log', async (context) => {
  const home = homeFor(context);
  const env = traceEnv(home, 'http://127.0.0.1:9');
  for (const input of ['', 'not json', '[]', '{"transcript_path":7}', '{"transcript_path":"relative.jsonl"}'])
    assert.equal(await runHookWith(env, input), 0);
  const lines = logOf(env).trim().split('\n');
  assert.equal(lines.length, 5);
  for (const line of lines) assert.match(line, /^\S+Z hook: the input of the hook names no transcript$/);
  const wrong = { ...env, CLEW_TRACE_CONTENT: 'everything' };
  assert.equal(await runHook(wrong, path.join(home, 'none.jsonl')), 0);
  assert.match(logOf(env), /the content of default is none of full, no-tool-content, metadata/);
  for (const name of ['Stop', 'SessionEnd', 'Stop\n\u001b[31m'])
    assert.equal(await runHook(env, path.join(home, 'none.jsonl'), { hook_event_name: name }), 0);
  const { CLEW_TRACE_ENDPOINT: _, ...nowhere } = env;
  assert.equal(await runHookWith({ ...nowhere, CLEW_TRACE_PROFILE: 'genai' }, '{}'), 0);
  assert.equal(await runHookWith({ ...nowhere, CLEW_TRACE: 'off' }, '{}'), 0);
  const last = logOf(env).trim().split('\n').slice(6);
  assert.equal(last.length, 2);
  assert.match(last[0] ?? '', /^\S+Z hook Stop none: there is no transcript .*none\.jsonl$/);
  assert.match(last[1] ?? '', /^\S+Z hook: no destination is set up where the client runs; see docs/);
});

test('a line of the log is one line, whatever is in it', (context) => {
  const file = path.join(temporaryFolder(context), 'trace.log');
  logFailure(file, 'hook a\nb\u001b[31m', new Error('c\r\n\u202ed\u0007 e'), 0);
  assert.equal(readFileSync(file, 'utf8'), '1970-01-01T00:00:00.000Z hook a b [31m: c d e\n');
});

test('a session that goes on from another recovers that one first, and its failure blocks nothing', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const old = '11111111-1111-4111-8111-111111111111';
  const next = '22222222-2222-4222-8222-222222222222';
  const planned = user(
    `Implement the following plan:\n\n…\n\nIf you need specific details, read the full transcript at: /elsewhere/${old}.jsonl`,
    { planContent: '# Plan' },
  );
  writeTree(home, {
    [`p/${old}.jsonl`]: sessionText(toolTurn('old'), { sessionId: old }),
    [`p/${next}.jsonl`]: sessionText([planned, assistant('done', { message: { id: 'msg_next' } })], {
      sessionId: next,
    }),
    'p/seed.jsonl': sessionText([user('x', { sessionId: 'broken' }), ...toolTurn('seed')], { sessionId: 'seed' }),
    'p/broken.jsonl': sessionText(toolTurn('broken'), { sessionId: 'broken' }),
    // Its state cannot be written.
    [`clew/trace/sessions/${sessionKey('broken')}.json/is-a-folder`]: '',
  });
  assert.equal(await runHook(env, path.join(home, 'p', `${next}.jsonl`)), 0);
  await waitFor(
    () => receiver.spans.length === 6,
    () => logOf(env),
  );
  const sessions = receiver.spans.map(({ attributes }) => attributes['session.id']);
  assert.deepEqual([...new Set(sessions)], [old, next]);
  assert.equal(await runHook(env, path.join(home, 'p', 'seed.jsonl')), 0);
  await waitFor(
    () => receiver.spans.length === 10,
    () => logOf(env),
  );
  await senderEnds(env);
  assert.match(logOf(env), /^\S+ recover broken: /);
  assert.deepEqual(repeated(receiver.spans), {});
});

const largeMb = process.env.CLEW_LONG === '1' ? 100 : 10;

test(`of a transcript of ${largeMb} MB with one new turn only the new bytes are read`, async (context) => {
  const home = temporaryFolder(context);
  const tracer = contextFor(traceEnv(home, 'http://127.0.0.1:9'));
  const file = path.join(home, 's.jsonl');
  const filler = 'x'.repeat(100_000);
  for (let i = 0; i < 10 * largeMb; i++)
    appendFileSync(file, sessionText(toolTurn(`f${i}`, `${filler} ${i}`), { sessionId: 's', startMinute: i }));
  const first = await traceSession(runOf(file), tracer);
  assert.equal(first.bytesRead, statSync(file).size);
  const added = sessionText(toolTurn('new'), { sessionId: 's', startMinute: 2000 });
  appendFileSync(file, added);
  const second = await traceSession(runOf(file), tracer);
  assert.deepEqual([second.turns, second.bytesRead], [1, Buffer.byteLength(added)]);
  assert.equal((await traceSession(runOf(file), tracer)).bytesRead, 0);
});

test('a transcript that was cut or replaced is read again, and nothing of it is sent again', async (context) => {
  const home = temporaryFolder(context);
  const tracer = contextFor(traceEnv(home, 'http://127.0.0.1:9'));
  const file = path.join(home, 's.jsonl');
  const [one, two] = [toolTurn('one'), toolTurn('two')];
  writeFileSync(file, sessionText([...one, ...two], { sessionId: 's' }));
  assert.equal((await traceSession(runOf(file), tracer)).spans, 8);
  truncateSync(file, Buffer.byteLength(sessionText(one, { sessionId: 's' })));
  assert.deepEqual(
    { ...(await traceSession(runOf(file), tracer)), bytesRead: 0 },
    { turns: 1, spans: 0, copies: 4, bytesRead: 0 },
  );
  appendFileSync(file, sessionText(toolTurn('three'), { sessionId: 's', startMinute: 5 }));
  assert.deepEqual((await traceSession(runOf(file), tracer)).spans, 4);
});

test('the end of a turn is waited for as long as it is not in the file, and not at all where it is', async (context) => {
  const home = temporaryFolder(context);
  const file = path.join(home, 's.jsonl');
  writeFileSync(file, sessionText([user('go'), assistant([toolUse('t', 'Read', {})])]));
  assert.equal(isSettled(file, 'the answer'), false);
  assert.equal(isSettled(file, undefined), false);
  const settled = settle(file, { lastAnswer: 'the answer', mostMs: 60_000, pollMs: 5 });
  appendFileSync(file, `${sessionText([assistant('this is the answer')])}{"type":"system","subtype":"x"}\n`);
  assert.ok((await settled) > 1);
  assert.equal(await settle(file, { lastAnswer: 'the answer', mostMs: 60_000 }), 1);
  assert.equal(await settle(file, { lastAnswer: undefined, mostMs: 60_000 }), 1);
  appendFileSync(file, '{"type":"assistant"');
  assert.equal(isSettled(file, 'the answer'), false);
});
