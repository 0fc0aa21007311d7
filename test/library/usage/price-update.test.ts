// A table of prices from the network: what is asked for, what is refused, and that nothing is written then.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { UserError } from '../../../src/base/errors/errors.ts';
import { updatePrices } from '../../../src/library/usage/prices.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const table = JSON.stringify({
  version: '9000-01-01',
  models: [{ id: 'claude-zeta-9', prices: [{ input: 1, output: 2 }] }],
});

interface Place {
  readonly url: string;
  readonly kept: string;
  readonly asked: readonly IncomingMessage[];
  update(source: string, timeoutMs?: number): Promise<string>;
}

/** What `update` answers is the new version, or the message it failed with and its exit code. */
async function place(context: TestContext, answer: RequestListener): Promise<Place> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = temporaryFolder(context);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kept: path.join(folder, 'prices.json'),
    asked,
    update: async (source, timeoutMs = 10_000) => {
      try {
        return (await updatePrices(source, { env: { CLEW_HOME: folder }, cwd: folder, timeoutMs })).version;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return `${error.exitCode} ${error.message}`;
      }
    },
  };
}

test('a table is taken from an address, also after a redirect, and nothing is sent but the request', async (context) => {
  const { url, kept, asked, update } = await place(context, (request, response) => {
    if (request.url === '/old') response.writeHead(302, { location: '/new?x=1' }).end();
    else response.end(table);
  });
  assert.equal(await update(`${url}/old`), '9000-01-01');
  assert.equal(readFileSync(kept, 'utf8'), table);
  assert.deepEqual(
    asked.map(({ method, url: to }) => [method, to]),
    [
      ['GET', '/old'],
      ['GET', '/new?x=1'],
    ],
  );
  for (const { headers } of asked) {
    assert.equal(headers.accept, 'application/json');
    assert.match(headers['user-agent'] ?? '', /^clew\/[\d.]+$/);
    assert.equal(headers.cookie ?? headers.authorization ?? headers.referer, undefined);
  }
});

test('an answer that is an error, too large, endless or elsewhere is refused, and nothing is written', async (context) => {
  const next = 'nothing was changed: try again, or download the table and name the file';
  const { url, kept, update } = await place(context, (request, response) => {
    if (request.url === '/404') response.writeHead(404).end(table);
    else if (request.url === '/large') response.end(`${table}${' '.repeat(4 * 1024 * 1024)}`);
    else if (request.url === '/loop') response.writeHead(301, { location: '/loop' }).end();
    else if (request.url === '/away') response.writeHead(301, { location: 'http://example.com/p.json' }).end();
    else if (request.url === '/html') response.end('<!doctype html>');
    else response.write('{'); // and never ends
  });
  const host = new URL(url).host;
  assert.equal(await update(`${url}/404`), `1 ${host} answered 404; ${next}`);
  assert.equal(await update(`${url}/large`), `1 the answer of ${host} is larger than 4.0 MB; ${next}`);
  assert.equal(await update(`${url}/loop`), `1 ${url}/loop redirects more than 3 times; ${next}`);
  assert.equal(
    await update(`${url}/away`),
    '2 http://example.com/p.json is not an https address; name a file, or an address that begins with https://',
  );
  assert.equal(
    await update(`${url}/html`),
    `2 ${url}/html is not a table of prices: it is not JSON; nothing was changed: docs/prices.md shows how a table is written`,
  );
  assert.equal(await update(`${url}/silence`, 50), `1 ${url}/silence gave no answer within 0.05 s; ${next}`);
  assert.ok(!existsSync(kept));
});

test('a server that is not there is an error of one line', async (context) => {
  const { update } = await place(context, (_, response) => response.end());
  assert.match(
    await update('http://127.0.0.1:1/p.json'),
    /^1 http:\/\/127\.0\.0\.1:1\/p\.json cannot be reached \(.*\); nothing/,
  );
});
