// WebFetch through a proxy: the rules about private addresses are the same, because the proxy gets an address that was
// checked here.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type FakeProxy, startFakeProxy } from '../../support/fake-proxy.ts';
import { makeBench } from './tool-kit.ts';

/** For documentation (RFC 5737): no server has it, so a mistake reaches nobody. */
const publicAddress = '203.0.113.7';

/** Every name resolves to one address, as a hostile server may answer a name with an address of this network. */
function resolveTo(t: TestContext, address: string | undefined): void {
  const { lookup } = dns;
  const answer = (_name: string, _options: unknown, done: (error: Error | null, all?: unknown) => void): void => {
    if (address === undefined) done(new Error('getaddrinfo ENOTFOUND'));
    else done(null, [{ address, family: 4 }]);
  };
  dns.lookup = answer as unknown as typeof dns.lookup; // the form that the fetch uses
  syncBuiltinESMExports();
  t.after(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });
}

async function startSite(t: TestContext): Promise<number> {
  const server = http.createServer((request, response) => {
    if (request.url === '/in') response.writeHead(302, { location: 'http://site.test/moved' }).end();
    else
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`page ${request.url} of ${request.headers.host}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function fetchThrough(
  t: TestContext,
  proxy: FakeProxy,
  url: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const bench = makeBench(t);
  const workspace = { ...bench.workspace, env: { HTTPS_PROXY: proxy.url, ...env } };
  let page = '';
  const outcome = await bench.call(
    'WebFetch',
    { url, prompt: 'What?' },
    {
      workspace,
      askModel: async ({ prompt }) => {
        page = prompt;
        return { blocks: [{ type: 'text', text: 'answered' }] };
      },
    },
  );
  return page === '' ? String(outcome.content) : page;
}

test('a page is read through a tunnel to the address that was checked', async (t) => {
  const proxy = await startFakeProxy(t, { tunnelPort: await startSite(t) });
  resolveTo(t, publicAddress);
  assert.match(await fetchThrough(t, proxy, 'http://site.test/in'), /page \/moved of site\.test/);
  assert.deepEqual(proxy.asked, [`CONNECT ${publicAddress}:80`, `CONNECT ${publicAddress}:80`]);
});

for (const url of [
  'http://site.test/',
  'http://127.0.0.1/',
  'http://[::1]/',
  'http://localhost/',
  'https://10.0.0.1/',
]) {
  test(`a private address is refused before the proxy is asked: ${url}`, async (t) => {
    const proxy = await startFakeProxy(t, { tunnelPort: await startSite(t) });
    resolveTo(t, '192.168.0.1');
    assert.match(await fetchThrough(t, proxy, url), /address of this machine or its own network/);
    assert.deepEqual(proxy.asked, []);
  });
}

test('with CLAUDE_CODE_PROXY_RESOLVES_HOSTS the proxy gets the name, but no private address', async (t) => {
  const proxy = await startFakeProxy(t, { tunnelPort: await startSite(t) });
  resolveTo(t, undefined);
  const env = { CLAUDE_CODE_PROXY_RESOLVES_HOSTS: '1' };
  assert.match(await fetchThrough(t, proxy, 'http://site.test/a', env), /page \/a of site\.test/);
  assert.deepEqual(proxy.asked, ['CONNECT site.test:80']);
  for (const url of ['http://127.0.0.1/', 'http://localhost./', 'http://a.localhost/', 'http://169.254.169.254/'])
    assert.match(await fetchThrough(t, proxy, url, env), /address of this machine or its own network/);
  assert.equal(proxy.asked.length, 1);
  assert.match(
    await fetchThrough(t, proxy, 'http://site.test/'),
    /getaddrinfo ENOTFOUND; if the proxy must get the name .* set CLAUDE_CODE_PROXY_RESOLVES_HOSTS=1/,
  );
});

test('an exception of the proxy is read directly, and not from a private address', async (t) => {
  const proxy = await startFakeProxy(t);
  resolveTo(t, '127.0.0.1');
  const text = await fetchThrough(t, proxy, 'http://site.test/', { NO_PROXY: 'site.test' });
  assert.match(text, /address of this machine or its own network/);
  assert.deepEqual(proxy.asked, []);
});

test('a proxy that refuses is named without its password', async (t) => {
  const proxy = await startFakeProxy(t, { refuses: 403 });
  resolveTo(t, publicAddress);
  const HTTPS_PROXY = proxy.url.replace('//', '//us:secret@');
  const text = await fetchThrough(t, proxy, 'http://site.test/', { HTTPS_PROXY });
  assert.match(
    text,
    /^site\.test could not be reached: through the proxy http:\/\/127\.0\.0\.1:\d+ of HTTPS_PROXY: it answered 403; if the proxy must get/,
  );
  assert.doesNotMatch(text, /secret/);
});
