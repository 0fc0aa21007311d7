// History: forks and resumed copies in one library are sent once, and the tokens at the receiver are those that
// `clew usage` counts; what is secret gets neither there nor into the outbox.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { asObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { jsonOf } from '../support/clew.ts';
import { corpusFolder } from '../support/corpus.ts';
import { startClew } from '../support/running-clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, repeated, startReceiver } from '../support/trace-receiver.ts';
import { waitFor } from '../support/wait.ts';

const usage = { input_tokens: 7, output_tokens: 11, cache_read_input_tokens: 13, cache_creation_input_tokens: 17 };

test('forked and resumed copies are sent once, with the tokens that clew usage counts', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  copyProjects(path.join(corpusFolder, 'corpus/real'), path.join(root, 'projects'));
  const shared = ['a', 'b', 'c'].flatMap((id) => toolTurn(id));
  const counted = assistant('counted', { message: { id: 'msg_counted', usage }, requestId: 'req_1' });
  const own = [...shared, user('more'), counted];
  writeTree(root, {
    'projects/p/origin.jsonl': sessionText(own, { sessionId: 'origin' }),
    // As old clients resume: the history under a new id, with new uuids, and then its own.
    'projects/p/resumed.jsonl': sessionText([...own, ...toolTurn('r')], { sessionId: 'resumed', startMinute: 1 }),
    // Cut in front: the turn has another beginning, and so another key.
    'projects/p/stripped.jsonl': sessionText([user('prompt a'), ...shared.slice(3), user('more'), counted], {
      sessionId: 'stripped',
    }),
  });
  makeOld(root);
  const env = { ...traceEnv(home, receiver.url), CLEW_ROOTS: root };
  const dry = asObject(await run(context, ['backfill', '--dry-run'], env));
  assert.equal(receiver.requests.length, 0);
  const report = asObject(await run(context, ['backfill'], env));
  assert.deepEqual([report?.spans, report?.copies, report?.waitingBatches], [dry?.spans, dry?.copies, 0]);
  assert.equal(receiver.spans.length, report?.spans);
  assert.deepEqual(repeated(receiver.spans), {});
  const generations = receiver.spans.filter((span) => span.attributes['langfuse.observation.type'] === 'generation');
  const ids = generations.map(({ attributes }) => attributes['langfuse.observation.metadata.message_id']);
  assert.equal(new Set(ids).size, ids.length);
  const { totals } = jsonOf(['usage', '--json'], { env }) as unknown as { readonly totals: JsonObject };
  const { inputTokens, outputTokens, cacheReadTokens } = totals;
  const written = Number(totals.cacheWrite5mTokens) + Number(totals.cacheWrite1hTokens);
  assert.deepEqual(tokensOf(generations), { inputTokens, outputTokens, cacheReadTokens, written });
  assert.equal(asObject(await run(context, ['backfill'], env))?.spans, 0);
  assert.equal(receiver.spans.length, report?.spans);
});

test('secrets in prompts, tool input and output reach neither the receiver nor the outbox', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const secrets = {
    prompt: ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_'),
    answer: [
      'sk',
      'ant',
      'api03',
      'Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe-Dc9Ba8zY7xW6vU5tS4rQ3pO2nM1lK0jI9hG8fE7dC6bA5Zz-AAA',
    ].join('-'),
    input: ['AKIA', 'QWERTYUIOPASDFGH'].join(''),
    output: ['glpat', 'xY12zW34vU56tS78rQ90'].join('-'),
    named: ['Xk29', 'mQz7', 'pLw4'].join(''),
  };
  const lines = [
    user(`my token is ${secrets.prompt}, use it`),
    assistant(
      [
        { type: 'text', text: `I will use ${secrets.answer}` },
        toolUse('toolu_s', 'Bash', { command: `aws configure set ${secrets.input}`, password: secrets.named }),
      ],
      { message: { id: 'msg_s1' } },
    ),
    user([toolResult('toolu_s', `GITLAB_TOKEN=${secrets.output}\nfailed`, true)]),
    assistant('done', { message: { id: 'msg_s2' } }),
  ];
  writeTree(root, { 'projects/p/s.jsonl': sessionText(lines, { sessionId: 's' }) });
  makeOld(root);
  const gone = { ...traceEnv(home, 'http://127.0.0.1:9'), CLEW_ROOTS: root };
  const destinations = ['genai', 'openinference'].map((profile) => ({
    name: profile,
    profile,
    endpoint: receiver.url,
    format: 'json',
    thinking: true,
  }));
  writeTree(home, { 'clew/trace.json': JSON.stringify({ destinations }) });
  const child = startClew(context, ['trace', 'backfill', '--json'], gone);
  await waitFor(() => receiver.requests.length >= 2);
  await child.end('SIGTERM');
  const outbox = filesBelow(path.join(home, 'clew')).filter((file) => /\.(?:ready|sending|acked)$/.test(file));
  assert.ok(outbox.length > 0);
  const texts = outbox.map((file) => bodyOf(readFileSync(file)));
  for (const text of [
    ...texts,
    ...receiver.bodies.map(String),
    ...filesBelow(path.join(home, 'clew')).map((f) => readFileSync(f, 'latin1')),
  ]) {
    for (const [place, secret] of Object.entries(secrets))
      assert.ok(
        !text.includes(secret),
        `the ${place} secret got out: ${text.slice(Math.max(0, text.indexOf(secret) - 80), text.indexOf(secret) + 60)}`,
      );
  }
  assert.ok(texts.some((text) => text.includes('my token is')));
  assert.ok(receiver.bodies.some((body) => body.includes('aws configure set')));
});

/** The receiver answers in this process, so that the command must not block it. */
async function run(
  context: Parameters<typeof startClew>[0],
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  const child = startClew(context, ['trace', ...words, '--json'], env);
  const text = await child.prints(/\n\}\n/);
  return parseJson(text);
}

/** Every folder with transcripts, each as a project of the library. */
function copyProjects(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const folder = entry.parentPath;
    if (!entry.name.endsWith('.jsonl') || folder.includes('subagents')) continue;
    cpSync(folder, path.join(to, path.relative(from, folder).replace(/[^A-Za-z0-9]/g, '-')), { recursive: true });
  }
}

/** Sessions that nobody writes to any more are traced to their end. */
function makeOld(root: string): void {
  const base = 1_700_000_000;
  for (const [i, file] of filesBelow(root).sort().entries()) utimesSync(file, base + i, base + i);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

function bodyOf(batch: Buffer): string {
  return gunzipSync(batch.subarray(batch.indexOf(0x0a) + 1)).toString('utf8');
}

function tokensOf(generations: readonly ReceivedSpan[]): object {
  const total = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, written: 0 };
  for (const { attributes } of generations) {
    const details = asObject(parseJson(String(attributes['langfuse.observation.usage_details'] ?? 'null'))) ?? {};
    const number = (key: string): number => Number(details[key] ?? 0);
    total.inputTokens += number('input');
    total.outputTokens += number('output');
    total.cacheReadTokens += number('cache_read_input_tokens');
    total.written +=
      number('input_cache_creation_5m') + number('input_cache_creation_1h') + number('cache_creation_input_tokens');
  }
  return total;
}
