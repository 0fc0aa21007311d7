// Which proxy a URL goes through. The rows were measured with Claude Code 2.1.325 and a proxy on loopback.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyFor, proxyName, readProxy } from '../../../src/base/network/proxy.ts';

const api = 'http://api.example.test:8080/v1/messages';

const exceptions: readonly (readonly [list: string, url: string, isProxied: boolean])[] = [
  ['127.0.0.1', 'http://127.0.0.1:4000/', false],
  ['*', 'http://127.0.0.1:4000/', false],
  ['127.0.0.1:4000', 'http://127.0.0.1:4000/', false],
  ['127.0.0.1:1', 'http://127.0.0.1:4000/', true],
  ['127.0.0.0/8', 'http://127.0.0.1:4000/', false],
  ['127.*', 'http://127.0.0.1:4000/', true],
  [' 127.0.0.1 x', 'http://127.0.0.1:4000/', false],
  ['x,127.0.0.1', 'http://127.0.0.1:4000/', false],
  ['example.test', api, false],
  ['.example.test', api, false],
  ['*.example.test', api, false],
  ['api.example.test', api, false],
  ['API.example.test', api, false],
  ['ample.test', api, true],
  ['api.example.test:8080', api, false],
  ['api.example.test:80', api, true],
  ['.api.example.test', api, false],
  // Not measured: IPv6, default ports, a dot at the end, entries that mean nothing.
  ['::1', 'http://[::1]:4000/', false],
  ['[::1]:4000', 'http://[::1]:4000/', false],
  ['[::1]:1', 'http://[::1]:4000/', true],
  ['fd00::/8', 'https://[fd12::5]/', false],
  ['fd00::/8', 'https://[2a00::5]/', true],
  ['example.com:443', 'https://example.com/', false],
  ['example.com:80', 'https://example.com/', true],
  ['example.com', 'https://example.com./', false],
  ['10.0.0.0/33, 10.0.0.0/x, /, :, .', 'http://10.0.0.1/', true],
  ['10.0.0.0/8', 'https://ten.example.com/', true],
  ['', api, true],
];

for (const [list, url, isProxied] of exceptions) {
  test(`NO_PROXY="${list}": ${url} is requested ${isProxied ? 'through the proxy' : 'directly'}`, () => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:3128', NO_PROXY: list };
    assert.equal(proxyFor(new URL(url), env) !== undefined, isProxied);
  });
}

const order: readonly (readonly [variables: Readonly<Record<string, string>>, used: string | undefined])[] = [
  [{ HTTP_PROXY: 'http://upper', http_proxy: 'http://lower' }, 'http://lower'],
  [{ HTTPS_PROXY: 'http://upper', https_proxy: 'http://lower' }, 'http://lower'],
  [{ HTTPS_PROXY: 'http://https', HTTP_PROXY: 'http://http' }, 'http://https'],
  [{ HTTPS_PROXY: '', HTTP_PROXY: 'http://http' }, 'http://http'],
  [{ ALL_PROXY: 'http://all' }, 'http://all'],
  [{ HTTPS_PROXY: 'https://secure:8443' }, 'https://secure:8443'],
  [{}, undefined],
];

test('the variables have an order, and apply to addresses of both schemes', () => {
  for (const url of ['http://a.test/', 'https://a.test/']) {
    for (const [env, used] of order) {
      const proxy = proxyFor(new URL(url), env);
      assert.equal(proxy && proxyName(proxy), used, JSON.stringify(env));
    }
  }
  const env = { HTTP_PROXY: 'http://p', NO_PROXY: 'a.test', no_proxy: 'b.test' };
  assert.ok(proxyFor(new URL('http://a.test/'), env), 'the lower case list wins');
  assert.equal(proxyFor(new URL('http://b.test/'), env), undefined);
});

test('the password is sent to the proxy, and does not appear in its name', () => {
  const proxy = readProxy({ HTTPS_PROXY: 'http://us%40er:p%3Aw@proxy.test:3128' });
  assert.ok(proxy);
  assert.equal(proxy.authorization, 'Basic dXNAZXI6cDp3'); // us@er:p:w, as the client sent it
  assert.equal(`${proxyName(proxy)} ${proxy.url.href}`, 'http://proxy.test:3128 http://proxy.test:3128/');
});

test('a value that is not the URL of an HTTP proxy is an error that does not show it', () => {
  for (const value of [
    '127.0.0.1:3128',
    'us:secret@host',
    'socks5://us:secret@host:1080',
    'http://',
    'http://us:%zz@h',
  ]) {
    assert.throws(
      () => readProxy({ HTTPS_PROXY: value }),
      (error: Error) => /HTTPS_PROXY /.test(error.message) && !/secret|3128|%zz/.test(error.message),
      value,
    );
  }
});
