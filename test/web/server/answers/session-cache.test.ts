// The session cache: sessions are read once, extended when they grow, and evicted.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { SessionCache } from '../../../../src/web/server/answers/session-cache.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';
import { transcript } from '../../../support/transcript-builder.ts';

function line(uuid: string, parentUuid: string | null, text: string): string {
  return `${JSON.stringify(transcript().user(text, { uuid, parentUuid }).entries[0])}\n`;
}

test('an unchanged session is not read again, and a grown one is extended', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, line('u1', null, 'one'));
  const cache = new SessionCache();
  const first = await cache.open(file);
  assert.equal(await cache.open(file), first);
  assert.deepEqual(cache.counts, { whole: 1, grown: 0 });
  appendFileSync(file, line('u2', 'u1', 'two'));
  const [second, same] = await Promise.all([cache.open(file), cache.open(file)]);
  assert.equal(second, same);
  assert.deepEqual([second.session.transcript.nodes.length, cache.counts], [2, { whole: 1, grown: 1 }]);
  assert.notEqual(second.version, first.version);
});

test('a replaced or rewritten file is read from the start, even if it is longer', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, line('u1', null, 'one'));
  const cache = new SessionCache();
  await cache.open(file);
  writeFileSync(file, line('x1', null, 'another') + line('x2', 'x1', 'file'));
  const { session } = await cache.open(file);
  assert.deepEqual(
    session.transcript.nodes.map(({ uuid }) => uuid),
    ['x1', 'x2'],
  );
  assert.deepEqual(cache.counts, { whole: 2, grown: 0 });
});

test('the least recently used session is evicted', async (context) => {
  const folder = temporaryFolder(context);
  const files = ['a', 'b', 'c'].map((name) => path.join(folder, `${name}.jsonl`));
  for (const file of files) writeFileSync(file, line('u1', null, 'one'));
  const [a = '', b = '', c = ''] = files;
  const cache = new SessionCache({ maxBytes: 250_000 });
  for (const file of [a, b, a, c, a]) await cache.open(file);
  assert.equal(cache.counts.whole, 3);
  await cache.open(b);
  assert.equal(cache.counts.whole, 4);
});

test('an unreadable file fails, and is tried again', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  const cache = new SessionCache();
  await assert.rejects(cache.open(file), { code: 'ENOENT' });
  writeFileSync(file, line('u1', null, 'one'));
  assert.equal((await cache.open(file)).session.transcript.nodes.length, 1);
});

/** A session of turns in one chain, each larger than `bytes`. */
function chain(count: number, bytes: number): string {
  const builder = transcript();
  for (let i = 1; i <= count; i++) builder.user(`prompt ${i}`).assistant('x'.repeat(bytes));
  return builder.text();
}

test('the beginning of a large session is available before its end', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, chain(100, 100_000));
  const cache = new SessionCache({ startBytes: 1_000_000 });
  const start = await cache.openStart(file);
  const whole = await cache.open(file);
  const known = start.session.transcript.nodes.length;
  assert.deepEqual(cache.counts, { whole: 1, grown: 0 });
  assert.equal(start.version, `start-${whole.version}`);
  // About one megabyte of ten: the reader's steps are one megabyte.
  assert.ok(known >= 20 && known <= 44, `${known} lines`);
  assert.deepEqual(
    whole.session.transcript.nodes.slice(0, known).map(({ uuid, offset }) => [uuid, offset]),
    start.session.transcript.nodes.map(({ uuid, offset }) => [uuid, offset]),
  );
  assert.equal(whole.session.transcript.nodes.length, 200);
  assert.equal(await cache.openStart(file), whole);
});

test('a small session has no beginning', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, chain(30, 100_000));
  const cache = new SessionCache({ startBytes: 1_000_000 });
  assert.equal((await cache.openStart(file)).session.transcript.nodes.length, 60);
});

test('other sessions are answered while a large one is read', async (context) => {
  const folder = temporaryFolder(context);
  const [large, small] = [path.join(folder, 'a.jsonl'), path.join(folder, 'b.jsonl')];
  writeFileSync(large, chain(100, 100_000));
  writeFileSync(small, line('u1', null, 'one'));
  const cache = new SessionCache();
  const order: string[] = [];
  const first = cache.open(large).then(() => order.push('large'));
  await cache.openStart(small).then(() => order.push('small'));
  await first;
  assert.deepEqual(order, ['small', 'large']);
});

test('a file that is rewritten while it is read is read from the start', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, chain(100, 100_000));
  const cache = new SessionCache({ startBytes: 1_000_000 });
  await cache.openStart(file);
  writeFileSync(file, line('x1', null, 'another file') + chain(120, 100_000));
  await cache.open(file);
  const { session } = await cache.open(file);
  assert.equal(session.transcript.nodes[0]?.uuid, 'x1');
  assert.equal(session.transcript.nodes.length, 241);
});

test('the beginning of an unreadable file fails too', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  await assert.rejects(new SessionCache().openStart(file), { code: 'ENOENT' });
});
