import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type OpenOptions, openSession } from '../../../src/agent/session/open-session.ts';
import { checkRequest } from '../../../src/api/rules/check-request.ts';
import { exitCodes } from '../../../src/base/errors/errors.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { encodeSlug } from '../../../src/store/roots.ts';
import { model, openRun, placeIn } from '../../support/agent-run.ts';
import { refusalOf } from '../../support/refusal.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { contentsOf, entriesOf } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const [idA, idB] = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'];

function project({ root, cwd }: OpenOptions): string {
  const folder = path.join(root, 'projects', encodeSlug(cwd));
  mkdirSync(folder, { recursive: true });
  mkdirSync(cwd, { recursive: true });
  return folder;
}

async function writeSession(place: OpenOptions, sessionId: string, prompt: string): Promise<string> {
  project(place);
  const run = await openRun({ kind: 'new', sessionId }, place);
  await run.turn(prompt, `Answer to ${prompt}`);
  await run.close();
  return run.session.file;
}

test('a session is found by id, beginning, path and title, and an unknown one is named in the refusal', async (t) => {
  const place = placeIn(temporaryFolder(t));
  const file = await writeSession(place, idA, 'One');
  await writeSession(place, idB, 'Two');
  const titled = await openRun({ kind: 'resume', session: idB }, place);
  await titled.session.recorder.rename('The second');
  await titled.close();
  for (const [named, expected] of [
    [idA, idA],
    ['aaaa', idA],
    [file, idA],
    ['the second', idB],
  ] as const) {
    const session = await openSession({ kind: 'resume', session: named }, place);
    assert.equal(session.sessionId, expected, named);
    await session.close();
  }
  const refusal = await refusalOf(openSession({ kind: 'resume', session: 'nothing like it' }, place));
  assert.match(refusal?.message ?? '', /^no session "nothing like it" below .*; run `clew ls`/);
});

test('a project folder that is a link out of the root is refused for new and existing sessions', async (t) => {
  const place = placeIn(temporaryFolder(t));
  const folder = project(place);
  const file = await writeSession(place, idA, 'One');
  const outside = path.join(temporaryFolder(t), 'outside');
  renameSync(folder, outside);
  symlinkSync(outside, folder);
  const before = contentsOf(outside);
  const made = await refusalOf(openSession({ kind: 'new', sessionId: idB }, place));
  assert.match(made?.message ?? '', /through a link, outside .*projects; nothing was written; remove the link/);
  const resumed = await refusalOf(openSession({ kind: 'resume', session: file }, place));
  assert.match(resumed?.message ?? '', /is really .*, because .* is a link; name /);
  assert.deepEqual(contentsOf(outside), before);
});

test('--continue takes the session with the newest line, not the newest file, and skips those of programs', async (t) => {
  const place = placeIn(temporaryFolder(t));
  const folder = project(place);
  const at = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString();
  const session = (id: string, day: number, more = {}): void => {
    const lines = [user('hi', { timestamp: at(day), ...more }), assistant('ho', { timestamp: at(day), ...more })];
    writeFileSync(path.join(folder, `${id}.jsonl`), sessionText(lines, { sessionId: id }));
  };
  session(idA, 5);
  session(idB, 3);
  session('cccccccc-0000-4000-8000-000000000003', 9, { entrypoint: 'sdk-cli' });
  utimesSync(path.join(folder, `${idA}.jsonl`), new Date(), new Date(Date.UTC(2026, 0, 6)));
  const newest = await openSession({ kind: 'continue' }, place);
  assert.equal(newest.sessionId, idA);
  await newest.close();
  const nowhere = { ...place, cwd: path.join(place.cwd, 'other') };
  assert.match((await refusalOf(openSession({ kind: 'continue' }, nowhere)))?.message ?? '', /no session to continue/);
  for (const fork of [{}, { fork: {} }, { fork: { sessionId: 'dddddddd-0000-4000-8000-000000000004' } }]) {
    const begun = await openSession({ kind: 'continue', orNew: true, ...fork }, nowhere);
    assert.ok(begun.isNew);
    if ('fork' in fork && 'sessionId' in fork.fork) assert.equal(begun.sessionId, fork.fork.sessionId);
    await begun.close();
  }
  // Where there is one, it is continued.
  const again = await openSession({ kind: 'continue', orNew: true }, place);
  assert.equal(again.sessionId, idA);
  await again.close();
});

test('an id that is taken is refused for a new session', async (t) => {
  const place = placeIn(temporaryFolder(t));
  await writeSession(place, idA, 'One');
  for (const choice of [
    { kind: 'new', sessionId: idA },
    { kind: 'resume', session: idA, fork: { sessionId: idA } },
  ] as const)
    assert.match((await refusalOf(openSession(choice, place)))?.message ?? '', /already exists; resume it/);
  const odd = await refusalOf(openSession({ kind: 'new', sessionId: '../x' }, place));
  assert.match(odd?.message ?? '', /is not a session id; use a UUID/);
});

test('a fork continues on its own, with its backups, and the original stays as it was', async (t) => {
  const place = placeIn(temporaryFolder(t));
  const file = await writeSession(place, idA, 'One');
  mkdirSync(path.join(place.root, 'file-history', idA), { recursive: true });
  writeFileSync(path.join(place.root, 'file-history', idA, '0123456789abcdef@v1'), 'kept');
  const before = readFileSync(file, 'utf8');
  const fork = await openRun({ kind: 'continue', fork: { sessionId: idB } }, place);
  await fork.turn('Two', 'Answer to Two');
  await fork.close();
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.equal(fork.session.sessionId, idB);
  assert.equal(fork.session.recorder.resumed().messages.length, 4);
  assert.equal(readFileSync(path.join(place.root, 'file-history', idB, '0123456789abcdef@v1'), 'utf8'), 'kept');
  const uuids = new Set(entriesOf(file).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : [])));
  assert.ok(entriesOf(fork.session.file).every(({ uuid }) => !uuids.has(String(uuid))));
});

test('a session outside the library is continued in a copy', async (t) => {
  const folder = temporaryFolder(t);
  const place = placeIn(folder);
  const file = await writeSession(place, idA, 'One');
  const outside = path.join(folder, 'sent', `${idA}.jsonl`);
  cpSync(file, outside);
  const session = await openSession({ kind: 'resume', session: outside }, { ...place, root: path.join(folder, 'own') });
  assert.notEqual(session.sessionId, idA);
  assert.ok(session.file.startsWith(path.join(folder, 'own', 'projects')));
  assert.match(session.notes.join(), /continuing in a copy/);
  await session.close();
});

test('two writers are refused, with an offer to fork', async (t) => {
  const place = placeIn(temporaryFolder(t));
  await writeSession(place, idA, 'One');
  const first = await openSession({ kind: 'resume', session: idA }, place);
  const second = await refusalOf(openSession({ kind: 'resume', session: idA }, place));
  assert.match(
    second?.message ?? '',
    /is in use: clew works in it \(process \d+ on .+\); end it there, or work in a copy with --fork-session$/,
  );
  assert.equal(second?.exitCode, exitCodes.refused);
  const fork = await openSession({ kind: 'resume', session: idA, fork: {} }, place);
  await fork.close();
  await first.close();
  const again = await openSession({ kind: 'resume', session: idA }, place);
  await again.close();
  mkdirSync(path.join(place.root, 'sessions'));
  writeFileSync(path.join(place.root, 'sessions', `${process.ppid}.json`), JSON.stringify({ sessionId: idA }));
  const client = await refusalOf(openSession({ kind: 'resume', session: idA }, place));
  assert.match(client?.message ?? '', new RegExp(`Claude Code runs it as process ${process.ppid}; end it there`));
});

test('a damaged session is repaired in the request, and its file is only appended to', async (t) => {
  const place = placeIn(temporaryFolder(t));
  const file = path.join(project(place), `${idA}.jsonl`);
  const thinking = { type: 'thinking', thinking: 'Hm', signature: '' };
  const text = sessionText(
    [user('go'), assistant([thinking, { type: 'text', text: 'gone' }], { message: { model } }), user('on')],
    { sessionId: idA },
  ).trimEnd();
  writeFileSync(file, text);
  const run = await openRun({ kind: 'resume', session: idA }, place);
  assert.notDeepEqual(run.session.notes, []);
  await run.prompt('Now?');
  assert.deepEqual(checkRequest({ messages: run.session.messages(model), model }), []);
  await run.close();
  const [old, added] = [readFileSync(file, 'utf8').slice(0, text.length), entriesOf(file).slice(3)];
  assert.equal(old, text);
  // It ended with the user, so the client's own answer for that case comes first.
  assert.deepEqual(
    added.map(({ type }) => type),
    ['assistant', 'file-history-snapshot', 'user', 'last-prompt'],
  );
});

test('calls that a killed run left open are closed once, before the first prompt', async (t) => {
  const place = placeIn(temporaryFolder(t));
  project(place);
  const killed = await openRun({ kind: 'new', sessionId: idA }, place);
  await killed.prompt('Work');
  const calls = ['toolu_1', 'toolu_2'].map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} }));
  const made = await killed.blocks(calls);
  await killed.close();
  const run = await openRun({ kind: 'resume', session: idA }, place);
  await run.turn('Proceed', 'Yes.');
  await run.turn('And on', 'Yes.');
  await run.close();
  const results = entriesOf(run.session.file).filter(({ toolUseResult }) => toolUseResult !== undefined);
  assert.deepEqual(
    results.map(({ message, sourceToolAssistantUUID }) => [
      (message as { content: JsonObject[] }).content.map(({ tool_use_id, is_error }) => [tool_use_id, is_error]),
      sourceToolAssistantUUID,
    ]),
    [
      [[['toolu_1', true]], made[0]],
      [[['toolu_2', true]], made[1]],
    ],
  );
  assert.deepEqual(requestMessages(await loadSession(run.session.file)), run.session.recorder.resumed());
});

test('a session that cannot be resumed is left free for others', async (t) => {
  const place = placeIn(temporaryFolder(t));
  writeFileSync(path.join(project(place), `${idA}.jsonl`), '{"type":"summary","summary":"x","leafUuid":"y"}\n');
  for (const _ of [1, 2]) {
    const refusal = await refusalOf(openSession({ kind: 'resume', session: idA }, place));
    assert.match(refusal?.message ?? '', /cannot be resumed/);
  }
  assert.deepEqual([...contentsOf(path.join(place.env.CLEW_HOME ?? '', 'session-locks')).keys()], []);
});

test('a lock of a killed run is ignored', async (t) => {
  const place = placeIn(temporaryFolder(t));
  await writeSession(place, idA, 'One');
  const locks = path.join(place.env.CLEW_HOME ?? '', 'session-locks');
  writeFileSync(path.join(locks, `${idA}.lock`), JSON.stringify({ pid: 2 ** 30, host: 'x' }));
  const elsewhere = await refusalOf(openSession({ kind: 'resume', session: idA }, place));
  assert.match(elsewhere?.message ?? '', /on x/);
  writeFileSync(path.join(locks, `${idA}.lock`), 'half a lo');
  const session = await openSession({ kind: 'resume', session: idA }, place);
  await session.close();
  assert.ok(!existsSync(path.join(locks, `${idA}.lock`)));
  assert.deepEqual([...contentsOf(locks).keys()], []);
});
