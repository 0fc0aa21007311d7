// Every action of the page, over its server, on copies of sessions that the real client wrote: done, the result resumed by
// the real client, which sends what we predict, then undone: every byte of the root as before.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { keyParam, readJson } from '../../src/web/client/client.ts';
import { type ActionName, type ActionOptions, actionNames } from '../../src/web/wire/actions.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { filesBelow } from '../support/paths.ts';
import { contentsOf, realSessions } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { sessionFiles } from './client.ts';
import { assertPredicted } from './live.ts';
import { predict } from './predict.ts';

const current = '2.1.325';
const projects = '-w-mill';
const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`;

const leaky = transcript({ cwd: '/w/mill' })
  .user(`use ${secret}`)
  .assistant('used')
  .user('again')
  .assistant(`again ${secret}`)
  .text();

interface Step {
  readonly action: ActionName;
  readonly options: ActionOptions;
  /** A part of the path of a session of the corpus; `leaky`: the one with secrets. */
  readonly on: string;
  /** Actions before it, undone after it. */
  readonly first?: ActionName;
}

const steps: readonly Step[] = [
  { action: 'star', options: {}, on: '2.1.325/tools/' },
  { action: 'unstar', options: {}, on: '2.1.325/tools/', first: 'star' },
  { action: 'rename', options: { title: 'the mill' }, on: '2.1.325/tools/' },
  { action: 'tag', options: { tag: 'rye' }, on: '2.1.325/tools/' },
  { action: 'fork', options: { at: '1' }, on: '2.1.325/continue/' },
  { action: 'rewind', options: { at: '1' }, on: '2.1.325/continue/' },
  { action: 'rewind', options: { at: '1', inPlace: true }, on: '2.1.325/continue/' },
  { action: 'strip', options: { tools: '', inPlace: true }, on: '2.1.325/tools/' },
  { action: 'compress', options: { keepTurns: 1 }, on: '2.1.325/continue/' },
  { action: 'redact', options: { inPlace: true }, on: 'leaky' },
  { action: 'archive', options: {}, on: '2.1.325/tools/' },
  { action: 'delete', options: {}, on: '2.1.325/tools/' },
  { action: 'restore', options: {}, on: '2.1.325/tools/', first: 'delete' },
];

test('the steps have every action that writes', () => {
  const tried = new Set(steps.map(({ action }) => action));
  assert.deepEqual(
    actionNames.filter((name) => !tried.has(name)),
    ['export'],
  );
});

test('every action is resumed by the client and undone', { concurrency: 3 }, async (t) => {
  await Promise.all(shareOf(steps, 0, 2).map((step) => t.test(nameOf(step), (context) => tryStep(context, step))));
});

function nameOf({ action, options, on }: Step): string {
  return `${action} ${JSON.stringify(options)} of ${on}: resumed by ${current}, then undone`;
}

async function tryStep(context: TestContext, { action, options, on, first }: Step): Promise<void> {
  const file = on === 'leaky' ? undefined : realSessions().find((each) => each.includes(on));
  assert.ok(on === 'leaky' || file !== undefined, on);
  const key = file === undefined ? sessionId : path.basename(file, '.jsonl');
  const own = file === undefined ? { [`${sessionId}.jsonl`]: leaky } : await sessionFiles(file);
  const files = Object.entries(own).map(([name, bytes]) => [`${projects}/${name}`, Buffer.from(bytes)] as const);
  assert.ok(files.length > 0);
  const server = await openWebServer(context, Object.fromEntries(files), { allowsChanges: true });
  const { root, client } = server;
  // A session that was just written to is not deleted.
  for (const each of filesBelow(root, '.jsonl')) utimesSync(each, 1_700_000_000, 1_700_000_000);
  await readJson(client.changes.$post({ json: {} }));
  const original = hashesOf(root);
  const main = path.join(root, 'projects', projects, `${key}.jsonl`);
  const before = first === undefined ? undefined : await act(server, key, first, {});
  const start = hashesOf(root);
  const done = await act(server, key, action, options);
  const isKept = ['star', 'unstar', 'archive'].includes(action);
  assert.equal(JSON.stringify([...hashesOf(root)]) === JSON.stringify([...start]), isKept);
  const [to] = done.to;
  const result = to === undefined ? undefined : path.join(root, 'projects', projects, `${to.id}.jsonl`);
  if (result !== undefined) await assertResumed(result);
  await undo(server, done.operation);
  assert.deepEqual(hashesOf(root), start);
  if (before !== undefined) await undo(server, before.operation);
  assert.deepEqual(hashesOf(root), original);
  // Nothing is left to resume after a delete: the restored session is.
  if (result === undefined) await assertResumed(main);
  assert.deepEqual(server.faults, []);
}

async function assertResumed(file: string): Promise<void> {
  assert.ok('messages' in (await predict(file)), file);
  await assertPredicted(current, file);
}

async function act({ client }: WebServer, key: string, action: ActionName, options: ActionOptions) {
  const route = client.sessions[':key'].actions[':action'];
  const param = { ...keyParam(key), action };
  const { fingerprint } = await readJson(route.$get({ param, query: options }));
  return readJson(route.$post({ param, json: { options, fingerprint } }));
}

async function undo({ client }: WebServer, id: string): Promise<void> {
  await readJson(client.operations[':id'].undo.$post({ param: { id }, json: {} }));
}

/** Of every file of the root, side files included. */
function hashesOf(root: string): ReadonlyMap<string, string> {
  return new Map(
    [...contentsOf(root)]
      .map(([name, bytes]) => [name, createHash('sha256').update(bytes, 'latin1').digest('hex')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
