// clew replay as a user runs it: the address, a line for each request, the summary, JSON, and wrong use in one line.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { asObject, isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { runClew } from '../../support/clew.ts';
import { post, requestOf } from '../../support/messages-client.ts';
import { startClew } from '../../support/running-clew.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';

const prompt = { role: 'user', content: 'list it' };
const answer = { role: 'assistant', content: [toolUse('t1', 'Bash', { command: 'ls' })] };
const otherResult = { role: 'user', content: [toolResult('t1', 'b.ts')] };

test('it prints the address, a line for each request with what differs, and a summary', async (t) => {
  const clew = startClew(t, ['replay', plantSession(t)]);
  const started = await clew.prints(/change\n/);
  const url = urlIn(started);
  const key = /ANTHROPIC_API_KEY=([\w-]{32}) /.exec(started)?.[1] ?? '';
  const withKey = { 'x-api-key': key };
  await post(url, requestOf([prompt]), withKey);
  await post(url, requestOf([prompt], { tools: [] }), withKey);
  await post(url, requestOf([prompt, answer, otherResult]), { authorization: `Bearer ${key}` });
  await clew.prints(/sent "b.ts"\n/);
  assert.deepEqual(await clew.end('SIGTERM'), [0, null]);
  const printed = clew
    .stdout()
    .replaceAll(url, 'URL')
    .replaceAll(key, 'KEY')
    .replace(/^\d\d:\d\d:\d\d/gm, 'TIME');
  assert.deepEqual(printed.split('\n'), [
    'replaying 2 messages at URL; press Ctrl-C to stop',
    '  ANTHROPIC_BASE_URL=URL ANTHROPIC_API_KEY=KEY claude -p "the first prompt"',
    '  its tools really run, with the recorded inputs: use a folder that may change',
    'TIME 1/2 Bash',
    'TIME side "OK."',
    'TIME 2/2 "One file."',
    '  the result of t1 differs: recorded "a.ts", sent "b.ts"',
    'served 2 messages, 1 side answer; 1 mismatch',
    '',
  ]);
  assert.equal(clew.stderr(), '');
});

test('--on-mismatch error refuses, and the exit code says that there was one', async (t) => {
  const clew = startClew(t, ['replay', plantSession(t), '--on-mismatch', 'error', '--speed', 'real', '--json']);
  const [first = ''] = (await clew.prints(/\n/)).split('\n');
  const { url, apiKey } = asObject(parseJson(first)) ?? {};
  const differing = requestOf([prompt, answer, otherResult]);
  const { status } = await post(String(url), differing, { 'x-api-key': String(apiKey) });
  assert.equal(status, 400);
  assert.deepEqual(await clew.end('SIGINT'), [1, null]);
  const lines = clew.stdout().trim().split('\n').map(parseJson);
  assert.deepEqual(
    lines.map((line) => (isObject(line) ? [line.event, line.kind ?? line.mismatches ?? line.messages] : line)),
    [
      ['listening', 2],
      ['served', 'refused'],
      ['end', 1],
    ],
  );
});

test('only who has the printed key hears of the session, and no web site does', async (t) => {
  const clew = startClew(t, ['replay', plantSession(t), '--json']);
  const listening = asObject(parseJson((await clew.prints(/\n/)).split('\n')[0] ?? ''));
  assert.ok(listening !== undefined);
  const [url, port, key] = [String(listening.url), Number(listening.port), String(listening.apiKey)];
  assert.match(key, /^[\w-]{32}$/);
  const own = { host: `127.0.0.1:${port}`, 'x-api-key': key };
  const cases: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
    [200, own],
    [200, { ...own, host: `localhost:${port}` }],
    [401, { host: own.host }],
    [401, { ...own, 'x-api-key': 'replay' }],
    [401, { ...own, 'x-api-key': `${key}x` }],
    [401, { host: own.host, cookie: `x-api-key=${key}` }],
    [403, { ...own, host: `evil.example:${port}` }],
    [403, { ...own, host: '127.0.0.1:1' }],
    [403, { ...own, origin: 'http://evil.example' }],
    [403, { ...own, origin: `http://127.0.0.1:${port + 1}` }],
    [403, { ...own, 'sec-fetch-site': 'cross-site' }],
  ];
  for (const [wanted, headers] of cases) {
    const { status, body } = await rawPost(url, headers, requestOf([prompt]));
    assert.equal(status, wanted, JSON.stringify(headers));
    assert.equal(/toolu?_|Bash|list it/.test(body), wanted === 200, body);
  }
  for (const path of ['/v1/models', '/v1/messages/count_tokens'])
    assert.equal((await post(url, requestOf([prompt]), {}, path)).status, 401, path);
  assert.deepEqual(await clew.end('SIGTERM'), [0, null]);
  // What was refused is neither served nor counted.
  const events = clew.stdout().trim().split('\n').map(parseJson).map(asObject);
  assert.deepEqual(
    events.map((line) => line?.event),
    ['listening', 'served', 'served', 'end'],
  );
});

test('a port in use and wrong values are errors of one line', async (t) => {
  const session = plantSession(t);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  for (const [args, message] of [
    [
      ['--port', String(port)],
      `port ${port} of 127.0.0.1 is in use; choose another port, or leave it out for a free one`,
    ],
    [['--port', '70000'], '--port takes a number up to 65535, not 70000; for example --port 8080'],
    [['--speed', 'slow'], '--speed takes fast or real, not "slow"; for example --speed fast'],
    [['--on-mismatch', 'cry'], '--on-mismatch takes nearest or error, not "cry"; for example --on-mismatch nearest'],
  ] as const) {
    const { status, stdout, stderr } = runClew(['replay', session, ...args]);
    assert.deepEqual([status, stdout, stderr], [2, '', `clew: ${message}\n`]);
  }
});

function plantSession(t: TestContext): string {
  const file = path.join(temporaryFolder(t), '11111111-1111-4111-a111-111111111111.jsonl');
  transcript()
    .user('list it')
    .assistant([toolUse('t1', 'Bash', { command: 'ls' })])
    .user([toolResult('t1', 'a.ts')])
    .assistant([text('One \x1b[31m\nfile.')])
    .write(file);
  return file;
}

/** With exactly these headers, the host included, which `fetch` would not send. */
function rawPost(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: JsonObject,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/messages`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

function urlIn(printed: string): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
}
