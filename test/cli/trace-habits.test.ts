// clew trace test, mute, unmute and the example of install, as a user sees them.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readTraceConfig } from '../../src/trace/config/config.ts';
import { adviceFor, exampleSpans, sendExample } from '../../src/trace/connection-test.ts';
import { runClew } from '../support/clew.ts';
import { startClew } from '../support/running-clew.ts';
import { sessionText } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { startReceiver } from '../support/trace-receiver.ts';
import { place } from './statusline-kit.ts';

test('test sends one trace, reports that it was accepted, and stores nothing', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const run = startClew(context, ['trace', 'test'], traceEnv(home, receiver.url));
  const text = await run.prints(/\n/);
  const traceId = receiver.spans[0]?.traceId;
  assert.ok(traceId !== undefined);
  const url = `${receiver.url}/api/public/otel/v1/traces`;
  assert.equal(text, `default (${url}): accepted 4 spans; look for trace ${traceId}\n`);
  assert.deepEqual(
    receiver.spans.map(({ name, attributes }) => [name, attributes['session.id']]),
    [
      ['Turn 1', 'clew-trace-test'],
      ['clew-trace-test', 'clew-trace-test'],
      ['Read', 'clew-trace-test'],
      ['clew-trace-test', 'clew-trace-test'],
    ],
  );
  assert.equal(existsSync(path.join(home, 'clew')), false);
});

test('the response of a server comes with advice', async (context) => {
  const answers = [
    [302, /^302.*; set the endpoint to the address of the redirect$/],
    [400, /^400.*; check CLEW_TRACE_PROFILE \(genai\) and CLEW_TRACE_FORMAT \(protobuf\)$/],
    [401, /^401.*; the server requires a key: set CLEW_TRACE_HEADERS=authorization=Bearer%20KEY, or the header/],
    [403, /^403.*; the server requires a key/],
    [404, /^404.*; check the address: spans are posted to http:\/\/127\.0\.0\.1:\d+\/v1\/traces$/],
    [413, /^413.*; raise the request size limit/],
    [415, /^415.*; set CLEW_TRACE_FORMAT=json$/],
    [429, /^429.*; wait a moment and try again; traces of sessions are kept and sent later$/],
    [503, /^503.*; check the log of the server; traces of sessions are kept and sent later$/],
  ] as const;
  for (const [status, wanted] of answers) {
    const url = await serve(context, (respond) => respond(status, 'no'));
    assert.match(await answerOf({ CLEW_TRACE_ENDPOINT: url }), wanted);
  }
  const partial = JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'odd' } });
  const url = await serve(context, (respond) => respond(200, partial));
  assert.equal(
    await answerOf({ CLEW_TRACE_ENDPOINT: url }),
    'odd; check the profile (genai): does this server support it?',
  );
  const refusing = await serve(context, (respond) => respond(401, 'bad key sesame-sesame'));
  assert.equal(
    await answerOf({ CLEW_TRACE_ENDPOINT: refusing, CLEW_TRACE_HEADERS: 'x-key=sesame-sesame' }),
    '401 bad key ***; check the key in CLEW_TRACE_HEADERS, or in the headers of trace.json',
  );
  assert.match(
    await answerOf({ CLEW_TRACE_ENDPOINT: refusing, CLEW_TRACE_PROFILE: 'langfuse' }),
    /; check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, and that LANGFUSE_HOST is in the same region$/,
  );
});

test('a network error comes with advice', async (context) => {
  const cases = [
    ['http://127.0.0.1:9', /ECONNREFUSED.*; nothing listens at 127\.0\.0\.1:9: start the server, or correct the port/],
    ['http://no-such-host.invalid', /; host no-such-host\.invalid not found: check the address and the network$/],
    // What a port for gRPC does with a request of HTTP/1: invalid bytes, or the end of the connection.
    [await tcp(context, Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0])), /port 4317 is for gRPC, 4318 for HTTP/],
    [await tcp(context, undefined), /port 4317 is for gRPC, 4318 for HTTP/],
    [
      (await tcp(context, Buffer.from('HTTP/1.1 400\r\n\r\n'))).replace('http:', 'https:'),
      /use http instead of https$/,
    ],
  ] as const;
  for (const [endpoint, wanted] of cases) assert.match(await answerOf({ CLEW_TRACE_ENDPOINT: endpoint }), wanted);
  const silent = await serve(context, () => {});
  const impatient = { CLEW_TRACE_ENDPOINT: silent, OTEL_EXPORTER_OTLP_TIMEOUT: '50' };
  assert.match(await answerOf(impatient), /^no answer within 50 ms; \S+ did not respond: /);
});

test('test fails with one line that says how many destinations did not take it', (context) => {
  const env = { CLEW_HOME: temporaryFolder(context), CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9/?key=hush' };
  const { status, stdout, stderr } = runClew(['trace', 'test'], { env });
  assert.equal(status, 1);
  assert.match(
    stdout,
    /^default \(http:\/\/127\.0\.0\.1:9\/v1\/traces\?…\): connect ECONNREFUSED 127\.0\.0\.1:9; nothing/,
  );
  assert.equal(
    stderr,
    'clew: 1 destination of 1 did not accept the trace; fix the problem and run `clew trace test` again\n',
  );
  assert.equal(runClew(['trace', 'test'], { env: { CLEW_HOME: env.CLEW_HOME } }).status, 2);
});

test('install shows what each destination would get, by its content mode', (context) => {
  const root = temporaryFolder(context);
  const shown = (...words: string[]): string => {
    const env = {
      PATH: '/nowhere',
      CLEW_HOME: path.join(root, 'clew'),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    };
    return runClew(['trace', 'install', '--dry-run', '--root', root, ...words], { env }).stdout;
  };
  const metadata = shown();
  assert.match(
    metadata,
    /\notel \(genai, http:\/\/127\.0\.0\.1:9\/v1\/traces, metadata\) gets no content: names, times, tokens and ids\.\n/,
  );
  assert.match(metadata, /\n {2}execute_tool Read\n {4}gen_ai\.operation\.name = execute_tool\n/);
  assert.match(metadata, /\nCLEW_TRACE_CONTENT=full \(or no-tool-content\) sends more; /);
  assert.doesNotMatch(metadata, /milk|notes\.txt(?!\?":)/);
  const talk = shown('--content', 'no-tool-content');
  assert.match(talk, /gets prompts and answers, without inputs and outputs of tools\.\n/);
  assert.match(talk, /A shopping list with one entry: milk/);
  assert.doesNotMatch(talk, /\/home\/you\/project\/notes\.txt/);
  const full = shown('--content', 'full');
  assert.match(full, /gets prompts, answers, and inputs and outputs of tools\.\n/);
  assert.match(full, /gen_ai\.tool\.call\.arguments = \{"file_path":"\/home\/you\/project\/notes\.txt"\}/);
  assert.match(full, /\nCLEW_TRACE_CONTENT=metadata \(or no-tool-content\) sends less; /);
});

test('mute and unmute say what they did, and status shows what is muted', (context) => {
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  const folder = path.join(home, 'work');
  mkdirSync(path.join(folder, 'deep'), { recursive: true });
  writeTree(root, { 'projects/p/sess-1.jsonl': sessionText(toolTurn('a'), { sessionId: 'sess-1', cwd: folder }) });
  const env = { CLEW_HOME: path.join(home, 'clew'), CLEW_ROOTS: root };
  const say = (cwd: string, ...words: string[]): string => {
    const { status, stdout, stderr } = runClew(['trace', ...words], { env, cwd });
    assert.deepEqual([status, stderr], [0, '']);
    return stdout;
  };
  assert.equal(say(home, 'mute', 'sess-1'), 'session sess-1 is muted; `clew trace unmute sess-1` traces it again\n');
  assert.equal(
    say(home, 'mute', 'sess-1'),
    'session sess-1 is already muted; `clew trace unmute sess-1` traces it again\n',
  );
  assert.equal(say(folder, 'mute'), `project ${folder} is muted; \`clew trace unmute ${folder}\` traces it again\n`);
  const muted = say(home, 'status')
    .split('\n')
    .filter((line) => line.startsWith('muted'));
  assert.deepEqual(
    muted.map((line) => line.replace(/ since .*/, '')),
    ['muted    session sess-1', `muted    project ${folder}`],
  );
  assert.equal(
    say(home, 'unmute', 'sess-1'),
    `session sess-1 is still muted by its folder; run \`clew trace unmute ${folder}\`\n`,
  );
  assert.equal(
    say(home, 'unmute', path.join(folder, 'deep')),
    `project ${folder}/deep is still muted by its folder; run \`clew trace unmute ${folder}\`\n`,
  );
  assert.equal(
    say(home, 'unmute', '--project', 'work'),
    `project ${folder} is traced again; turns from the muted time are not sent\n`,
  );
  assert.equal(say(home, 'unmute', 'sess-1'), 'session sess-1 is not muted\n');
  assert.doesNotMatch(say(home, 'status'), /^muted/m);
});

test('mute takes a session or a folder, and nothing else', (context) => {
  const home = homeFor(context);
  const env = { CLEW_HOME: path.join(home, 'clew'), CLEW_ROOTS: home };
  const fails = (...words: string[]) => runClew(['trace', ...words], { env, cwd: home });
  assert.deepEqual(fails('mute', 'x', '--project', '.'), {
    status: 2,
    stdout: '',
    stderr: 'clew: --project cannot be combined with an argument; leave one of them out\n',
  });
  assert.match(fails('mute', '--project', 'nowhere').stderr, /^clew: folder not found: \S+nowhere; name the folder/);
  assert.match(fails('mute', 'nosuch').stderr, /^clew: no session/);
  assert.equal(readdirSync(home).includes('clew'), false);
});

test('a backfill leaves out what is muted and says so', (context) => {
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  writeTree(root, {
    'projects/p/one.jsonl': sessionText(toolTurn('a'), { sessionId: 'one', cwd: '/w/a' }),
    'projects/p/two.jsonl': sessionText(toolTurn('b'), { sessionId: 'two', cwd: '/w/b' }),
  });
  for (const name of ['one', 'two']) utimesSync(path.join(root, `projects/p/${name}.jsonl`), 1, 1);
  const env = { CLEW_HOME: path.join(home, 'clew'), CLEW_ROOTS: root, CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' };
  runClew(['trace', 'mute', 'one'], { env });
  assert.equal(
    runClew(['trace', 'backfill', '--dry-run'], { env }).stdout,
    'would send 4 spans of 2 turns in 2 sessions\n1 turn muted; `clew trace status` lists the mutes\n',
  );
});

test('the status line shows that a session, or the folder it works in, is muted', (context) => {
  const { file, env, line } = place(context);
  const input = { transcript_path: file, workspace: { current_dir: '/w/p/deep' } };
  const shown = (value: object): string | undefined => line(JSON.stringify(value)).stdout.trim().split(' · ').at(-1);
  assert.match(shown(input) ?? '', /context/);
  const muted = (kind: string, name: string) =>
    writeTree(env.CLEW_HOME ?? '', { 'trace/muted.json': JSON.stringify({ muted: [{ kind, name, sinceMs: 1 }] }) });
  muted('session', path.basename(file, '.jsonl'));
  assert.equal(shown(input), 'trace muted');
  muted('project', '/w/p');
  assert.equal(shown(input), 'trace muted');
  muted('project', '/w/other');
  assert.match(shown(input) ?? '', /context/);
  writeTree(env.CLEW_HOME ?? '', { 'trace/muted.json': '{' });
  const broken = line(JSON.stringify(input));
  assert.match(broken.stdout, /^\$0\.02 session · /);
  assert.match(broken.stderr, /muted\.json is not a list of mutes/);
});

/** What the server said and the advice, as `clew trace test` joins them. */
async function answerOf(env: Readonly<Record<string, string>>): Promise<string> {
  const [destination] = readTraceConfig({ ...env, CLEW_HOME: '/nowhere' }).destinations;
  assert.ok(destination !== undefined);
  const options = { redact: (text: string) => text, labels: {}, nowMs: Date.now(), isBackfill: true };
  const outcome = await sendExample(destination, exampleSpans(Date.now(), '1'), options);
  return `${outcome.message}; ${adviceFor(outcome, destination)}`;
}

type Respond = (status: number, body: string) => void;

async function serve(context: TestContext, answer: (respond: Respond) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () =>
      answer((status, body) => {
        response
          .writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain' })
          .end(body);
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers every connection with `bytes`, or ends it. */
async function tcp(context: TestContext, bytes: Buffer | undefined): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (bytes === undefined ? socket.destroy() : socket.end(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
