// The page's client: keys stay one path segment, parameters reach the server, and a refusal becomes a `ServerFailure`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyParam, makeClient, readJson } from '../../../src/web/client/client.ts';
import type { SessionsQuery } from '../../../src/web/wire/wire.ts';
import { transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';

const id = '0a1b2c3d-0000-4000-8000-000000000001';

test('a key from the address bar cannot reach another route', async (context) => {
  const { client } = await openWebServer(context, { [`-p/${id}.jsonl`]: transcript().user('hello').text() });
  const head = (key: string) => readJson(client.sessions[':key'].$get({ param: keyParam(key) }));
  assert.equal((await head(id)).key, id);
  await assert.rejects(head('../status'), { name: 'ServerFailure', status: 400, message: 'the address is malformed' });
  // Unencoded, this would be the session with a query that is refused.
  await assert.rejects(head(`${id}?branch=0`), {
    status: 404,
    message: 'unknown session',
    next: 'go back to the list',
  });
});

test('numbers and flags of a query reach the server', async (context) => {
  const sizes = [
    ['small', 1],
    ['medium', 1_000],
    ['large', 2_000],
  ] as const;
  const files = sizes.map(([name, chars]) => [`-p/${name}.jsonl`, transcript().user('x'.repeat(chars)).text()]);
  const { client } = await openWebServer(context, Object.fromEntries(files));
  const list = async (query: SessionsQuery): Promise<readonly string[]> => {
    const { rows } = await readJson(client.sessions.$get({ query: { sort: 'size', ...query } }));
    return rows.map((row) => row.id);
  };
  assert.deepEqual(
    [await list({ reverse: false }), await list({ reverse: true }), await list({ offset: 1, limit: 1 })],
    [['large', 'medium', 'small'], ['small', 'medium', 'large'], ['medium']],
  );
});

test('a refused token is reported once for each request', async (context) => {
  const { base } = await openWebServer(context, {});
  let refused = 0;
  const client = makeClient({
    base,
    token: 'of-an-earlier-start',
    onTokenRefused: () => {
      refused++;
    },
  });
  await assert.rejects(readJson(client.status.$get()), { name: 'ServerFailure', status: 401 });
  assert.equal(refused, 1);
});
