// The address of a search becomes a valid question, whatever the address contains; snippets are cleaned for reading.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSearchAddress, searchQuery } from '../../../src/web/app/search/search-address.ts';
import { cleanSnippet } from '../../../src/web/app/search/snippet-text.ts';

test('every filter of the address is part of the question', () => {
  const search =
    '?q=light+house&mode=regex&kind=tool-output&tool=Bash&since=2026-01-02&until=2026-02-03&project=%2Fhome&page=3';
  assert.deepEqual(searchQuery(readSearchAddress(search)), {
    text: 'light house',
    mode: 'regex',
    kind: 'tool-output',
    tool: 'Bash',
    since: '2026-01-02',
    until: '2026-02-03',
    project: '/home',
    offset: 40,
    limit: 20,
    perSession: 3,
  });
});

test('unknown values are ignored, and long ones are cut', () => {
  const search = `?q=${'x'.repeat(9000)}&mode=magic&kind=constructor&since=yesterday&until=1&page=-4&tool=+`;
  const { text, ...query } = searchQuery(readSearchAddress(search));
  assert.equal(text.length, 500);
  assert.deepEqual(query, { mode: 'words', offset: 0, limit: 20, perSession: 3 });
});

test('a snippet shows neither the marks of Markdown nor the escapes of JSON', () => {
  const clean = (text: string, kind: 'answer' | 'tool-output'): string =>
    cleanSnippet([{ text, isMatch: false }], kind)
      .map((piece) => piece.text)
      .join('');
  assert.equal(clean('## The **bold** `code`\n- and [a link](https://x.test/y)', 'answer'), 'The bold code and a link');
  assert.equal(clean('{"a":"one\\ntwo \\"three\\""}', 'tool-output'), '{"a":"one two "three""}');
  assert.equal(clean('\u001b[31mred\u001b[0m  text', 'tool-output'), 'red text');
  assert.deepEqual(
    cleanSnippet(
      [
        { text: '**', isMatch: false },
        { text: 'found\nhere', isMatch: true },
      ],
      'answer',
    ),
    [{ text: 'found here', isMatch: true }],
  );
});
