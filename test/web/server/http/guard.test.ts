// The guard refuses dangerous requests before any route, and accepts what a browser really sends.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { keyParam, readJson } from '../../../../src/web/client/client.ts';
import { judgeRequest } from '../../../../src/web/server/http/guard.ts';
import { sessionId, transcript } from '../../../support/transcript-builder.ts';
import { openWebServer, type RawRequest } from '../../../support/web-server.ts';

const door = { port: 4000, token: 'secret-token' };
const good = { host: '127.0.0.1:4000', 'x-clew-token': 'secret-token' };

function statusOf(method: string, url: string, headers: Readonly<Record<string, string>>): number | undefined {
  return judgeRequest({ method, url, headers }, door)?.status;
}

test('requests of the page pass, for both names of the machine', () => {
  const page = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
  assert.equal(statusOf('GET', '/api/status', { ...good, ...page }), undefined);
  assert.equal(
    statusOf('GET', '/api/status', { ...good, host: 'localhost:4000', origin: 'http://localhost:4000' }),
    undefined,
  );
  assert.equal(statusOf('HEAD', '/', good), undefined);
});

test('the files of the page need no token', () => {
  for (const url of ['/', '/s/key?line=4', '/usage', '/app-ABCDEFGH.js', '/?token=of-an-old-bookmark'])
    assert.equal(statusOf('GET', url, { host: good.host }), undefined, url);
});

test('data needs the token in its header; cookies, addresses and other headers do not count', () => {
  assert.equal(statusOf('GET', '/api/status', good), undefined);
  for (const headers of [
    {},
    { 'x-clew-token': '' },
    { 'x-clew-token': 'secret-toke' },
    { 'x-clew-token': 'secret-tokenx' },
    { 'x-clew-token': 'secret-tokex' },
    { cookie: 'clew-4000=secret-token; x-clew-token=secret-token' },
    { authorization: 'Bearer secret-token' },
  ])
    assert.equal(statusOf('GET', '/api/status', { host: good.host, ...headers }), 401, JSON.stringify(headers));
  assert.equal(statusOf('GET', '/api/status?token=secret-token', { host: good.host }), 401);
  assert.equal(statusOf('POST', '/?token=secret-token', { host: good.host }), 401);
});

test('other host names are refused', () => {
  for (const host of [
    'evil.example:4000',
    '127.0.0.1',
    '127.0.0.1:4001',
    'localhost',
    '127.0.0.1.evil.example:4000',
    '',
  ])
    assert.equal(statusOf('GET', '/', { ...good, host }), 403, host);
  assert.equal(
    judgeRequest({ method: 'GET', url: '/', headers: { 'x-clew-token': 'secret-token' } }, door)?.status,
    403,
  );
});

test('other origins and cross-site requests are refused', () => {
  for (const origin of ['https://evil.example', 'http://127.0.0.1:4001', 'null', 'https://127.0.0.1:4000'])
    assert.equal(statusOf('GET', '/api/status', { ...good, origin }), 403, origin);
  for (const site of ['cross-site', 'same-site']) {
    assert.equal(statusOf('GET', '/api/status', { ...good, 'sec-fetch-site': site }), 403, site);
    const embedded = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
    assert.equal(statusOf('GET', '/page.js', { ...good, ...embedded }), 403);
    const framed = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
    assert.equal(statusOf('GET', '/', { ...good, ...framed }), 403);
    const opened = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    assert.equal(statusOf('GET', '/', { ...good, ...opened }), undefined);
    assert.equal(statusOf('GET', '/api/sessions', { ...good, ...opened }), 403);
  }
});

test('a change needs an origin, the token and JSON', () => {
  const change = {
    ...good,
    origin: 'http://127.0.0.1:4000',
    'content-type': 'application/json; charset=utf-8',
  };
  assert.equal(statusOf('POST', '/api/doctor', change), undefined);
  assert.equal(statusOf('POST', '/api/doctor', { ...change, origin: 'http://evil.example' }), 403);
  assert.equal(statusOf('POST', '/api/doctor', { ...change, 'content-type': 'text/plain' }), 415);
  const { origin: _, ...nowhere } = change;
  assert.equal(statusOf('POST', '/api/doctor', nowhere), 403);
  const { 'x-clew-token': __, ...bare } = change;
  assert.equal(statusOf('POST', '/api/doctor', bare), 401);
});

test('other methods, `..`, encoded separators and malformed addresses are refused', () => {
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH'])
    assert.equal(statusOf(method, '/api/status', good), 405, method);
  const paths = ['/../etc/passwd', '/s/..', '/%2e%2e/x', '/a/%2E%2E/b', '/s/a%2fb', '/s/a%5cb', '/s/a\\b', '/a//b'];
  for (const url of [
    ...paths,
    '//evil.example/',
    '/s/%00',
    '/%zz',
    '/?text=%',
    'x',
    'http://evil.example/',
    '*',
    '',
    '/a\tpi/status',
    '/s/é',
  ])
    assert.equal(statusOf('GET', url, good), 400, url);
});

test('addresses and bodies that are too long are refused', () => {
  assert.equal(statusOf('GET', `/?text=${'x'.repeat(9_000)}`, good), 414);
  assert.equal(statusOf('POST', '/api/doctor', { ...good, 'content-length': '1000000' }), 413);
  assert.equal(statusOf('GET', '/', { ...good, 'content-length': '5' }), 400);
  assert.equal(statusOf('GET', '/', { ...good, 'transfer-encoding': 'chunked' }), 400);
});

test('over the network', async (context) => {
  const server = await openWebServer(context, {
    [`-home-dev/${sessionId}.jsonl`]: transcript().user('hello').assistant('hi').text(),
  });
  const refused = async (raw: RawRequest): Promise<number> => (await server.send(raw)).status;

  await context.test(
    'no answer sets a cookie, and the printed address has its token where no browser sends it',
    async () => {
      const { pathname, search, hash } = new URL(server.url);
      assert.deepEqual([pathname, search], ['/', '']);
      assert.match(hash, /^#token=[\w-]{32}$/);
      for (const path of ['/', '/s/x', '/api/status', '/api/none', `/?token=${server.token}`]) {
        for (const knowsToken of [true, false])
          assert.equal((await server.send({ path, knowsToken })).headers['set-cookie'], undefined, path);
      }
    },
  );

  await context.test('another spelling of a data address is not a data address', async () => {
    for (const path of ['/%61pi/status', '/a%70i/sessions', '/api%2fstatus', '/API/status', '/api', '/./api/status'])
      assert.ok([400, 404].includes((await server.send({ path, knowsToken: false })).status), path);
  });

  await context.test('an address opened in a tab without the token shows a page that says what to do', async () => {
    const tab = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
    for (const [path, status, what] of [
      ['/', 200, /Open the printed address, or run <code id="no-token-command">clew open<\/code>/],
      [`/s/${sessionId}?turn=2`, 200, /Open the printed address/],
      [
        `/api/sessions/${sessionId}`,
        401,
        /What to do: open the address that clew open printed, or run clew open again\./,
      ],
      ['/nothing/here', 404, /Open the printed address/],
      ['/missing.js', 404, /Not found/],
      ['/%zz', 400, /The address is malformed/],
    ] as const) {
      const answer = await server.send({ path, knowsToken: false, headers: tab });
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8', path);
      assert.match(answer.body, /^<!doctype html>/, path);
      assert.match(answer.body, what, path);
      assert.doesNotMatch(answer.body, /hello|"error"/, path);
    }
  });

  await context.test('only addresses of data are answered with JSON, whatever the client accepts', async () => {
    for (const accept of ['*/*', 'application/json'])
      for (const [path, type] of [
        ['/nothing/here', 'text/html; charset=utf-8'],
        ['/sessions', 'text/html; charset=utf-8'],
        ['/%zz', 'text/html; charset=utf-8'],
        ['/api/nothing', 'application/json'],
      ] as const) {
        const { status, headers } = await server.send({ path, headers: { accept } });
        assert.deepEqual([path, status >= 400, headers['content-type']], [path, true, type]);
      }
  });

  await context.test('every response has a policy that allows only the files of the page', async () => {
    for (const path of ['/api/status', '/api/none', '/', '/api/sessions/none', `/api/sessions/${sessionId}`]) {
      const { headers } = await server.send({ path });
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; script-src 'self'; style-src 'self'; /,
        path,
      );
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
  });

  await context.test(
    'a missing token, a wrong host and another origin are refused on every kind of address',
    async () => {
      for (const path of ['/', '/api/status', '/api/events', '/page.js', `/api/sessions/${sessionId}`]) {
        if (path.startsWith('/api/')) assert.equal(await refused({ path, knowsToken: false }), 401, path);
        assert.equal(await refused({ path, headers: { host: 'evil.example' } }), 403, path);
        assert.equal(await refused({ path, headers: { origin: 'https://evil.example' } }), 403, path);
      }
    },
  );

  await context.test('no spelling of `..` reaches a file of the machine', async () => {
    const spellings = ['/../../etc/passwd', '/..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/page/../../x'];
    for (const path of [...spellings, '/etc/passwd', '/package.json', '/clew.js', '/api/sessions/..%2f..%2fetc']) {
      const { status, body } = await server.send({ path });
      assert.ok([400, 404].includes(status), `${path}: ${status}`);
      assert.doesNotMatch(body, /root:|"name": "clew"/);
    }
  });

  await context.test('oversized headers, addresses and bodies are refused, and the server keeps running', async () => {
    assert.equal(await refused({ path: `/?q=${'x'.repeat(10_000)}` }), 414);
    assert.equal(await refused({ path: '/', headers: { junk: 'x'.repeat(20_000) } }), 431);
    const headers = { origin: server.base, 'content-type': 'application/json' };
    const body = Buffer.alloc(200_000, 0x20);
    assert.equal(
      await refused({ path: '/api/doctor', method: 'POST', headers: { ...headers, 'content-length': '200000' }, body }),
      413,
    );
    const chunked = { path: `/api/sessions/${sessionId}/fix`, method: 'POST', body };
    assert.equal(await refused({ ...chunked, headers: { ...headers, 'transfer-encoding': 'chunked' } }), 413);
    assert.equal((await readJson(server.client.sessions.$get())).total, 1);
  });

  await context.test('bytes that are not a request get a short answer and a closed connection', async () => {
    for (const text of ['\0\0\0\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'hello\r\n\r\n', 'GET /\r\nHost x\r\n\r\n']) {
      const answer = await new Promise<string>((resolve, reject) => {
        let got = '';
        const socket = connect(server.server.port, '127.0.0.1', () => socket.write(text));
        socket.on('data', (chunk) => {
          got += chunk;
        });
        socket.on('close', () => resolve(got));
        socket.on('error', reject);
      });
      assert.match(answer, /^HTTP\/1\.1 (400|505) /);
    }
    assert.equal((await readJson(server.client.status.$get())).version.length > 0, true);
  });

  await context.test('unknown parameters and invalid values are refused by name', async () => {
    const { body, status } = await server.send({ path: '/api/sessions?limit=0' });
    assert.equal(status, 400);
    assert.match(body, /limit/);
    for (const path of [
      '/api/sessions?limit=99999',
      '/api/sessions?sort=x',
      '/api/sessions?foo=1',
      '/api/search',
      '/api/search?text=',
    ])
      assert.equal(await refused({ path }), 400, path);
    for (const rest of [
      '/lines/0',
      '/lines/x',
      '/turns?from=-1',
      '/text?record=0',
      '/text?record=1e99&pointer=',
      '?branch=0',
    ])
      assert.equal(await refused({ path: `/api/sessions/${sessionId}${rest}` }), 400, rest);
    assert.equal(await refused({ path: '/api/sessions/unknown' }), 404);
    assert.equal(await refused({ path: '/api/search?text=(&mode=regex' }), 400);
    assert.deepEqual(server.faults, []);
  });

  await context.test('a read-only server refuses every change', async () => {
    await assert.rejects(readJson(server.client.sessions[':key'].fix.$post({ param: keyParam(sessionId), json: {} })), {
      status: 403,
      message: 'this server is read-only',
    });
    await assert.rejects(readJson(server.client.operations[':id'].undo.$post({ param: { id: 'x' }, json: {} })), {
      status: 403,
    });
  });
});
