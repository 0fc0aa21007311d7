// After `redact --in-place --no-backup` no file keeps a value: a secret of its own is put into every place of a session, the
// session is indexed, archived, renamed, tagged and traced, and then every byte of the root and of the state folder is
// searched, unpacked where it is packed.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FlagValues } from '../../../src/cli/command/command.ts';
import { Unread } from '../../../src/cli/command/unread.ts';
import { run as runRedact } from '../../../src/cli/redact/command.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { moveBatch, parkBatch, releaseBatch, spoolBatch } from '../../../src/trace/outbox/outbox.ts';
import { tracePlaces } from '../../../src/trace/state/places.ts';
import { type Run, runClew } from '../../support/clew.ts';
import { filesBelow } from '../../support/paths.ts';
import { refusalOf } from '../../support/refusal.ts';
import { type Bench, benchWith } from '../../support/surgery-kit.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const places = [
  ...['prompt', 'answer', 'title', 'tag', 'input', 'toolName', 'output', 'sideFile', 'fileName', 'agent', 'agentName'],
  ...['history', 'todo', 'chat', 'log'],
] as const;

/** A token for each place. */
function canary(place: string): string {
  return `gh${'p_'}${`k7Rq2mZx9TbX${place}`.padEnd(36, 'vLc8NpW1sYd6JgF3aKe5')}`;
}

const otherId = '22222222-2222-4222-a222-222222222222';
/** Of another session, which is not redacted. */
const foreign = canary('foreign');

test('after a redaction without a backup no file of the root and of the state folder holds a value', async (t) => {
  const library = usedLibrary(t);
  const { run, state, settings } = library;
  const before = found(library);
  assert.deepEqual(
    places.filter((place) => !before.some((line) => line.startsWith(`${place} in `))),
    [],
    'a place was not planted',
  );
  for (const where of [
    'index.db',
    'archive',
    'operations',
    'trace/outbox',
    'trace/dead',
    'trace/sessions',
    'chat-history.jsonl',
    'trace.log',
  ])
    assert.ok(
      before.some((line) => line.includes(` in state/${where}`)),
      `nothing was planted in ${where}`,
    );
  const other = contentOfOther(library);

  const dry = await redact(library, { 'dry-run': true });
  assert.equal(dry.refusal, undefined);
  for (const what of [/would delete the search index/, /would delete the backup of operation \S+ \(rename\)/])
    assert.match(dry.stdout, what);
  assert.match(dry.stdout, /would delete 2 batches of unsent traces/);
  assert.match(dry.stdout, /would redact \S+chat-history\.jsonl/);
  assert.deepEqual(found(library), before);

  const { refusal, stdout } = await redact(library);
  assert.equal(refusal, undefined);
  assert.match(stdout, /^ *(?:note: )?.*deleted the search index \(\S+index\.db\)/m);
  assert.match(stdout, /2 copies in the archive held them and were replaced by the redacted one/);
  assert.deepEqual(found(library), []);
  for (const place of places) assert.ok(!stdout.includes(canary(place).slice(0, 20)), place);
  // What is of another session stays, and so do the settings.
  assert.deepEqual(contentOfOther(library), other);
  for (const [name, text] of Object.entries(settings)) assert.equal(readFileSync(path.join(state, name), 'utf8'), text);
  assert.deepEqual(run('archive', '--verify').status, 0);
  assert.equal(run('find', 'nothing special').status, 0);
  assert.equal(run('redact', '--check', sessionId).status, 0);
  assert.match(run('undo').stderr, /has no backup/);
});

test('what cannot be cleaned is named, and the command fails', async (t) => {
  const library = usedLibrary(t);
  const { state } = library;
  writeFileSync(path.join(state, 'unknown.bin'), Buffer.from(`\0\0\0${canary('prompt')}\0`));
  writeFileSync(path.join(state, 'trace.json'), JSON.stringify({ note: canary('prompt') }));
  const { refusal, stdout } = await redact(library);
  assert.match(stdout, /unknown\.bin holds them and cannot be changed: delete it/);
  assert.match(stdout, /trace\.json also holds them: it has your settings and is not changed/);
  assert.deepEqual(refusal, {
    message:
      'redacted values may remain in 2 places; follow the notes above and run it again; `clew redact --prove` searches again',
    exitCode: 1,
  });
  assert.deepEqual(found(library), ['prompt in state/trace.json', 'prompt in state/unknown.bin']);
});

test('what other sessions hold stays, and the output says so', async (t) => {
  const library = usedLibrary(t, canary('prompt'));
  const { refusal, stdout } = await redact(library);
  assert.equal(refusal?.exitCode, 1);
  assert.match(stdout, /the backup of operation \S+ \(tag\) holds them for another session: `clew undo \S+` would/);
  assert.match(stdout, /the archive still holds them for other sessions: `clew redact --check --all` finds/);
  assert.match(stdout, /traces of other sessions also hold them \(\S+\.ready\)/);
  assert.match(stdout, new RegExp(`session ${otherId} also holds them: `));
  assert.match(stdout, /prompts of other sessions in \S+history\.jsonl hold them too/);
  const left = found(library).map((line) => line.replace(/^prompt in /, '').replace(/\d{8}T\d{6}-[0-9a-f]{6}/, 'ID'));
  assert.deepEqual(
    left.map((file) => file.replace(/outbox\/default\/.*/, 'outbox/default')),
    [
      'root/history.jsonl',
      `root/projects/-home-kim-project/${otherId}.jsonl`,
      'state/archive/000001.pack',
      'state/archive/committed',
      'state/operations/ID/backup/0',
      'state/trace/outbox/default',
    ],
  );
});

/** `clew redact SESSION --in-place --no-backup`, in this process. */
async function redact({ bench }: UsedLibrary, flags: FlagValues = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const unread = new Unread(stderr);
  const io = { stdout, stderr, env: bench.env, cwd: bench.root, style: createStyle(false) };
  const all = { 'in-place': true, 'no-backup': true, root: [bench.root], ...flags };
  const refusal = await refusalOf(runRedact({ argument: sessionId, words: [sessionId], flags: all, io, unread }));
  stdout.end();
  return { refusal, stdout: await text(stdout) };
}

interface UsedLibrary {
  readonly bench: Bench;
  readonly state: string;
  readonly settings: Readonly<Record<string, string>>;
  run(...words: string[]): Run;
}

/** `shared` is what the other session says, too. */
function usedLibrary(t: TestContext, shared = ''): UsedLibrary {
  const agent = transcript({ isSidechain: true, agentId: canary('agentName') })
    .user(`look at ${canary('agent')}`)
    .assistant('seen')
    .text();
  const bench = benchWith(t, sessionId, sessionText(), {
    [`${sessionId}/tool-results/${canary('fileName')}.txt`]: `first\n${canary('sideFile')}\n`,
    [`${sessionId}/subagents/agent-${canary('agentName')}.jsonl`]: agent,
    [`${otherId}.jsonl`]: transcript({ sessionId: otherId })
      .user(`mine is ${foreign} ${shared}`, { uuid: 'other-1' })
      .assistant('ok', { uuid: 'other-2', message: { id: 'other-m1' } })
      .text(),
  });
  writeTree(bench.root, {
    'history.jsonl': [
      JSON.stringify({ display: canary('history'), timestamp: 1, project: '/p', sessionId }),
      JSON.stringify({ display: `${foreign} ${shared}`, timestamp: 2, project: '/p', sessionId: otherId }),
      '',
    ].join('\n'),
    [`todos/${sessionId}-agent-${sessionId}.json`]: JSON.stringify([{ content: canary('todo') }]),
  });
  const state = bench.env.CLEW_HOME;
  const settings = { 'prices.json': '{}', 'redact.json': '{"rules": []}' };
  mkdirSync(state, { recursive: true });
  for (const [name, text] of Object.entries(settings)) writeFileSync(path.join(state, name), text);
  const env = {
    CLEW_HOME: state,
    CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9',
    CLEW_TRACE_REDACT: 'off',
    CLAUDE_CONFIG_DIR: bench.root,
  };
  const run = (...words: string[]): Run =>
    runClew([...words, ...(['undo', 'trace'].includes(words[0] ?? '') ? [] : ['--root', bench.root])], { env });
  for (const words of [
    ['find', 'nothing special'],
    ['archive'],
    ['rename', sessionId, `the ${canary('title')} one`],
    ['tag', sessionId, canary('tag')],
    ['tag', otherId, 'mine'],
    ['find', 'nothing special'],
    ['archive'],
  ]) {
    const { status, stderr } = run(...words);
    assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
  }
  // As `clew trace backfill` leaves them where nobody listens, and where a server refuses.
  const places = tracePlaces(env);
  for (const [i, id] of [sessionId, sessionId, otherId].entries()) {
    const said = id === otherId ? `${foreign} ${shared}` : canary('prompt');
    const info = { destination: 'default', contentType: 'application/json', contentEncoding: 'gzip', sessionId: id };
    const body = gzipSync(JSON.stringify({ spans: [said] }));
    const spans = { spanIds: [`${i}`], ledgerKeys: [`${i}`], createdMs: i };
    const name = spoolBatch(places, { ...info, ...spans }, body, 'owner');
    releaseBatch(places, 'default', name, 'owner');
    if (i === 1 && moveBatch(places, 'default', name, 'ready', 'sending'))
      parkBatch(places, 'default', name, 'refused');
  }
  writeTree(state, { [`trace/sessions/${sessionId}.json`]: JSON.stringify({ cursor: { said: canary('log') } }) });
  appendFileSync(
    path.join(state, 'chat-history.jsonl'),
    ['before', `say ${canary('chat')}`, foreign].map((prompt) => `${JSON.stringify({ prompt })}\n`).join(''),
  );
  appendFileSync(path.join(state, 'trace.log'), `2026-01-01 failed: ${canary('log')}\n`);
  return { bench, state, settings, run };
}

function sessionText(): string {
  const call = {
    type: 'tool_use',
    id: 'toolu_1',
    name: `mcp__${canary('toolName')}`,
    input: { command: `curl ${canary('input')}` },
  };
  return transcript()
    .user(`use ${canary('prompt')}, nothing special, ${canary('chat')} and ${canary('log')}`)
    .assistant(`yes, ${canary('answer')}`)
    .call('toolu_1', { message: { content: [call] } })
    .result('toolu_1', {
      message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: canary('output') }] },
    })
    .assistant('done')
    .text();
}

/** `place in file`, for every file whose name or bytes hold the token of a place, also in lower case as in an index. */
function found({ bench, state }: UsedLibrary): string[] {
  const lines = new Set<string>();
  for (const [top, folder] of Object.entries({ root: bench.root, state })) {
    for (const file of filesBelow(folder, '')) {
      const name = `${top}/${path.relative(folder, file)}`;
      const text = [name, ...textsOf(file)].join('\n').toLowerCase();
      // The full text of the index knows words only.
      for (const place of places)
        if (text.includes(canary(place).slice(4).toLowerCase())) lines.add(`${place} in ${name}`);
    }
  }
  return [...lines].sort();
}

/** The bytes, and what is packed in them: batches of traces with gzip, packs of the archive with brotli. */
function textsOf(file: string): string[] {
  if (!statSync(file).isFile()) return [];
  const bytes = readFileSync(file);
  const texts = [bytes.toString('latin1')];
  const zipped = bytes.indexOf(Buffer.from([0x1f, 0x8b, 0x08]));
  if (zipped >= 0 && !file.endsWith('.pack') && !file.includes('index.db'))
    texts.push(gunzipSync(bytes.subarray(zipped)).toString('latin1'));
  if (!file.endsWith('.pack')) return texts;
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\n') + 1;
    const header = JSON.parse(rest.toString('latin1', rest.indexOf('{'), end)) as Record<string, number | string>;
    const body = rest.subarray(end, end + Number(header.bodyBytes));
    const skipped = header.kind === 'chunks' ? 16 * Number(header.count) : 0;
    texts.push(brotliDecompressSync(body.subarray(skipped)).toString('latin1'));
    rest = rest.subarray(end + body.length);
  }
  return texts;
}

/** What must not change: the other session, its prompt, its backup, its line in the history of chats. */
function contentOfOther({ bench, state }: UsedLibrary): Record<string, unknown> {
  const held = filesBelow(state, '').filter(
    (file) => !file.includes('index.db') && textsOf(file).join().includes(foreign),
  );
  return {
    main: readFileSync(path.join(bench.folder, `${otherId}.jsonl`), 'utf8'),
    prompt: readFileSync(path.join(bench.root, 'history.jsonl'), 'utf8').split('\n')[1],
    chat: readFileSync(path.join(state, 'chat-history.jsonl'), 'utf8').split('\n')[2],
    files: held.map((file) => path.relative(state, file)).sort(),
  };
}
