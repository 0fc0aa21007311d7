// Sessions whose transcript is deleted: the copy in the archive answers, nothing of it stays on the disk, and what is removed
// from the archive is forgotten.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../src/library/archive/archive.ts';
import { idOf, makePlace, startMemory } from './memory-kit.ts';

test('an archived session is searched and read, its copy is removed, and it goes with the archive', async (context) => {
  const place = makePlace(context);
  const archive = path.join(place.state, 'archive');
  const file = place.plant({
    cwd: place.project,
    id: '1',
    turns: [{ prompt: 'why does the parser fail?', answer: 'A comma was missing.' }],
  });
  const asker = await startMemory({ after: () => undefined }, place);
  assert.match(await asker.call('search', { query: 'comma' }), /^\| why does the parser fail\?.*A comma was missing/m);
  await archiveSessions([{ path: file }], { folder: archive });
  rmSync(file);

  const copies = path.join(place.state, 'archived');
  const left = (): readonly string[] => (existsSync(copies) ? readdirSync(copies) : []);
  assert.match(await asker.call('search', { query: 'comma' }), /^\| why does the parser fail\?.*A comma was missing/m);
  assert.deepEqual(left(), []);
  assert.match(await asker.call('outline', {}), /1 turn, archived\n\| why does the parser fail\?/);
  assert.match(
    await asker.call('read', { reference: `clew:${idOf('1')}#1` }),
    /^\| assistant: A comma was missing\.$/m,
  );
  await asker.end();
  assert.deepEqual(left(), []);

  const again = await startMemory(context, place);
  assert.match(await again.call('search', { query: 'comma' }), /A comma was missing/);
  rmSync(archive, { recursive: true });
  assert.doesNotMatch(await again.call('search', { query: 'comma' }), /A comma was missing|parser/);
  assert.match(await again.call('read', { reference: idOf('1') }), /^ERROR there is no such session/);
  assert.deepEqual(left(), []);
});
