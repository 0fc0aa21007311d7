// Sessions are read once, read on when they grow, and dropped when others need the room.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Shelf } from '../../../src/web/server/shelf.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';

function line(uuid: string, parentUuid: string | null, text: string): string {
  return `${JSON.stringify(transcript().user(text, { uuid, parentUuid }).entries[0])}\n`;
}

test('what has not changed is not read again, what has grown is read on', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, line('u1', null, 'one'));
  const shelf = new Shelf();
  const first = await shelf.open(file);
  assert.equal(await shelf.open(file), first);
  assert.deepEqual(shelf.counts, { whole: 1, grown: 0 });
  appendFileSync(file, line('u2', 'u1', 'two'));
  const [second, same] = await Promise.all([shelf.open(file), shelf.open(file)]);
  assert.equal(second, same);
  assert.deepEqual([second.session.transcript.nodes.length, shelf.counts], [2, { whole: 1, grown: 1 }]);
  assert.notEqual(second.version, first.version);
});

test('a file that was replaced or rewritten is read anew, even where it is longer', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, line('u1', null, 'one'));
  const shelf = new Shelf();
  await shelf.open(file);
  writeFileSync(file, line('x1', null, 'another') + line('x2', 'x1', 'file'));
  const { session } = await shelf.open(file);
  assert.deepEqual(
    session.transcript.nodes.map(({ uuid }) => uuid),
    ['x1', 'x2'],
  );
  assert.deepEqual(shelf.counts, { whole: 2, grown: 0 });
});

test('the session that was used longest ago makes room', async (context) => {
  const folder = temporaryFolder(context);
  const files = ['a', 'b', 'c'].map((name) => path.join(folder, `${name}.jsonl`));
  for (const file of files) writeFileSync(file, line('u1', null, 'one'));
  const [a = '', b = '', c = ''] = files;
  const shelf = new Shelf(250_000);
  for (const file of [a, b, a, c, a]) await shelf.open(file);
  assert.equal(shelf.counts.whole, 3);
  await shelf.open(b);
  assert.equal(shelf.counts.whole, 4);
});

test('a file that cannot be read fails for whoever asks, and is tried again', async (context) => {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  const shelf = new Shelf();
  await assert.rejects(shelf.open(file), { code: 'ENOENT' });
  writeFileSync(file, line('u1', null, 'one'));
  assert.equal((await shelf.open(file)).session.transcript.nodes.length, 1);
});
