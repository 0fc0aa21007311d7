// A secret in every place that a session has, each one its own: none of them is in what arrives, in what waits, in what
// was refused, in the state of the tracer, in its log or in what its commands print. Put together here, so that no
// scanner takes this file for a leak.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { unparkBatches } from '../../src/trace/outbox/outbox.ts';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { runClew } from '../support/clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, traceEnv } from '../support/trace-kit.ts';
import { type Mood, startReceiver } from '../support/trace-receiver.ts';

const planted = new Map<string, string>();

function secret(place: string): string {
  const body = createHash('sha512').update(place).digest('base64').replace(/[+/=]/g, 'x').slice(0, 36);
  const token = `${['gh', 'p'].join('')}_${body}`;
  planted.set(place, token);
  return token;
}

function agentText(): string {
  const lines = [
    user(`look up ${secret('task of a sub-agent')}`),
    assistant([
      { type: 'thinking', thinking: `hm ${secret('thinking of a sub-agent')}`, signature: 's' },
      toolUse('toolu_w', 'Bash', { command: `echo ${secret('input in a sub-agent')}` }),
    ]),
    user([{ ...toolResult('toolu_w', `no ${secret('error in a sub-agent')}`), is_error: true }]),
    assistant(`found ${secret('reply of a sub-agent')}`),
  ];
  return sessionText(lines, { sessionId: 's', isSidechain: true, agentId: 'a1' });
}

function mainText(): string {
  const lines = [
    { type: 'summary', summary: `about ${secret('summary')}`, leafUuid: 'x' },
    { type: 'custom-title', customTitle: `title ${secret('title')}` },
    user(`use ${secret('prompt')}`, {
      gitBranch: `fix-${secret('branch')}`,
      slug: `slug-${secret('slug')}`,
    }),
    assistant([
      { type: 'thinking', thinking: `so ${secret('thinking')}`, signature: 's' },
      { type: 'text', text: `I try ${secret('reply')}` },
      toolUse('toolu_1', 'Bash', { env: { deep: [`T=${secret('tool input')}`] } }),
      toolUse('toolu_2', 'Task', { prompt: `look up ${planted.get('task of a sub-agent')}`, subagent_type: 'helper' }),
    ]),
    user([{ ...toolResult('toolu_1', `failed: ${secret('tool error')}`), is_error: true }]),
    user([toolResult('toolu_2', `it is ${secret('tool output')}`)], { toolUseResult: { agentId: 'a1' } }),
    assistant([toolUse('toolu_3', 'Bash', { command: `wait ${secret('call that waits')}` })]),
    assistant(`API Error: 401 ${secret('error of the API')}`, {
      isApiErrorMessage: true,
      message: { model: '<synthetic>' },
    }),
    user(`and ${secret('prompt without an answer')}`),
  ];
  return sessionText(lines, { sessionId: 's', cwd: `/home/kim/${secret('folder')}/x` });
}

test('secrets in any place of a session arrive nowhere and are kept nowhere', async (context) => {
  let mood: Mood = '500';
  const profiles = ['langfuse', 'genai', 'openinference'];
  const receivers = await Promise.all(profiles.map(() => startReceiver(context, { mood: () => mood })));
  const home = homeFor(context);
  const destinations = profiles.map((profile, i) => ({
    name: profile,
    profile,
    endpoint: receivers[i]?.url,
    format: 'json',
    thinking: true,
  }));
  writeTree(home, {
    'root/projects/p/s/subagents/agent-a1.jsonl': agentText(),
    'root/projects/p/s.jsonl': mainText(),
    'clew/trace.json': JSON.stringify({ destinations }),
  });
  const { CLEW_TRACE_ENDPOINT: _, CLEW_TRACE_PROFILE: __, ...env } = traceEnv(home, '');
  const tracer = contextFor(env);
  const { places, config } = tracer;
  const send = (mostTries = Number.POSITIVE_INFINITY) => {
    const stop = new AbortController();
    let tries = 0;
    const onStep = (step: string): void => {
      if (step === 'batch done' && ++tries === mostTries) stop.abort();
    };
    return sendOutbox({ places, destinations: config.destinations, isUrgent: true, signal: stop.signal, onStep });
  };
  const print = (...words: string[]) => {
    const { stdout, stderr } = runClew(['trace', ...words, '--root', path.join(home, 'root')], { env });
    return stdout + stderr;
  };
  const file = path.join(home, 'root', 'projects', 'p', 's.jsonl');
  await traceSession(runOf(file), tracer);
  const kept = () => filesBelow(path.join(home, 'clew')).map(contentOf);
  assert.equal(planted.size, 19);
  assert.deepEqual(leaksIn(kept()), []);
  await send(profiles.length);
  mood = '400';
  await send();
  assert.deepEqual(leaksIn([...kept(), print('status')]), []);
  mood = 'fine';
  for (const { name } of config.destinations) assert.equal(unparkBatches(places, name), 1);
  await send();
  await traceSession({ ...runOf(file, 'session'), fromStart: true }, tracer);
  await send();
  const printed = [print('explain', 's')];
  assert.deepEqual(leaksIn([...kept(), ...printed]), []);
  for (const { bodies, spans } of receivers) {
    assert.deepEqual(leaksIn(bodies.map((body) => body.toString('latin1'))), []);
    assert.equal(spans.filter(({ name }) => /helper/.test(name)).length, 1);
    const whole = Buffer.concat(bodies).toString('utf8');
    for (const said of ['I try', 'failed:', 'it is', 'found', 'so ']) assert.ok(whole.includes(said), said);
  }
});

function leaksIn(texts: readonly string[]): readonly string[] {
  return [...planted].filter(([, token]) => texts.some((text) => text.includes(token))).map(([place]) => place);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

/** A batch is a line of JSON and a body in gzip. */
function contentOf(file: string): string {
  const bytes = readFileSync(file);
  const body = bytes.subarray(bytes.indexOf(10) + 1);
  const isZipped = body[0] === 0x1f && body[1] === 0x8b;
  return bytes.toString('latin1') + (isZipped ? gunzipSync(body).toString('latin1') : '');
}
