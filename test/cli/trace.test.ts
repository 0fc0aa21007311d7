// clew trace on the command line: destinations, what it would send, and following sessions without a hook.
import assert from 'node:assert/strict';
import { existsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { withLock } from '../../src/store/lock.ts';
import { sendLock, tracePlaces } from '../../src/trace/state/places.ts';
import { runClew } from '../support/clew.ts';
import { startClew } from '../support/running-clew.ts';
import { sessionText } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { homeFor, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { startReceiver } from '../support/trace-receiver.ts';

test('wrong use is one line that says what to do', (context) => {
  const env = { CLEW_HOME: temporaryFolder(context) };
  const errors = [
    [
      ['trace', 'sing'],
      /^clew: unknown action "sing"; use one of install, uninstall, hook, backfill, follow, status, flush, retry, explain, test, mute, unmute\n$/,
    ],
    [['trace', 'status', 'more'], /^clew: clew trace status does not accept "more"; leave it out\n$/],
    [['trace', 'explain'], /^clew: clew trace explain needs a session; run `clew ls` to list the sessions\n$/],
    [
      ['trace', 'flush'],
      /^clew: no destination is set up; set CLEW_TRACE_ENDPOINT=http:\/\/HOST:4318, or TRACE_TO_LANGFUSE=true and the keys of Langfuse \(docs\/tracing\.md\)\n$/,
    ],
  ] as const;
  for (const [words, message] of errors) {
    const { status, stderr } = runClew(words, { env });
    assert.equal(status, 2);
    assert.match(stderr, message);
  }
});

test('a missing setting is named', (context) => {
  const env = { CLEW_HOME: temporaryFolder(context), LANGFUSE_PUBLIC_KEY: 'a', LANGFUSE_SECRET_KEY: 'b' };
  const { stderr } = runClew(['trace', 'flush'], { env });
  const line = 'no destination is set up; set TRACE_TO_LANGFUSE=true to use the Langfuse keys that are set';
  assert.equal(stderr, `clew: ${line}\n`);
  const { stdout } = runClew(['trace', 'status'], { env });
  assert.ok(stdout.endsWith(`${line}\n`));
  const off = { CLEW_HOME: env.CLEW_HOME, CLEW_TRACE: 'off', CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' };
  assert.match(runClew(['trace', 'backfill'], { env: off }).stderr, /^clew: tracing is off; unset CLEW_TRACE/);
});

test('status shows no key of an address, and says what is held back', (context) => {
  const env = {
    CLEW_HOME: temporaryFolder(context),
    CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9/?key=hush',
    CLEW_TRACE_CONTENT: 'metadata',
  };
  const { stdout } = runClew(['trace', 'status'], { env });
  assert.match(stdout, /\ndefault {2}genai, http:\/\/127\.0\.0\.1:9\/v1\/traces\?…, metadata\n/);
  assert.doesNotMatch(stdout + runClew(['trace', 'status', '--json'], { env }).stdout, /hush/);
});

test('--content decides for this run how much is sent, and takes only the modes', (context) => {
  const env = { CLEW_HOME: temporaryFolder(context), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const shown = (...words: string[]) => runClew(['trace', 'status', ...words], { env });
  assert.match(shown().stdout, /\notel {2}genai, http:\/\/127\.0\.0\.1:9\/v1\/traces, metadata\n/);
  assert.match(shown('--content', 'full').stdout, /\notel {2}genai, http:\/\/127\.0\.0\.1:9\/v1\/traces\n/);
  assert.deepEqual(shown('--content', 'some'), {
    status: 2,
    stdout: '',
    stderr: 'clew: --content must be one of full, no-tool-content, metadata; choose one of them\n',
  });
});

test('a backfill says whose last turn it leaves for later', (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, 'projects', 'p', 's.jsonl');
  const lines = [...toolTurn('a'), ...toolTurn('b')];
  const timestamp = new Date().toISOString();
  const fresh = lines.map((line) => ({ ...line, timestamp }));
  writeTree(root, { 'projects/p/s.jsonl': sessionText(fresh, { sessionId: 's' }) });
  const env = { CLEW_HOME: path.join(root, 'clew'), CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' };
  const words = ['trace', 'backfill', '--dry-run', '--root', root];
  assert.equal(
    runClew(words, { env }).stdout,
    'would send 4 spans of 1 turn in 1 session\nthe last turn of 1 session written to just now is not sent yet\n',
  );
  utimesSync(file, 1, 1);
  assert.equal(runClew(words, { env }).stdout, 'would send 8 spans of 2 turns in 1 session\n');
  // A file that was copied a moment ago, with lines of last year.
  writeTree(root, { 'projects/p/s.jsonl': sessionText(lines, { sessionId: 's' }) });
  assert.equal(runClew(words, { env }).stdout, 'would send 8 spans of 2 turns in 1 session\n');
  const destinations = [{ name: 'second', endpoint: 'http://127.0.0.1:9' }];
  writeTree(root, { 'clew/trace.json': JSON.stringify({ destinations }) });
  assert.equal(runClew(words, { env }).stdout, 'would send 16 spans (2 destinations) of 2 turns in 1 session\n');
});

test('a backfill of several sessions refuses a trace seed, which would give their turns the same ids', (context) => {
  const root = temporaryFolder(context);
  for (const id of ['a', 'b'])
    writeTree(root, { [`projects/${id}/${id}.jsonl`]: sessionText(toolTurn(id), { sessionId: id, cwd: `/w/${id}` }) });
  const env = {
    CLEW_HOME: path.join(root, 'clew'),
    CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9',
    CLEW_TRACE_SEED: 'ci-7',
  };
  const words = ['trace', 'backfill', '--dry-run', '--root', root];
  const { status, stdout, stderr } = runClew(words, { env });
  assert.deepEqual(
    [status, stdout, stderr],
    [
      2,
      '',
      'clew: the trace seed (CLEW_TRACE_SEED) gives the turns of every session the same ids, but 2 sessions are selected; unset it, or select one session with --project\n',
    ],
  );
  const one = runClew([...words, '--project', '/w/a'], { env });
  assert.equal(one.stdout, 'would send 4 spans of 1 turn in 1 session\n');
});

test('install writes nothing where the settings of the tracer are wrong', (context) => {
  const root = temporaryFolder(context);
  const env = { CLEW_HOME: path.join(root, 'clew'), CLEW_TRACE_ENDPOINT: 'nowhere' };
  const { status, stderr } = runClew(['trace', 'install', '--root', root], { env });
  assert.deepEqual([status, existsSync(path.join(root, 'settings.json'))], [2, false]);
  assert.match(stderr, /^clew: the endpoint of "default" is not an http\(s\) address; /);
});

test('install and uninstall say what they did, would do, or found done', (context) => {
  const root = temporaryFolder(context);
  const file = path.join(root, 'settings.json');
  const env = { PATH: '/nowhere', CLEW_HOME: path.join(root, 'clew'), CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' };
  const say = (...words: string[]): string => runClew(['trace', ...words, '--root', root], { env }).stdout;
  const texts = [
    ['uninstall'],
    ['install', '--dry-run'],
    ['install'],
    ['install'],
    ['uninstall', '--dry-run'],
    ['uninstall'],
  ]
    .map((words) => say(...words).replaceAll(/\.backup-\S+/g, '.backup'))
    // The example is in trace-habits.test.ts.
    .map((text) => text.replace(/\ndefault \((?:.*\n)*?(?=CLEW_TRACE_CONTENT=)/, ''));
  const change =
    'CLEW_TRACE_CONTENT=metadata (or no-tool-content) sends less; `clew trace test` tests the destination\n';
  assert.deepEqual(texts, [
    `${file} has no hooks of Clew\n`,
    `would add hooks for Stop to ${file}\n${change}`,
    `added hooks for Stop to ${file}\n${change}new sessions with these settings in their environment are traced; \`clew trace backfill\` sends existing sessions\n`,
    `hooks for Stop are already in ${file}\n${change}`,
    `would remove the hooks of Clew from ${file}\n`,
    `removed the hooks of Clew from ${file}\nbackup: ${file}.backup\n`,
  ]);
});

test('status says what was refused and why, and shows no key', async (context) => {
  const receiver = await startReceiver(context, { mood: () => '400' });
  const home = homeFor(context);
  const root = path.join(home, 'claude');
  writeTree(root, { 'projects/p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  utimesSync(path.join(root, 'projects/p/s.jsonl'), 1_700_000_000, 1_700_000_000);
  const env = { ...traceEnv(home, receiver.url, { CLEW_TRACE_HEADERS: 'x-key=hushhush' }), CLEW_ROOTS: root };
  const backfill = startClew(context, ['trace', 'backfill'], env);
  await backfill.says(
    /not everything was sent \(default: 400 malformed spans\); run `clew trace status` for the reasons/,
  );
  const { stdout } = runClew(['trace'], { env });
  assert.match(
    stdout,
    /^hooks {4}not installed \(`clew trace install`\)\nlog {6}\S+trace\.log\n\ndefault {2}langfuse, http/,
  );
  assert.match(
    stdout,
    /\n {2}sent {5}0 spans\n {2}waiting {2}0 batches\n {2}parked {3}1 batch: 400 malformed spans \(`clew trace retry` sends them again\)\n$/,
  );
  assert.doesNotMatch(stdout, /hushhush/);
  assert.deepEqual(runClew(['trace', 'flush'], { env }), {
    status: 0,
    stdout: 'sent 0 spans\n',
    stderr: 'clew: 1 batch refused earlier; `clew trace retry` sends them again\n',
  });
});

test('a wait for a background sender is reported', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url);
  const { folder } = tracePlaces(env);
  let flush: ReturnType<typeof startClew> | undefined;
  await withLock(folder, { name: sendLock('default') }, async () => {
    flush = startClew(context, ['trace', 'flush'], env);
    await flush.says(/another process is sending to default; waiting up to a minute/);
  });
  await flush?.prints(/sent 0 spans/);
});

test('explain shows the tree that would be sent, and writes nothing', (context) => {
  const home = homeFor(context);
  writeTree(home, { 's.jsonl': sessionText(toolTurn('a'), { sessionId: 's' }) });
  const state = path.join(home, 'state');
  const { status, stdout } = runClew(['trace', 'explain', path.join(home, 's.jsonl')], { env: { CLEW_HOME: state } });
  assert.equal(status, 0);
  const names = stdout
    .trimEnd()
    .split('\n')
    .map((line) => /^ *\S+(?: \S+)*/.exec(line)?.[0]);
  assert.deepEqual(names, ['Turn 1', '  claude-sonnet-4-5', '    Read', '  claude-sonnet-4-5']);
  assert.equal(existsSync(path.join(state, 'trace')), false);
});
