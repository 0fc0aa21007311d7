import assert from 'node:assert/strict';
import dns from 'node:dns';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isPrivateAddress } from '../../../src/agent/access/address.ts';
import type { SideRequest } from '../../../src/agent/contract/tool.ts';
import { limits } from '../../../src/agent/tools/shared/limits.ts';
import { makeBench, storedOf, type ToolBench } from './tool-kit.ts';

interface Site {
  readonly origin: string;
  readonly hits: string[];
}

async function startSite(context: TestContext, answer: http.RequestListener): Promise<Site> {
  const hits: string[] = [];
  const server = http.createServer((request, response) => {
    hits.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits };
}

/** A model that repeats its prompt. */
function echoing(): {
  readonly asked: SideRequest[];
  askModel(request: SideRequest): Promise<{ blocks: { type: string; text: string }[] }>;
} {
  const asked: SideRequest[] = [];
  return {
    asked,
    askModel: async (request) => {
      asked.push(request);
      return { blocks: [{ type: 'text', text: 'the answer' }] };
    },
  };
}

function openBench(context: TestContext, nowMs?: () => number): ToolBench {
  return makeBench(context, {}, { web: { allowPrivate: true, ...(nowMs === undefined ? {} : { nowMs }) } });
}

test('WebFetch asks a small model about the page and stores what Claude Code stores', async (t) => {
  const html =
    '<html><head><title>T</title><script>bad()</script></head><body><h1>Hi &amp; bye</h1><p>One <a href="/x">link</a>.</p></body></html>';
  const site = await startSite(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
  );
  const bench = openBench(t);
  const model = echoing();
  const url = `${site.origin}/page#part`;
  const outcome = await bench.call('WebFetch', { url, prompt: 'What?' }, { askModel: model.askModel });
  const { durationMs, ...stored } = storedOf(outcome);
  assert.equal(typeof durationMs, 'number');
  assert.deepEqual(stored, { bytes: html.length, code: 200, codeText: 'OK', result: 'the answer', url });
  assert.equal(outcome.content, 'the answer');
  assert.deepEqual(
    model.asked.map(({ size, prompt }) => ({ size, prompt })),
    [
      {
        size: 'small',
        prompt: `The page ${site.origin}/page:\n\n<page>\nT\n\n# Hi & bye\n\nOne [link](${site.origin}/x).\n</page>\n\nThe question:\nWhat?`,
      },
    ],
  );
});

test('WebFetch caches a page for a quarter of an hour', async (t) => {
  const site = await startSite(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('text'),
  );
  let now = 0;
  const bench = openBench(t, () => now);
  const { askModel } = echoing();
  for (const at of [0, limits.web.cacheMs - 1, limits.web.cacheMs, limits.web.cacheMs + 1]) {
    now = at;
    await bench.text('WebFetch', { url: `${site.origin}/a`, prompt: 'x' }, { askModel });
  }
  assert.deepEqual(site.hits, ['/a', '/a']);
});

test('WebFetch follows redirects on the host and only reports others', async (t) => {
  const other = await startSite(t, (_, response) => response.end('another server'));
  const site = await startSite(t, (request, response) => {
    if (request.url === '/port') response.writeHead(302, { location: `${other.origin}/there` }).end();
    else if (request.url === '/start') response.writeHead(302, { location: '/end' }).end();
    else if (request.url === '/away') response.writeHead(301, { location: 'http://other.example/there' }).end();
    else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('end');
  });
  const bench = openBench(t);
  const { askModel, asked } = echoing();
  const fetch = (path: string) => ({ url: `${site.origin}${path}`, prompt: 'x' });
  assert.equal(await bench.text('WebFetch', fetch('/start'), { askModel }), 'the answer');
  assert.match(
    await bench.text('WebFetch', fetch('/away'), { askModel }),
    /redirects to another host:\nhttp:\/\/other\.example\/there\n/,
  );
  assert.match(await bench.text('WebFetch', fetch('/port'), { askModel }), /redirects to another host:/);
  assert.deepEqual(other.hits, []);
  assert.match(await bench.refusal('WebFetch', fetch('/loop'), { askModel }), /redirects more than 10 times/);
  assert.equal(asked.length, 1);
});

test('WebFetch refuses addresses of this machine and its network, by number and by name', async (t) => {
  const site = await startSite(t, (_, response) => response.end('secret'));
  const bench = makeBench(t);
  const port = new URL(site.origin).port;
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
  ])
    assert.match(
      await bench.refusal('WebFetch', { url: `http://${host}:${port}/`, prompt: 'x' }),
      /is an address of this machine or its own network/,
      host,
    );
  assert.deepEqual(site.hits, []);
});

/** The first and the last address of each private range, from IANA's registries. */
const privateRanges = `
  0.0.0.0 0.255.255.255, 10.0.0.0 10.255.255.255, 100.64.0.0 100.127.255.255, 127.0.0.0 127.255.255.255
  169.254.0.0 169.254.255.255, 172.16.0.0 172.31.255.255, 192.0.0.0 192.0.0.255, 192.168.0.0 192.168.255.255
  198.18.0.0 198.19.255.255, 224.0.0.0 239.255.255.255, 240.0.0.0 255.255.255.255
  :: ::1, fc00:: fdff:ffff::1, fe80:: febf:ffff::1, ff00:: ff02::1
  ::ffff:10.0.0.1 ::ffff:7f00:1, 64:ff9b:: 64:ff9b::7f00:1, 64:ff9b:1:: 64:ff9b:1:ffff::1
  2002:: 2002:7f00:1::, 2001:: 2001:0:ffff::1`;

/** Their neighbours, and some public addresses. */
const publicAddresses = `
  1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  223.255.255.255 8.8.8.8 2606:4700::1111 2001:1:: 2001:db8::1 2003:: fbff::1 ::ffff:8.8.8.8`;

test('private and public addresses are distinguished up to the edges of every range', () => {
  const hidden = privateRanges.split(/[\s,]+/).filter(Boolean);
  const open = publicAddresses.split(/\s+/).filter(Boolean);
  assert.deepEqual([hidden.length, open.length], [40, 25]);
  assert.deepEqual([...hidden, ...open].filter(isPrivateAddress), hidden);
});

test('WebFetch refuses a name if one of its addresses is private', async (t) => {
  const site = await startSite(t, (_, response) => response.end('secret'));
  const { lookup } = dns;
  const answer = (_: string, __: unknown, done: (error: null, addresses: dns.LookupAddress[]) => void): void =>
    done(null, [
      { address: '192.0.2.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  dns.lookup = answer as unknown as typeof dns.lookup; // the form that the fetch uses
  syncBuiltinESMExports();
  try {
    const url = `http://rebinding.example:${new URL(site.origin).port}/`;
    assert.match(
      await makeBench(t).refusal('WebFetch', { url, prompt: 'x' }),
      /^rebinding\.example \(127\.0\.0\.1\) is an address of this machine/,
    );
  } finally {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  }
  assert.deepEqual(site.hits, []);
});

test('WebFetch refuses pages that it should not or cannot read', async (t) => {
  const site = await startSite(t, (request, response) => {
    if (request.url === '/404') response.writeHead(404).end();
    else if (request.url === '/bin') response.writeHead(200, { 'content-type': 'application/zip' }).end('PK');
    else if (request.url === '/bomb')
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(limits.web.bodyBytes + 1)));
    else if (request.url === '/broken')
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('no gzip');
    else response.destroy();
  });
  const bench = openBench(t);
  const refuse = (url: string) => bench.refusal('WebFetch', { url, prompt: 'x' });
  assert.equal(await refuse(`${site.origin}/404`), 'Request failed with status code 404');
  assert.match(await refuse(`${site.origin}/bin`), /is application\/zip, which is not text/);
  assert.match(await refuse(`${site.origin}/bomb`), /is larger than/);
  assert.match(await refuse(`${site.origin}/broken`), /could not be reached: incorrect header/);
  assert.match(await refuse(`${site.origin}/cut`), /could not be reached/);
  assert.match(await refuse('file:///etc/passwd'), /Only http and https/);
  assert.match(await refuse('javascript:alert(1)'), /Only http and https/);
  assert.match(await refuse('example.com'), /not a whole address/);
  assert.match(await refuse(`http://user:word@${site.origin.slice(7)}/`), /name or password/);
  assert.match(await refuse(`${site.origin}/${'x'.repeat(3000)}`), /too long/);
});

test('an interrupt ends WebFetch', async (t) => {
  const controller = new AbortController();
  const site = await startSite(t, () => controller.abort());
  const bench = openBench(t);
  assert.equal(
    await bench.refusal('WebFetch', { url: site.origin, prompt: 'x' }, { signal: controller.signal }),
    'The request was interrupted.',
  );
});

test('WebSearch returns links and text as Claude Code stores them', async (t) => {
  const bench = makeBench(t);
  const asked: SideRequest[] = [];
  const outcome = await bench.call(
    'WebSearch',
    { query: 'node test runner', allowed_domains: ['nodejs.org'] },
    {
      askModel: async (request) => {
        asked.push(request);
        return {
          blocks: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                {
                  type: 'web_search_result',
                  title: 'Test runner',
                  url: 'https://nodejs.org/api/test.html',
                  encrypted_content: 'zzz',
                },
                { type: 'web_search_result', title: 7 },
                null,
              ],
            },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_2',
              content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
            },
            { type: 'text', text: ' It is built in. ' },
          ],
        };
      },
    },
  );
  const { durationSeconds, ...stored } = storedOf(outcome);
  assert.equal(typeof durationSeconds, 'number');
  const link = { title: 'Test runner', url: 'https://nodejs.org/api/test.html' };
  assert.deepEqual(stored, {
    query: 'node test runner',
    results: [{ tool_use_id: 'srvtoolu_1', content: [link] }, 'Web search error: max_uses_exceeded', 'It is built in.'],
  });
  assert.equal(
    outcome.content,
    `Web search results for query: "node test runner"\n\nLinks: [${JSON.stringify(link)}]\n\nWeb search error: max_uses_exceeded\n\nIt is built in.`,
  );
  assert.deepEqual(asked[0]?.serverTools, [
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8, allowed_domains: ['nodejs.org'] },
  ]);
  assert.match(
    await bench.refusal('WebSearch', { query: 'xx', allowed_domains: ['a'], blocked_domains: ['b'] }),
    /not both/,
  );
  assert.match(await bench.refusal('WebSearch', { query: 'xx' }), /The search failed: no model in this test/);
});
