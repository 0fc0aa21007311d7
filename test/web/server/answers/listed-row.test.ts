// A session of the index → the row of the page's list: short texts, short names, and links that are safe to open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOfListed } from '../../../../src/web/server/answers/listed-row.ts';
import { listedSession } from '../../../support/listed-session.ts';

test('only an https address without a name or a password becomes a link', () => {
  const links: Readonly<Record<string, string | null>> = {
    'https://example.invalid/pull/1': 'https://example.invalid/pull/1',
    'HTTPS://EXAMPLE.invalid/a b': 'https://example.invalid/a%20b',
    'http://example.invalid/pull/1': null,
    'javascript:alert(1)//https://x': null,
    ' data:text/html,x': null,
    '//example.invalid': null,
    'https://user@example.invalid/': null,
    'https://:word@example.invalid/': null,
    'not an address': null,
  };
  const pullRequests = Object.keys(links).map((url) => ({ url, number: 1, repository: undefined }));
  const row = rowOfListed(listedSession({ pullRequests }), undefined);
  assert.deepEqual(
    row.pullRequests.map(({ url }) => url),
    Object.values(links),
  );
});

test('a row has the short name of the model, and long texts are cut', () => {
  const row = rowOfListed(
    listedSession({ model: 'claude-opus-4-5-20251101', gitBranch: 'x'.repeat(5_000), tag: ' a\n b ' }),
    undefined,
  );
  assert.deepEqual(
    [row.model, row.modelName, row.gitBranch?.length, row.tag],
    ['claude-opus-4-5-20251101', 'Opus 4.5', 300, 'a b'],
  );
});
