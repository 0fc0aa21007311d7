// `fetch` through a fake proxy on loopback: what the proxy is asked for, and each way it can fail.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { makeFetch } from '../../../src/base/network/fetch.ts';
import { openTunnel, readProxy } from '../../../src/base/network/index.ts';
import { type FakeProxyOptions, startFakeProxy } from '../../support/fake-proxy.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

async function startSite(t: TestContext): Promise<string> {
  const server = http.createServer((request, response) => {
    const target = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    if (target === null) response.end(`${request.method} ${request.url} ${request.headers.host}`);
    else response.writeHead(302, { location: target }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a request goes through the proxy with its credentials, and exceptions go directly', async (t) => {
  const [site, proxy] = [await startSite(t), await startFakeProxy(t)];
  const HTTP_PROXY = `http://us:p%40ss@127.0.0.1:${proxy.port}`;
  const text = async (env: NodeJS.ProcessEnv, url: string) => (await makeFetch(env)(url)).text();
  assert.equal(await text({ HTTP_PROXY }, `${site}/a`), `GET /a ${new URL(site).host}`);
  assert.deepEqual(proxy.asked, [`GET ${site}/a`]);
  assert.deepEqual(proxy.credentials, [`Basic ${Buffer.from('us:p@ss').toString('base64')}`]);
  assert.equal(await text({ HTTP_PROXY, NO_PROXY: '127.0.0.1' }, `${site}/b`), `GET /b ${new URL(site).host}`);
  assert.equal(proxy.asked.length, 1);
});

test('a redirect to an exception leaves the proxy', async (t) => {
  const [site, other, proxy] = [await startSite(t), await startSite(t), await startFakeProxy(t)];
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: new URL(other).host };
  const response = await makeFetch(env)(`${site}/?to=${encodeURIComponent(`${other}/end`)}`);
  assert.match(await response.text(), /^GET \/end/);
  assert.equal(proxy.asked.length, 1);
});

const refusals: readonly (readonly [FakeProxyOptions['refuses'] | 'gone', url: string, message: RegExp])[] = [
  [
    407,
    'https://api.test/',
    /through the proxy http:\/\/127\.0\.0\.1:\d+ of HTTPS_PROXY: it answered 407; it needs a user name and a password in HTTPS_PROXY$/,
  ],
  [407, 'http://api.test/', /of HTTPS_PROXY: it answered 407; it needs/],
  [403, 'https://api.test/', /of HTTPS_PROXY: it answered 403$/],
  ['close', 'https://api.test/', /of HTTPS_PROXY: the connection was closed$/],
  ['close', 'http://api.test/', /of HTTPS_PROXY: the connection was closed$/],
  ['gone', 'https://api.test/', /of HTTPS_PROXY: ECONNREFUSED$/],
];

for (const [refuses, url, message] of refusals) {
  test(`a proxy that ${refuses === 'gone' ? 'is not there' : `does ${refuses}`} is named without its password: ${url}`, async (t) => {
    const proxy = await startFakeProxy(t, refuses === 'gone' || refuses === undefined ? {} : { refuses });
    const port = refuses === 'gone' ? 1 : proxy.port;
    const env = { HTTPS_PROXY: `http://us:secret@127.0.0.1:${port}` };
    const fails = (error: Error): boolean => {
      assert.match(error.message, message);
      assert.doesNotMatch(`${error.message} ${error.stack}`, /secret/);
      return true;
    };
    await assert.rejects(makeFetch(env)(url), fails);
    const [server, signal] = [readProxy(env), new AbortController().signal];
    assert.ok(server);
    await assert.rejects(openTunnel(server, { host: 'api.test', port: 443 }, env, signal), fails);
  });
}

test('an https URL is requested through a tunnel to its name', async (t) => {
  const proxy = await startFakeProxy(t, { refuses: 403 });
  await assert.rejects(makeFetch({ HTTP_PROXY: proxy.url })('https://api.test/'));
  assert.deepEqual(proxy.asked, ['CONNECT api.test:443']);
});

test('without a proxy and certificates nothing is loaded; an abort is an abort', async (t) => {
  const site = await startSite(t);
  let asked = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    asked++;
    return new Response('plain');
  });
  assert.equal(await (await makeFetch({ PATH: '/bin' })(site)).text(), 'plain');
  assert.equal(asked, 1);
  const proxy = await startFakeProxy(t);
  const stopped = makeFetch({ HTTP_PROXY: proxy.url })(site, { signal: AbortSignal.abort() });
  await assert.rejects(stopped, { name: 'AbortError' });
});

test('a certificate that cannot be read is an error that names its variable', (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'cert.pem': 'x' });
  for (const variable of ['CLAUDE_CODE_CLIENT_CERT', 'CLAUDE_CODE_CLIENT_KEY', 'NODE_EXTRA_CA_CERTS']) {
    const file = `${folder}/missing.pem`;
    assert.throws(() => makeFetch({ [variable]: file }), {
      message: `cannot read ${file} of ${variable} (ENOENT); correct the path, or unset the variable`,
    });
  }
  makeFetch({ CLAUDE_CODE_CLIENT_CERT: `${folder}/cert.pem` });
});
