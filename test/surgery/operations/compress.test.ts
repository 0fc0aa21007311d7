// Compressing builder sessions: the lines that are made, what the summary says, where the cut may be.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { type Outcome, operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource, type Source } from '../../../src/surgery/engine/plan.ts';
import { type CompressOptions, planCompress } from '../../../src/surgery/operations/compress.ts';
import {
  apiSummary,
  fileSummary,
  findCompressCut,
  offlineSummary,
  type Summary,
} from '../../../src/surgery/operations/compress-summary.ts';
import { asBefore, benchWith } from '../../support/surgery-kit.ts';
import {
  sessionId,
  type TranscriptBuilder,
  text,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

function threeTurns(): TranscriptBuilder {
  return transcript()
    .user('fix the bug')
    .assistant([toolUse('toolu_1', 'Bash', { command: 'npm test' })])
    .user([toolResult('toolu_1', 'Error: 1 failed\nmore', { is_error: true })])
    .assistant([toolUse('toolu_2', 'Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' })])
    .result('toolu_2')
    .assistant([
      toolUse('toolu_3', 'TodoWrite', {
        todos: [
          { content: 'docs', status: 'pending' },
          { content: 'fix', status: 'completed' },
        ],
      }),
    ])
    .result('toolu_3')
    .assistant('I fixed it. The cause was a typo.')
    .user('and now\nthe second thing')
    .assistant('Second done.')
    .user('third')
    .assistant('Third done.', { message: { usage: { input_tokens: 100_000, output_tokens: 7 } } });
}

test('older turns become a boundary and a summary, and the kept turn hangs on it', async (context) => {
  const built = threeTurns();
  const { after, outcome } = await compress(context, built, { keepTurns: 1 }, () =>
    fileSummary('notes.md', 'All went well.\n'),
  );
  assert.deepEqual(after.slice(0, 10), built.entries.slice(0, 10), 'the old lines stay');
  const [boundary, summary, prompt, answer] = after.slice(10);
  const metadata = isObject(boundary?.compactMetadata) ? boundary.compactMetadata : {};
  const { preTokens, postTokens, ...rest } = metadata;
  assert.deepEqual(rest, { trigger: 'manual' });
  assert.ok(Number(preTokens) > 0 && Number(postTokens) > 0);
  const envelope = { isSidechain: false, userType: 'external', cwd: '/home/dev/widgets', sessionId, version: '2.1.45' };
  assert.deepEqual(
    { ...boundary, compactMetadata: {}, uuid: 'B' },
    {
      ...envelope,
      parentUuid: null,
      logicalParentUuid: 'a5',
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      timestamp: '2026-01-03T10:00:09.998Z',
      compactMetadata: {},
      uuid: 'B',
    },
  );
  const said = [
    `This session goes on from an earlier part, turns 1 to 2, of which only this summary is left. The whole stands in session ${sessionId}.`,
    '## What the user said, word for word\n\n1. fix the bug\n2. and now\nthe second thing',
    '## What was done (source: the file notes.md)\n\nAll went well.',
  ].join('\n\n');
  assert.deepEqual(
    { ...summary, uuid: 'S' },
    {
      ...envelope,
      parentUuid: boundary?.uuid,
      type: 'user',
      message: { role: 'user', content: said },
      isVisibleInTranscriptOnly: true,
      isCompactSummary: true,
      uuid: 'S',
      timestamp: '2026-01-03T10:00:09.999Z',
    },
  );
  assert.deepEqual(prompt, { ...built.entries[10], parentUuid: summary?.uuid });
  const { message } = built.entries[11] ?? {};
  assert.deepEqual(answer, {
    ...built.entries[11],
    message: { ...(isObject(message) ? message : {}), usage: { input_tokens: 0, output_tokens: 0 } },
  });
  assert.deepEqual(outcome.notes.slice(0, 1), ['2 turns are summarised, 1 kept; the summary is the file notes.md']);
});

test('a resume sends the summary and then the kept turns', async (context) => {
  const { outcome } = await compress(context, threeTurns(), { keepTurns: 2 });
  const request = requestMessages(await loadSession(outcome.to.path));
  assert.ok('messages' in request);
  const [first, ...rest] = request.messages;
  assert.match(String(first?.content[0]?.text), /^This session goes on from an earlier part, turn 1,/);
  assert.deepEqual(
    [first?.content.slice(1), ...rest.map(({ content }) => content)],
    [[text('and now\nthe second thing')], [text('Second done.')], [text('third')], [text('Third done.')]],
  );
});

test('the outline lists answers, files, commands with their results, errors and open todos', async () => {
  const session = threeTurns().session();
  const cut = findCompressCut(session, 1);
  assert.deepEqual(offlineSummary(session, cut), {
    label: 'an outline made by Clew without a model',
    text: [
      '### Turn 1',
      'Answer: I fixed it. The cause was a typo.',
      'Files:',
      '- /w/a.ts (Edit)',
      'Commands:',
      '- `npm test` → failed: Error: 1 failed',
      '',
      '### Turn 2',
      'Answer: Second done.',
      '',
      '### Still to do',
      '- docs',
    ].join('\n'),
  });
});

test('with --drop-old the summarised lines are dropped and listed', async (context) => {
  const built = threeTurns()
    .lastPrompt('a6')
    .aside('file-history-snapshot', { messageId: 'u1', snapshot: { messageId: 'u1' } });
  const { after, outcome } = await compress(context, built, { keepTurns: 1, dropOld: true });
  assert.deepEqual(
    after.map(({ type }) => type),
    ['system', 'user', 'user', 'assistant', 'last-prompt'],
  );
  assert.deepEqual(outcome.dropped.map(({ line, reason }) => `${line} ${reason}`).slice(-2), [
    '10 summarised',
    '14 refers only to dropped lines',
  ]);
});

test('a cut keeps a call and its result together by keeping more turns', async (context) => {
  const built = transcript()
    .user('one')
    .assistant('done')
    .user('two')
    .call('toolu_1')
    .user('three, typed meanwhile')
    .result('toolu_1')
    .assistant('done');
  const { outcome } = await compress(context, built, { keepTurns: 1 });
  assert.deepEqual(outcome.notes.slice(0, 2), [
    '1 turn is summarised, 2 kept; the summary is an outline made by Clew without a model',
    '1 more than requested, to keep calls and their results together',
  ]);
});

test('answers that share a request are one message, so they are not parted either', () => {
  const answer = { requestId: 'req', message: { id: undefined } };
  const session = transcript()
    .user('1')
    .assistant('a')
    .user('2')
    .assistant('b', answer)
    .user('3')
    .assistant('c', answer);
  assert.deepEqual(
    findCompressCut(session.session(), 1).kept.map(({ index }) => index),
    [2, 3],
  );
});

test('what was compacted before is kept as it was summarised then, and not compressed again', async (context) => {
  const built = threeTurns().boundary().summary('EARLIER SUMMARY').assistant('going on').user('four').assistant('done');
  const { outcome } = await compress(context, built, { keepTurns: 1 });
  const request = requestMessages(await loadSession(outcome.to.path));
  assert.ok('messages' in request);
  assert.match(String(request.messages[0]?.content[0]?.text), /## Summary of what came before\n\nEARLIER SUMMARY/);
  await assert.rejects(compress(context, built, { keepTurns: 3 }), /turns 1 to 3 are already summarised/);
  await assert.rejects(compress(context, threeTurns(), { keepTurns: 3 }), /it has 3 turns/);
});

test('a pin that the boundary would cancel is set again', async (context) => {
  const built = transcript().user('one').assistant('done').user('two').assistant('old way').from('a1');
  built.lastPrompt('a1').user('two again').assistant('new way').lastPrompt('a3');
  const { after } = await compress(context, built, { keepTurns: 1 });
  assert.equal(after.at(-1)?.leafUuid, 'a3');
});

for (const [name, rendered] of [
  ['one text', ['Use tabs.']],
  ['two texts', ['Use tabs.', 'And spaces.']],
] as const)
  test(`a note with ${name} of its own after the first kept prompt is sent as before`, async (context) => {
    const builder = transcript({ version: '2.1.325' })
      .user('one')
      .assistant('to one')
      .user('two')
      .attachment('hook_success', rendered)
      .assistant('to two');
    const bench = benchWith(context, sessionId, builder.text());
    const source = await loadSource(bench.main);
    const plan = await planCompress(source, fileSummary('a file', 'It began.'), { keepTurns: 1 });
    const { to } = await operate(plan, [source], { env: bench.env });
    const request = requestMessages(await loadSession(to.path));
    assert.ok('messages' in request);
    const said = request.messages.flatMap(({ content }) => content.map((block) => String(block.text).trim()));
    assert.deepEqual(
      said.filter((words) => !words.includes('It began.')),
      [...rendered, 'two', 'to two'],
    );
    assert.equal(said.filter((words) => words.includes('It began.')).length, 1);
  });

test('a model is asked with the older turns alone, and what goes wrong is one line', async (context) => {
  const seen: JsonObject[] = [];
  const replies = [
    { status: 200, body: { content: [text('MODEL SUMMARY')], stop_reason: 'end_turn' } },
    { status: 401, body: { error: { type: 'authentication_error', message: 'invalid x-api-key' } } },
    { status: 200, body: { content: [], stop_reason: 'refusal' } },
    { status: 200, body: { content: [text('half')], stop_reason: 'max_tokens' } },
  ];
  const server = createServer(async (incoming, response) => {
    const body = parseJson(await readText(incoming));
    if (isObject(body)) seen.push({ ...body, key: String(incoming.headers['x-api-key']), path: incoming.url ?? '' });
    const reply = replies[seen.length - 1];
    if (reply === undefined) return;
    response.writeHead(reply.status).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/` };
  const session = threeTurns().session();
  const cut = findCompressCut(session, 1);
  const ask = (): Promise<Summary> => apiSummary(session, cut, { env, timeoutMs: 2000 });
  assert.deepEqual(await ask(), { label: 'the model claude-opus-4-5-20251101', text: 'MODEL SUMMARY' });
  const [request] = seen;
  assert.deepEqual([request?.model, request?.key, request?.path], ['claude-opus-4-5-20251101', 'k', '/v1/messages']);
  assert.match(JSON.stringify(request?.messages), /fix the bug/);
  assert.doesNotMatch(JSON.stringify(request?.messages), /Third done/);
  await assert.rejects(ask(), { message: /^the API answered 401: invalid x-api-key/ });
  await assert.rejects(ask(), { message: /^the API returned no text \(refusal\)/ });
  await assert.rejects(ask(), { message: /^the answer did not fit into 8192 tokens/ });
  await assert.rejects(apiSummary(session, cut, { env, timeoutMs: 50 }), { message: /did not answer within/ });
  await assert.rejects(apiSummary(session, cut, { env: {} }), { message: /^ANTHROPIC_API_KEY is not set/ });
  await assert.rejects(apiSummary(session, cut, { env: { ...env, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' } }), {
    message: /^127\.0\.0\.1:1 cannot be reached/,
  });
});

interface CompressRun {
  readonly after: JsonObject[];
  readonly outcome: Outcome;
}

async function compress(
  context: TestContext,
  built: TranscriptBuilder,
  options: CompressOptions,
  summaryOf = ({ session }: Source): Summary => offlineSummary(session, findCompressCut(session, options.keepTurns)),
): Promise<CompressRun> {
  const bench = benchWith(context, sessionId, built.text());
  const source = await loadSource(bench.main);
  const outcome = await operate(planCompress(source, summaryOf(source), options), [source], { env: bench.env });
  const lines = readFileSync(outcome.to.path, 'utf8').trimEnd().split('\n').map(parseJson).filter(isObject);
  return { after: lines.map((entry) => asBefore(entry, sessionId)), outcome };
}
