import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentWords, fieldWords } from '../../../src/team/words/index.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';

test('PostgreSQL takes the words of any text', { skip: noPostgres }, (context) => {
  const server = startPostgres(context);
  const read = (words: string, expression: string): string =>
    server.run(`SELECT ${expression} FROM (SELECT $words$${words}$words$::tsvector AS w) t`).trim();
  const long = documentWords(`${'é'.repeat(3000)} ${'x'.repeat(100_000)} end`);
  assert.equal(long.tokens, 3);
  assert.equal(read(long.words, "length(w) || ' ' || (w @@ 'end')"), '3 true');
  assert.equal(read(long.words, `w @@ (repeat('x', 2046) || ' <-> end')::tsquery`), 't');
  const often = documentWords('word '.repeat(30_000));
  assert.equal(often.tokens, 30_000);
  assert.equal(read(often.words, 'array_length((SELECT positions FROM unnest(w)), 1)'), '255');
  const deep = documentWords(`${Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ')} first last`);
  assert.equal(deep.tokens, 20_002);
  assert.equal(read(deep.words, "(w @@ 'w0 <-> w1') || ' ' || (w @@ 'first & last')"), 'true true');
  const huge = Array.from({ length: 300_000 }, (_, i) => `word${i}`).join(' ');
  assert.equal(
    read(documentWords(huge).words, "(w @@ 'word0 & word70000') || ' ' || (w @@ 'word299999')"),
    'true false',
  );
  const fields = fieldWords([huge, 'é'.repeat(3000), '', '', 'last']);
  assert.deepEqual(fields.tokens.slice(1), [1, 0, 0, 1]);
  assert.match(read(fields.words, 'length(w)'), /^\d{5}$/);
});
