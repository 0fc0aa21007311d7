// The hook: it spools what an event is about, asks for a sender where something waits, and never fails, whatever is
// wrong. Most of it runs in this process; the built file runs as Claude Code runs it, with the event on stdin.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { runHook } from '../../../src/trace/hook/hook.ts';
import { runSender } from '../../../src/trace/hook/sender.ts';
import { listBatches, openBatch } from '../../../src/trace/outbox/outbox.ts';
import { isSending, sendOutbox } from '../../../src/trace/outbox/send.ts';
import { isSettled, settle } from '../../../src/trace/session/settle.ts';
import { traceSession } from '../../../src/trace/session/trace-session.ts';
import { logFailure } from '../../../src/trace/state/log.ts';
import { sessionKey, tracePlaces } from '../../../src/trace/state/places.ts';
import { dist } from '../../support/dist.ts';
import { assistant, sessionText, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../../support/trace-kit.ts';
import { repeated, startReceiver } from '../../support/trace-receiver.ts';
import { waitFor } from '../../support/wait.ts';

type Env = Readonly<Record<string, string>>;

/** Runs the hook here; how many senders it asked for. */
async function hook(env: Env, file: string, more: JsonObject = {}): Promise<number> {
  return hookWith(env, JSON.stringify({ transcript_path: file, hook_event_name: 'Stop', ...more }));
}

async function hookWith(env: Env, input: string): Promise<number> {
  let senders = 0;
  await runHook(input, { env, startSender: () => senders++ });
  return senders;
}

/** The exit code of the built hook. */
function runBuiltHook(env: Env, input: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const program = path.join(dist, 'trace-hook.js');
    const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', resolve);
    child.stdin.end(input);
  });
}

async function flush(env: Env): Promise<void> {
  const { places, config } = contextFor(env);
  await sendOutbox({ places, destinations: config.destinations });
}

function logOf(env: Env): string {
  const { log } = tracePlaces(env);
  return existsSync(log) ? readFileSync(log, 'utf8') : '';
}

test('the built hook delivers the turn of a Stop through a background sender', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const file = path.join(home, 'p', 's.jsonl');
  writeTree(home, { 'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  const event = { transcript_path: file, hook_event_name: 'Stop', last_assistant_message: 'answer a' };
  assert.equal(await runBuiltHook(env, JSON.stringify(event)), 0);
  await waitFor(
    () => receiver.spans.length === 4,
    () => logOf(env),
  );
  assert.deepEqual(repeated(receiver.spans), {});
  // The folder of the test can only be removed when nobody writes to it.
  await waitFor(() => !isSending(tracePlaces(env), 'default'));
  assert.equal(await runBuiltHook(env, 'not json'), 0);
  assert.match(logOf(env), /^\S+Z hook: the input of the hook does not name a transcript\n$/);
});

test('hooks at once, two for a session and two for its fork, spool each span once', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const [one, two] = [path.join(home, 'p', 'one.jsonl'), path.join(home, 'p', 'two.jsonl')];
  writeTree(home, { 'p/one.jsonl': '', 'p/two.jsonl': '' });
  for (let round = 0; round < 2; round++) {
    appendFileSync(one, sessionText(toolTurn(`one${round}`), { sessionId: 'one', startMinute: round }));
    appendFileSync(two, sessionText(toolTurn(`one${round}`), { sessionId: 'two', startMinute: round }));
    appendFileSync(two, sessionText(toolTurn(`two${round}`), { sessionId: 'two', startMinute: round + 1 }));
    await Promise.all([one, one, two, two].map((file) => hook(env, file)));
  }
  await flush(env);
  assert.deepEqual([receiver.spans.length, repeated(receiver.spans), logOf(env)], [16, {}, '']);
});

test('a sender sends to one destination and starts a sender for each of the others', async (context) => {
  const [first, second] = [await startReceiver(context), await startReceiver(context)];
  const home = homeFor(context);
  const destinations = [{ name: 'second', endpoint: second.url, profile: 'genai', format: 'json' }];
  writeTree(home, {
    'clew/trace.json': JSON.stringify({ destinations }),
    'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }),
  });
  const env = traceEnv(home, first.url);
  assert.equal(await hook(env, path.join(home, 'p', 's.jsonl')), 1);
  const started: string[] = [];
  const startSender = (only: string): void => void started.push(only);
  await runSender({ env, only: undefined, startSender });
  assert.deepEqual([first.spans.length, second.spans.length, started], [0, 4, ['default']]);
  await runSender({ env, only: 'default', startSender });
  assert.deepEqual([first.spans.length, second.spans.length, started], [4, 4, ['default']]);
});

test('whatever is on stdin or wrong with the settings, the hook does not fail and says why in its log', async (context) => {
  const home = homeFor(context);
  const env = traceEnv(home, 'http://127.0.0.1:9');
  for (const input of ['', 'not json', '[]', '{"transcript_path":7}', '{"transcript_path":"relative.jsonl"}'])
    assert.equal(await hookWith(env, input), 0);
  const none = path.join(home, 'none.jsonl');
  await hook({ ...env, CLEW_TRACE_CONTENT: 'everything' }, none);
  for (const name of ['Stop', 'SessionEnd', 'Stop\n\u001b[31m']) await hook(env, none, { hook_event_name: name });
  const { CLEW_TRACE_ENDPOINT: _, ...nowhere } = env;
  await hookWith({ ...nowhere, CLEW_TRACE_PROFILE: 'genai' }, '{}');
  await hookWith({ ...nowhere, CLEW_TRACE: 'off' }, '{}');
  const lines = logOf(env).trimEnd().split('\n');
  assert.equal(lines.length, 8);
  for (const line of lines.slice(0, 5))
    assert.match(line, /^\S+Z hook: the input of the hook does not name a transcript$/);
  assert.match(
    lines[5] ?? '',
    /^\S+Z hook: the content of default must be one of full, no-tool-content, metadata; choose one of them$/,
  );
  assert.match(lines[6] ?? '', /^\S+Z hook Stop none: transcript not found: .*none\.jsonl$/);
  assert.match(lines[7] ?? '', /^\S+Z hook: no destination is set up in the environment of the client; see docs/);
});

test('where neither an outbox nor a log can be written, the hook still does not fail', async (context) => {
  const home = homeFor(context);
  writeTree(home, { clew: 'a file', 'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  assert.equal(await hook(traceEnv(home, 'http://127.0.0.1:9'), path.join(home, 'p', 's.jsonl')), 0);
});

test('a hook asks for a sender where something is new, and the end of a session is not taken for that of a turn', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const file = path.join(home, 'p', 's.jsonl');
  const [prompt, call] = toolTurn('a');
  assert.ok(prompt !== undefined && call !== undefined);
  writeTree(home, { 'p/s.jsonl': sessionText([prompt, call, assistant('I wait for it')], { sessionId: 's' }) });
  assert.deepEqual([await hook(env, file), await hook(env, file)], [1, 0]);
  await flush(env);
  // The call has no result yet.
  assert.deepEqual(receiver.spans.length, 3);
  assert.equal(await hook(env, file, { hook_event_name: 'SessionEnd' }), 1);
  await flush(env);
  assert.deepEqual(receiver.spans.map(({ name }) => name).slice(3), ['Read']);
});

test('a Stop that comes before the last line is written waits for it', async (context) => {
  const home = homeFor(context);
  const env = traceEnv(home, 'http://127.0.0.1:9');
  const { places } = contextFor(env);
  const file = path.join(home, 'p', 's.jsonl');
  const lines = sessionText(toolTurn('a'), { sessionId: 's' }).split(/(?<=\n)/);
  writeTree(home, { 'p/s.jsonl': lines.slice(0, 3).join('') });
  const { openSync } = fs;
  let opened = 0;
  fs.openSync = (name, ...rest) => {
    // The line comes when the hook looks for it again, if it does so before it traces anything.
    if (name === file && ++opened === 3 && !existsSync(places.sessions)) appendFileSync(file, lines[3] ?? '');
    return openSync(name, ...rest);
  };
  syncBuiltinESMExports();
  context.after(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  assert.equal(await hook(env, file, { last_assistant_message: 'answer a' }), 1);
  const [batch = ''] = listBatches(places, 'default', 'ready');
  assert.equal(openBatch(places, 'default', batch, 'ready')?.info.spanIds.length, 4);
});

test('a line of the log is one line, whatever is in it', (context) => {
  const file = path.join(temporaryFolder(context), 'trace.log');
  logFailure(file, 'hook a\nb\u001b[31m', new Error('c\r\n\u202ed\u0007 e'), 0);
  assert.equal(readFileSync(file, 'utf8'), '1970-01-01T00:00:00.000Z hook a b [31m: c d e\n');
});

test('a session that continues another one recovers it first, and its failure blocks nothing', async (context) => {
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
    // Only a session of the same folder is opened, whatever a line names.
    'p/sly.jsonl': sessionText([user('x', { sessionId: '../q/other' }), ...toolTurn('sly')], { sessionId: 'sly' }),
    'q/other.jsonl': sessionText(toolTurn('other'), { sessionId: 'other' }),
  });
  const sessions = () => [...new Set(receiver.spans.map(({ attributes }) => attributes['session.id']))];
  await hook(env, path.join(home, 'p', `${next}.jsonl`));
  await flush(env);
  assert.deepEqual([receiver.spans.length, sessions()], [6, [old, next]]);
  await hook(env, path.join(home, 'p', 'seed.jsonl'));
  await hook(env, path.join(home, 'p', 'sly.jsonl'));
  await flush(env);
  assert.deepEqual([receiver.spans.length, sessions()], [14, [old, next, 'seed', 'sly']]);
  assert.match(logOf(env), /^\S+ recover broken: .*\n$/);
  assert.deepEqual(repeated(receiver.spans), {});
});

test('of a transcript with one new turn only the new bytes are read', async (context) => {
  const home = temporaryFolder(context);
  const tracer = contextFor(traceEnv(home, 'http://127.0.0.1:9', { CLEW_TRACE_REDACT: 'off' }));
  const file = path.join(home, 's.jsonl');
  const filler = 'x'.repeat(2_000);
  // More turns than are committed at once.
  for (let i = 0; i < 50; i++)
    appendFileSync(file, sessionText(toolTurn(`f${i}`, `${filler} ${i}`), { sessionId: 's', startMinute: i }));
  const first = await traceSession(runOf(file), tracer);
  assert.deepEqual([first.turns, first.spans, first.bytesRead], [50, 200, statSync(file).size]);
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
    { turns: 1, mutedTurns: 0, spans: 0, copies: 4, bytesRead: 0 },
  );
  appendFileSync(file, sessionText(toolTurn('three'), { sessionId: 's', startMinute: 5 }));
  assert.deepEqual((await traceSession(runOf(file), tracer)).spans, 4);
  // Other content under the same name, longer than before, in the same file.
  writeFileSync(
    file,
    sessionText(
      ['four', 'five', 'six'].flatMap((id) => toolTurn(id)),
      { sessionId: 's' },
    ),
  );
  assert.deepEqual((await traceSession(runOf(file), tracer)).spans, 12);
});

test('the end of a turn is waited for as long as it is not in the file, and not at all where it is', async (context) => {
  const home = temporaryFolder(context);
  const file = path.join(home, 's.jsonl');
  writeFileSync(file, sessionText([user('go'), assistant([toolUse('t', 'Read', {})])]));
  assert.equal(isSettled(file, 'the answer'), false);
  assert.equal(isSettled(file, undefined), false);
  const settled = settle(file, { lastAnswer: 'the answer', mostMs: 60_000 });
  appendFileSync(file, `${sessionText([assistant('this is the answer')])}{"type":"system","subtype":"x"}\n`);
  assert.ok((await settled) > 1);
  assert.equal(await settle(file, { lastAnswer: 'the answer', mostMs: 60_000 }), 1);
  assert.equal(await settle(file, { lastAnswer: undefined, mostMs: 60_000 }), 1);
  appendFileSync(file, '{"type":"assistant"');
  assert.equal(isSettled(file, 'the answer'), false);
});

test('a transcript that is a pipe, a device, a folder or gigabytes of nothing is one line in the log', async (context) => {
  const home = homeFor(context);
  const env = traceEnv(home, 'http://127.0.0.1:9');
  const [pipe, huge, folder] = ['pipe.jsonl', 'huge.jsonl', 'folder.jsonl'].map((name) => path.join(home, name));
  assert.ok(pipe !== undefined && huge !== undefined && folder !== undefined);
  execFileSync('mkfifo', [pipe]);
  writeFileSync(huge, '');
  truncateSync(huge, 5_000_000_000);
  mkdirSync(folder);
  const cases: readonly (readonly [string, RegExp])[] = [
    [pipe, /: \S+ is a pipe, not a file; name a regular file$/],
    ['/dev/zero', /: \/dev\/zero is a device, not a file; name a regular file$/],
    [folder, /: EISDIR: \S+ is a folder$/],
    [huge, /: \S+ is not a transcript: its first 64 KB hold no JSON record; name a \.jsonl file of Claude Code$/],
  ];
  for (const [file, line] of cases) {
    const before = logOf(env).split('\n').length;
    const event = { transcript_path: file, hook_event_name: 'Stop' };
    assert.equal(await runBuiltHook(env, JSON.stringify(event)), 0);
    const lines = logOf(env)
      .split('\n')
      .slice(before - 1, -1);
    assert.equal(lines.length, 1, file);
    assert.match(lines[0] ?? '', line);
  }
});

test('a state folder that cannot be created is one line on stderr, and the session continues', () => {
  for (const home of ['/proc/clew', '/proc/self/clew/state', '/dev/null/clew']) {
    const input = JSON.stringify({ transcript_path: '/tmp/none.jsonl', hook_event_name: 'Stop' });
    const env = { ...traceEnv('/proc', 'http://127.0.0.1:9'), CLEW_HOME: home };
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(dist, 'trace-hook.js')], {
      env,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([status, stdout], [0, ''], home);
    assert.match(stderr, /^clew: cannot write \S+\/trace\.log \((?:EROFS|ENOTDIR)\); hook Stop none: .*\n$/, home);
  }
});
