// Places of hits: the same as by looking through the session, and kept only as long as its files are the same.
import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/library/index/database.ts';
import { knownPlaces, openPlaces } from '../../../src/library/places/hit-place.ts';
import type { SessionPlaces } from '../../../src/library/places/place-table.ts';
import { search } from '../../../src/library/search/search.ts';
import { titleOf } from '../../../src/session/facts/index.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { recordedFiles } from '../../support/transcripts.ts';
import { indexOf } from '../exact-check.ts';
import { currentIndex, update } from '../index-check.ts';
import { plainPlace } from './plain-places.ts';

async function checkAll(database: Database, root: string): Promise<number> {
  const found = search(database, { text: '.', mode: 'regex', roots: [root], limit: 1_000_000 });
  let checked = 0;
  for (const each of found.sessions) {
    const places = await openPlaces(database, each);
    assert.ok(places !== undefined);
    const session = await loadSession(each.session.path);
    assert.equal(places.title, titleOf(session));
    for (const hit of each.hits) {
      const expected = plainPlace(database, session, hit.path, hit.line);
      assert.deepEqual(places.placeOf(hit.path, hit.line), expected, `${hit.path}:${hit.line}`);
      assert.deepEqual(knownPlaces(database, each)?.placeOf(hit.path, hit.line), expected);
      checked++;
    }
    const { nodes } = session.transcript;
    for (const { line } of nodes.filter((_, i) => i % Math.ceil(nodes.length / 40) === 0))
      assert.deepEqual(
        places.placeOf(each.session.path, line),
        plainPlace(database, session, each.session.path, line),
        `${each.session.path}:${line}`,
      );
  }
  return checked;
}

test('each hit of the recordings is where a search of the whole session has it', async (context) => {
  const { database, root } = indexOf(
    context,
    recordedFiles().filter((_, i) => i % 12 === 0),
  );
  assert.ok((await checkAll(database, root)) > 100);
});

test('each hit of the demo, with sub-agents and branches, is where a search of the whole session has it', async (context) => {
  const root = path.join(projectRoot, 'demo');
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  assert.ok((await checkAll(database, root)) > 100);
});

interface Kept {
  readonly root: string;
  /** Whether the index had the places; then they are made. */
  open(): Promise<[isKnown: boolean, places: SessionPlaces]>;
}

function kept(context: TestContext): Kept {
  const root = temporaryFolder(context);
  const lines = [
    user('light the lamp'),
    assistant([toolUse('t1', 'Task', { prompt: 'trim', description: 'd' })]),
    user([toolResult('t1', 'done')]),
    user('a second prompt'),
  ];
  writeTree(root, {
    'projects/p/s.jsonl': sessionText(lines, { sessionId: 's' }),
    'projects/p/s/subagents/agent-a1.jsonl': sessionText([user('trim', { isSidechain: true, agentId: 'a1' })], {
      sessionId: 's',
    }),
    'projects/p/s/subagents/agent-a1.meta.json': '{"toolUseId":"t1"}',
  });
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  return {
    root,
    open: async () => {
      update(database, root);
      const [found] = search(database, { text: 'lamp', mode: 'words', roots: [root], limit: 20 }).sessions;
      assert.ok(found !== undefined);
      const isKnown = knownPlaces(database, found) !== undefined;
      const places = await openPlaces(database, found);
      assert.ok(places !== undefined);
      return [isKnown, places];
    },
  };
}

test('places are kept until a file of the session changes', async (context) => {
  const { root, open } = kept(context);
  const main = path.join(root, 'projects/p/s.jsonl');
  const side = path.join(root, 'projects/p/s');
  const agent = path.join(side, 'subagents/agent-a1.jsonl');
  const look = async (): Promise<unknown[]> => {
    const [isKnown, places] = await open();
    return [isKnown, places.title, places.placeOf(main, 4).turn, places.placeOf(agent, 1).turn];
  };
  assert.deepEqual(await look(), [false, 'light the lamp', 2, 1]);
  assert.deepEqual(await look(), [true, 'light the lamp', 2, 1]);
  appendFileSync(main, sessionText([{ type: 'custom-title', customTitle: 'Lamps' }], { sessionId: 's' }));
  assert.deepEqual(await look(), [false, 'Lamps', 2, 1]);
  assert.deepEqual(await look(), [true, 'Lamps', 2, 1]);
  rmSync(path.join(side, 'subagents/agent-a1.meta.json'));
  assert.equal((await look())[0], false);
  writeFileSync(path.join(side, 'subagents/agent-a1.meta.json'), '{"toolUseId":"unknown"}');
  assert.deepEqual(await look(), [false, 'Lamps', 2, undefined]);
  appendFileSync(agent, sessionText([user('more', { isSidechain: true, agentId: 'a1' })], { sessionId: 's' }));
  assert.equal((await look())[0], false);
  assert.equal((await look())[0], true);
});

test('another line of a message that is shown elsewhere has the place of the message', async (context) => {
  const root = temporaryFolder(context);
  const lines = [
    user('light the lamp', { uuid: 'u1', parentUuid: null }),
    assistant('first', { uuid: 'a1', parentUuid: 'u1' }),
    user('a second prompt', { uuid: 'u2', parentUuid: 'a1' }),
    assistant('second', { uuid: 'a2', parentUuid: 'u2' }),
    user('light the lamp', { uuid: 'u1', parentUuid: null }),
    user('a third prompt', { uuid: 'u3', parentUuid: 'a2' }),
  ];
  writeTree(root, { 'projects/p/s.jsonl': sessionText(lines) });
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  const [found] = search(database, { text: 'lamp', mode: 'words', roots: [root], limit: 20 }).sessions;
  assert.ok(found !== undefined);
  const places = await openPlaces(database, found);
  assert.deepEqual(
    [1, 3, 5, 6].map((line) => places?.placeOf(found.session.path, line).turn),
    [1, 2, 1, 3],
  );
});

test('the places of a transcript that is gone are forgotten', async (context) => {
  const root = temporaryFolder(context);
  writeTree(root, { 'projects/p/s.jsonl': sessionText([user('the lamp')]) });
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  const [found] = search(database, { text: 'lamp', mode: 'words', roots: [root], limit: 20 }).sessions;
  assert.ok(found !== undefined && (await openPlaces(database, found)) !== undefined);
  const count = (): unknown => database.prepare('SELECT count(*) AS count FROM places').get()?.count;
  assert.equal(count(), 1);
  rmSync(path.join(root, 'projects/p/s.jsonl'));
  update(database, root);
  assert.equal(count(), 0);
});
