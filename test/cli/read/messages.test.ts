// clew messages: the request as JSON, and exit code 3 where the client would refuse the file. Whether the messages are
// the right ones is tested against recordings of the client in test/interop and next to src/session/resume.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { text, transcript } from '../../support/transcript-builder.ts';

test('it prints an array of messages, one a line, with the prompt where there is one', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 's.jsonl');
  writeTree(folder, { 's.jsonl': sessionText([user('go'), assistant('Gone.')]) });
  const history = [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Gone.' }] },
  ];
  const blocks = (value: unknown) =>
    (value as readonly JsonObject[]).map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    }));
  assert.deepEqual(blocks(jsonOf(['messages', file])), history);
  assert.deepEqual(blocks(jsonOf(['messages', file, '--prompt', 'and back'])).at(-1)?.role, 'user');
  assert.match(JSON.stringify(jsonOf(['messages', file, '--prompt', 'and back'])), /"and back"/);
  const lines = runClew(['messages', file]).stdout.split('\n');
  assert.deepEqual([lines[0], lines.at(-2), lines.at(-1), lines.length], ['[', ']', '', 5]);
  assert.deepEqual(JSON.parse(String(lines[2])).role, 'assistant');
});

test('a file that the client would refuse is exit code 3, with the reason and nothing on stdout', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, {
    'empty.jsonl': '',
    'notes.jsonl': '{"type":"summary","summary":"s","leafUuid":"x"}\n',
  });
  const refused = (name: string, next: string) => ({
    status: 3,
    stdout: '',
    stderr: `clew: Claude Code would refuse ${path.join(folder, name)}: No conversation found: the file holds no message of a main conversation; ${next}\n`,
  });
  assert.deepEqual(
    runClew(['messages', path.join(folder, 'empty.jsonl')]),
    refused('empty.jsonl', 'run `clew ls` for other sessions'),
  );
  assert.deepEqual(
    runClew(['messages', path.join(folder, 'notes.jsonl')]),
    refused('notes.jsonl', '`clew show` prints what is in it'),
  );
});

test('a bad SESSION and a file of another program are exit code 2', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 'qwen.jsonl': '{"type":"user","uuid":"a","message":{"role":"user","parts":[{"text":"hi"}]}}\n' });
  for (const argument of ['nope', './nope.jsonl', folder, path.join(folder, 'qwen.jsonl')]) {
    const { status, stdout, stderr } = runClew(['messages', argument], { cwd: folder });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^clew: [^\n]+; [^\n]+\n$/);
  }
});

/** Two models: behind a gateway the first one's thinking is left out. */
function twoModels(): string {
  const thought = { type: 'thinking', thinking: 'T', signature: 'sig' };
  return transcript()
    .user('q')
    .assistant([thought, text('a')], { message: { model: 'claude-opus-4-5-20251101' } })
    .user('q2')
    .assistant('b', { message: { model: 'claude-sonnet-5' } })
    .text();
}

test('--host, the environment and the settings of Claude Code say where the request goes', (context) => {
  const folder = temporaryFolder(context);
  const [plain, set, direct] = ['plain', 'set', 'direct'].map((name) => path.join(folder, name));
  const settings = (url: string): string => JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } });
  writeTree(folder, {
    's.jsonl': twoModels(),
    'plain/settings.json': 'not json',
    'set/settings.json': settings('http://127.0.0.1:4000'),
    'direct/settings.json': settings('https://api.anthropic.com'),
  });
  const isThinkingSent = (root: string | undefined, args: readonly string[], env: NodeJS.ProcessEnv = {}): boolean => {
    const given = ['messages', path.join(folder, 's.jsonl'), '--root', root ?? '', ...args];
    return JSON.stringify(jsonOf(given, { env: { ANTHROPIC_BASE_URL: '', ...env } })).includes('"thinking"');
  };
  assert.equal(isThinkingSent(plain, []), true);
  assert.equal(isThinkingSent(direct, []), true);
  assert.equal(isThinkingSent(set, []), false);
  assert.equal(isThinkingSent(plain, [], { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000' }), false);
  assert.equal(isThinkingSent(set, ['--host', 'anthropic']), true);
  assert.equal(isThinkingSent(plain, ['--host', 'gateway']), false);
  assert.deepEqual(runClew(['messages', path.join(folder, 's.jsonl'), '--host', 'elsewhere']), {
    status: 2,
    stdout: '',
    stderr: 'clew: --host takes anthropic or gateway, not "elsewhere"; for example --host gateway\n',
  });
});

test('--full is one object: the whole request, one field a line, and the messages', (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, 's.jsonl');
  writeTree(folder, { 's.jsonl': twoModels() });
  const { messages, ...request } = jsonOf(['messages', file, '--full', '--host', 'gateway']) as JsonObject;
  assert.deepEqual(messages, jsonOf(['messages', file, '--host', 'gateway']));
  assert.deepEqual(
    [request.host, request.model, request.system],
    ['gateway', 'claude-sonnet-5', 'built by the client'],
  );
  assert.equal(request.compactsFirst, null);
});

test('where the client would compact first, or sends nothing of the session, a line on stderr says so', (context) => {
  const folder = temporaryFolder(context);
  const usage = { input_tokens: 170_000, output_tokens: 1 };
  const retracted = { retractedMessageUuids: ['u1'] };
  writeTree(folder, {
    'long.jsonl': transcript()
      .user('q')
      .assistant('a', { message: { model: 'claude-opus-4-6', usage } })
      .text(),
    'retracted.jsonl': transcript().user('q').assistant('a').system('model_refusal_fallback', retracted).text(),
  });
  const long = runClew(['messages', path.join(folder, 'long.jsonl')]);
  assert.equal(
    long.stderr,
    'clew: the client compacts first: about 172401 tokens exceed its limit of 167000; this remains: a summary in its own words, the last answer and the prompt\n',
  );
  const full = jsonOf(['messages', path.join(folder, 'long.jsonl'), '--full']) as JsonObject;
  assert.deepEqual(full.compactsFirst, { tokens: 172_401, limit: 167_000 });
  assert.deepEqual(runClew(['messages', path.join(folder, 'retracted.jsonl')]), {
    status: 0,
    stdout: '[\n]\n',
    stderr: 'clew: a resume sends nothing of this session; `clew show` prints what is in it\n',
  });
});

test('a session of a client that is newer than the newest known one is said to be one', (context) => {
  const folder = temporaryFolder(context);
  const noticeFor = (version: string): string => {
    const file = path.join(folder, `${version}.jsonl`);
    writeTree(folder, { [`${version}.jsonl`]: transcript({ version }).user('q').assistant('a').text() });
    return runClew(['messages', file]).stderr;
  };
  const notice = (version: string): string =>
    `clew: the session was written by Claude Code ${version}, which is newer than 2.1.325, the newest known version; it may send something else\n`;
  assert.equal(noticeFor('2.1.326'), notice('2.1.326'));
  assert.equal(noticeFor('2.2.0'), notice('2.2.0'));
  assert.equal(noticeFor('3.0.0-beta'), notice('3.0.0-beta'));
  for (const known of ['2.1.325', '2.1.45', '1.0.57', '2.0.999', 'unknown']) assert.equal(noticeFor(known), '');
});

test('--client prints what another version sends', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 's.jsonl': transcript().user('one').call('t1').text() });
  const texts = (version: string): readonly unknown[] =>
    (jsonOf(['messages', 's.jsonl', '--client', version], { cwd: folder }) as readonly JsonObject[]).map(
      ({ role, content }) => [role, ...(content as readonly JsonObject[]).map((block) => block.text ?? block.type)],
    );
  const now = [
    ['user', 'one'],
    ['assistant', 'tool_use'],
    ['user', 'tool_result'],
    ['assistant', 'No response requested.'],
  ];
  assert.deepEqual(texts('2.1.325'), now);
  assert.deepEqual(texts('v2.1.400'), now);
  assert.deepEqual(texts('2.1.200'), [
    ['user', 'one'],
    ['assistant', 'No response requested.'],
  ]);
});

test('a refusal names the version that was asked for', (context) => {
  const folder = temporaryFolder(context);
  const answer = { content: 'a text' };
  writeTree(folder, { 's.jsonl': transcript().user('one').assistant('two', { message: answer }).text() });
  assert.equal(runClew(['messages', 's.jsonl'], { cwd: folder }).status, 0);
  const { status, stderr } = runClew(['messages', 's.jsonl', '--client', '2.1.260'], { cwd: folder });
  assert.equal(status, 3);
  assert.match(stderr, /^clew: Claude Code 2\.1\.260 would refuse .*: the content of an answer is a text, [^\n]+\n$/);
});

test('a version that is not known is said: newer ones on stderr, others are exit code 2', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { 's.jsonl': transcript().user('one').assistant('two').text() });
  const ask = (version: string, ...more: readonly string[]) =>
    runClew(['messages', 's.jsonl', '--client', version, ...more], { cwd: folder });
  const newer = ask('2.1.400', '--full');
  assert.equal(
    newer.stderr,
    'clew: Claude Code 2.1.400 is newer than 2.1.325, the newest known version, so the rules of 2.1.325 are used; `clew doctor --client` tests the installed one\n',
  );
  assert.deepEqual((JSON.parse(newer.stdout) as JsonObject).client, { asked: '2.1.400', rulesOf: '2.1.325' });
  assert.equal(ask('2.1.325').stderr, '');
  const known = 'give one from 2.1.45 on; the newest known here is 2.1.325';
  const refused = (stderr: string) => ({ status: 2, stdout: '', stderr: `clew: ${stderr}\n` });
  assert.deepEqual(ask('2.1.44'), refused(`Claude Code 2.1.44 is too old; ${known}`));
  assert.deepEqual(ask('1.0.57'), refused(`Claude Code 1.0.57 is too old; ${known}`));
  for (const version of ['latest', '2.1', '2.1.200.1', '-1', ''])
    assert.deepEqual(
      ask(version).stderr.startsWith(`clew: "${version}" is not a version of Claude Code; ${known}`),
      true,
      version,
    );
  assert.deepEqual(
    ask('2.1.200', '--full'),
    refused('--full is known for Claude Code 2.1.325 only; leave out --full or --client'),
  );
});
