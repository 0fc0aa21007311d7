// The index of exchanges: what belongs to one, what an append changes, and what a question finds in it.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { errorLines } from '../../../src/library/exchanges/error-lines.ts';
import { parseQuestion } from '../../../src/library/exchanges/question.ts';
import { findExchanges, recall } from '../../../src/library/exchanges/recall.ts';
import { searchable } from '../../../src/library/exchanges/searchable.ts';
import type { Database } from '../../../src/library/index/index.ts';
import { updateRows } from '../../../src/library/index/indexer.ts';
import { openIndexInMemory } from '../../../src/library/index/schema.ts';
import { updateText } from '../../../src/library/search/text-indexer.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const lighthouse = sessionText([
  user('Why does the lantern flicker at night?'),
  assistant([toolUse('t1', 'Bash', { command: 'npm run trimWick' })]),
  user([toolResult('t1', 'error TS2345: the wick is wet')]),
  assistant('I dried the wick in src/lampKeeper.ts.'),
  user('Now paint the door red, please'),
  assistant('The door is red.'),
]);

function updated(database: Database, root: string): void {
  updateRows(database, { roots: [root] });
  updateText(database, { roots: [root] });
}

function makeLibrary(context: Parameters<typeof temporaryFolder>[0], text: string) {
  const root = temporaryFolder(context);
  mkdirSync(path.join(root, 'projects/p'), { recursive: true });
  const file = path.join(root, 'projects/p/house.jsonl');
  writeFileSync(file, text);
  const database = openIndexInMemory();
  context.after(() => database.close());
  updated(database, root);
  const lines = (question: string) =>
    findExchanges(database, { text: question, limit: 10 }).found.map(({ line }) => line);
  return { root, file, database, lines };
}

test('a question finds the exchange by prompt, answer, command, error code, part of a name and another form of a word', (context) => {
  const { lines } = makeLibrary(context, lighthouse);
  for (const question of ['flickering lanterns', 'who dried it', 'trim wick', 'TS2345', '2345', 'keeper', 'lampKeeper'])
    assert.equal(lines(question)[0], 1, question);
  assert.equal(lines('which colour has the door')[0], 5);
  assert.deepEqual(lines('zebra'), []);
});

test('a session of which only the title has the word is found by its first exchange', (context) => {
  const title = JSON.stringify({ type: 'custom-title', customTitle: 'The regatta', sessionId: 'house' });
  const { database, lines } = makeLibrary(context, `${lighthouse}${title}\n`);
  assert.deepEqual(lines('regatta'), [1]);
  assert.deepEqual(lines('regatta door').toSorted(), [5], 'the exchanges that were found have the title already');
  assert.deepEqual(findExchanges(database, { text: 'regatta', role: 'user', limit: 10 }).found, []);
  assert.deepEqual(findExchanges(database, { text: 'regatta', since: Date.now(), limit: 10 }).found, []);
});

test('a synonym is found after the word itself, and an exclusion drops the exchange', (context) => {
  const text = sessionText([
    user('delete the old boat'),
    assistant('gone'),
    user('remove the old anchor'),
    assistant('gone too'),
  ]);
  const { lines } = makeLibrary(context, text);
  assert.deepEqual(lines('remove'), [3, 1]);
  assert.deepEqual(lines('old -anchor'), [1]);
});

test('what is appended belongs to the last exchange, and the index is the same as one made at once', (context) => {
  const all = lighthouse.trimEnd().split('\n');
  const { root, file, database, lines } = makeLibrary(context, `${all.slice(0, 2).join('\n')}\n`);
  assert.deepEqual(lines('wet wick'), [1]);
  for (const line of all.slice(2)) {
    appendFileSync(file, `${line}\n`);
    updated(database, root);
  }
  assert.deepEqual(lines('dried'), [1]);
  const rows = (of: Database) => [
    of
      .prepare('SELECT line, offset, first_line, end_offset, time FROM exchanges ORDER BY line, offset')
      .all()
      .map((row) => [row.line, row.offset, row.first_line, row.end_offset, row.time]),
    of.prepare("SELECT count(*) AS count FROM exchange_text WHERE exchange_text MATCH 'wick OR door OR red'").get()
      ?.count,
  ];
  const fresh = openIndexInMemory();
  updated(fresh, root);
  assert.deepEqual(rows(database), rows(fresh));
  fresh.close();
});

test('a file that was replaced leaves nothing behind', (context) => {
  const { root, file, database, lines } = makeLibrary(context, lighthouse);
  writeFileSync(file, sessionText([user('a heron at the pond'), assistant('It caught a fish.')]));
  updated(database, root);
  assert.deepEqual(lines('lantern'), []);
  assert.deepEqual(lines('heron'), [1]);
});

test('a hit has its turn, prompt, snippets, files and tools; filters leave the others out', async (context) => {
  const { database } = makeLibrary(context, lighthouse);
  const { hits, terms } = await recall(database, { text: 'wet wick', limit: 5 });
  const [hit] = hits;
  assert.ok(hit !== undefined);
  assert.deepEqual([hits.length, terms, hit.turn, hit.line, hit.matched], [1, 2, 1, 1, 2]);
  assert.deepEqual(hit.tools, ['Bash']);
  const text = (pieces: readonly { text: string }[] | undefined) => pieces?.map((piece) => piece.text).join('');
  assert.equal(text(hit.snippets.prompt), 'Why does the lantern flicker at night?');
  assert.equal(text(hit.snippets.error), 'error TS2345: the wick is wet');
  const count = async (filter: object) =>
    (await recall(database, { text: 'red door', limit: 5, ...filter })).hits.length;
  assert.equal(await count({}), 1);
  assert.equal(await count({ excludeSessions: ['house'] }), 0);
  assert.equal(await count({ projects: ['/nowhere'] }), 0);
  assert.equal(await count({ tool: 'Bash' }), 0);
  assert.equal(await count({ since: Date.parse('2030-01-01') }), 0);
  assert.equal(await count({ role: 'user' }), 1);
});

test('words of a question: no grammar, parts of names, pairs of CJK characters, flags are words', () => {
  const words = (text: string) => parseQuestion(text).terms.map((term) => term.words.join(' '));
  assert.deepEqual(words('do you remember how we fixed the lamp?'), ['fixed', 'lamp']);
  assert.deepEqual(words('where is getUserById'), ['getuserbyid', 'user', 'id']);
  assert.deepEqual(words('霧の日'), ['霧 の', 'の 日']);
  assert.deepEqual(words('claude -p --verbose'), ['claude', 'p', 'verbose']);
  assert.deepEqual(words('what was it'), ['what', 'was', 'it']);
});

test('identifiers get their parts once; lines that report an error are kept', () => {
  assert.equal(
    searchable('getUserById and getUserById, TS2345'),
    'getUserById and getUserById, TS2345\nget User By Id\nTS 2345',
  );
  assert.equal(errorLines('ok\nENOENT: no such file, not found\nfine'), 'ENOENT: no such file, not found');
  assert.equal(errorLines('all is well'), '');
});
