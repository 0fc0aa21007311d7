// clew replay as a user runs it: the address, a line for each request, the summary, JSON, and wrong use in one line.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isObject, parseJson } from '../../src/base/json.ts';
import { runClew } from '../support/clew.ts';
import { post, requestOf } from '../support/messages-client.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { text, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';

const prompt = { role: 'user', content: 'list it' };
const answer = { role: 'assistant', content: [toolUse('t1', 'Bash', { command: 'ls' })] };
const otherResult = { role: 'user', content: [toolResult('t1', 'b.ts')] };

test('it prints the address, a line for each request with what differs, and a summary', async (t) => {
  const clew = startClew(t, ['replay', plantSession(t)]);
  const url = urlIn(await clew.prints(/change\n/));
  await post(url, requestOf([prompt]));
  await post(url, requestOf([prompt], { tools: [] }));
  await post(url, requestOf([prompt, answer, otherResult]));
  await clew.prints(/sent "b.ts"\n/);
  assert.deepEqual(await clew.end('SIGTERM'), [0, null]);
  const printed = clew
    .stdout()
    .replaceAll(url, 'URL')
    .replace(/^\d\d:\d\d:\d\d/gm, 'TIME');
  assert.deepEqual(printed.split('\n'), [
    'replaying 2 messages at URL; Ctrl-C ends it',
    '  ANTHROPIC_BASE_URL=URL ANTHROPIC_API_KEY=replay claude -p "the first prompt"',
    '  its tools run for real, with the recorded inputs: use a folder that may change',
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
  const { status } = await post(urlIn(first), requestOf([prompt, answer, otherResult]));
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

test('a port in use and wrong values are errors of one line', async (t) => {
  const session = plantSession(t);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  for (const [args, message] of [
    [['--port', String(port)], `port ${port} of 127.0.0.1 is in use; choose another one, or none for a free one`],
    [['--port', '70000'], '--port takes a number up to 65535, not 70000; write --port 8080'],
    [['--speed', 'slow'], '--speed takes fast or real, not "slow"; write --speed fast'],
    [['--on-mismatch', 'cry'], '--on-mismatch takes nearest or error, not "cry"; write --on-mismatch nearest'],
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

function urlIn(printed: string): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
}
