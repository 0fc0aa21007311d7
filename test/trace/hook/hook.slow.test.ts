// Built hooks and senders as processes of their own, against servers that fail, are down or never answer.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, parseJson } from '../../../src/base/json/json.ts';
import { isSending } from '../../../src/trace/outbox/send.ts';
import { sendLock, tracePlaces } from '../../../src/trace/state/places.ts';
import { dist } from '../../support/dist.ts';
import { sessionText } from '../../support/session-text.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../../support/trace-kit.ts';
import { type Mood, repeated, startReceiver } from '../../support/trace-receiver.ts';
import { waitFor } from '../../support/wait.ts';

const hookFile = path.join(dist, 'trace-hook.js');

/** The exit code of the built hook at a Stop. */
function runHook(env: Readonly<Record<string, string>>, file: string): Promise<number | null> {
  const event = { session_id: path.basename(file, '.jsonl'), transcript_path: file, hook_event_name: 'Stop' };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [hookFile], { env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', resolve);
    child.stdin.end(JSON.stringify(event));
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
