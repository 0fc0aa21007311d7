// Whatever happens to the files of a library, the next `ls` lists what is in its folders and the next `find` finds what is in
// its files: random changes, compared with a walk of the folders. CLEW_LONG=1 tries many; CLEW_SEED=N begins at another seed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/library/index/database.ts';
import { updateRows } from '../../../src/library/index/indexer.ts';
import { openIndex } from '../../../src/library/index/schema.ts';
import { listSessions } from '../../../src/library/index/session-list.ts';
import type { ReadSummaries } from '../../../src/library/index/session-summaries.ts';
import { search } from '../../../src/library/search/search.ts';
import { updateText } from '../../../src/library/search/text-indexer.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { contentOf, currentIndex } from '../index-check.ts';
import { ChangingLibrary } from './changing-library.ts';

const firstSeed = Number(process.env.CLEW_SEED ?? '1');
const runs = process.env.CLEW_LONG === '1' ? 600 : 6;
const steps = 25;

test('after any changes the list is what the folders hold, and a search finds what the files say', async (context) => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) await checkSeed(context, seed);
});

async function checkSeed(context: TestContext, seed: number): Promise<void> {
  const root = temporaryFolder(context);
  const folder = temporaryFolder(context);
  const library = new ChangingLibrary(root, seed);
  // Two programs, each with its own connection, take turns.
  const connections = [openIndex({ folder }), openIndex({ folder })];
  try {
    for (let step = 0; step < steps; step++) {
      for (let left = 1 + Math.floor(library.random() * 4); left > 0; left--) library.change();
      const asks = library.random() < 0.5 ? [askList, askSearch] : [askSearch, askList];
      for (const ask of asks) await ask(library, library.pick(connections) as Database, root, seed);
    }
    const [database] = connections as [Database];
    updateText(database, { roots: [root] });
    const fresh = currentIndex(temporaryFolder(context), root);
    assert.deepEqual(contentOf(database), contentOf(fresh), describe(library, seed));
    fresh.close();
  } finally {
    for (const database of connections) database.close();
  }
}

type Ask = (library: ChangingLibrary, database: Database, root: string, seed: number) => Promise<void>;

const askList: Ask = async (library, database, root, seed) => {
  const summaries: ReadSummaries = new Map();
  updateRows(database, { roots: [root], summaries, ...someBatch(library) });
  const { sessions, problems } = listSessions(database, { roots: [root], summaries });
  const listed = sessions.map(({ path, sizeBytes, entries, turns, agents, firstPrompt }) => ({
    path,
    sizeBytes,
    entries,
    turns,
    agents,
    firstPrompt: firstPrompt ?? '',
  }));
  listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  assert.deepEqual({ listed, problems }, { listed: library.walk(), problems: [] }, describe(library, seed));
};

const askSearch: Ask = async (library, database, root, seed) => {
  updateRows(database, { roots: [root], ...someBatch(library) });
  updateText(database, { roots: [root], ...someBatch(library) });
  const found: string[] = [];
  for (const text of library.words) {
    const { sessions } = await search(database, { text, mode: 'words', limit: 100, roots: [root] });
    const files = sessions.flatMap(({ hits }) => hits.map((hit) => hit.path)).sort();
    found.push(...files.map((file) => `${text} ${file}`));
  }
  assert.deepEqual(found, library.findWords(), describe(library, seed));
};

/** Sometimes so small that a file is read in several transactions. */
function someBatch(library: ChangingLibrary): { readonly batchBytes?: number } {
  return library.random() < 0.7 ? {} : { batchBytes: 500 };
}

function describe({ done }: ChangingLibrary, seed: number): string {
  return `CLEW_SEED=${seed}\n${done.join('\n')}`;
}
