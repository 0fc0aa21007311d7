import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { end, listen } from './http-server.ts';
import { callTool, connect, rude } from './mcp-kit.ts';

const textBlock = (text: string) => ({ type: 'text', text });
const good = (...content: readonly object[]) => ({ content, isError: false, stored: content });

test('tools that the API would refuse are left out by name, the others get names it takes', async (t) => {
  const { tools, notices } = await connect(t, { rude: rude('odd-tools') });
  assert.deepEqual(
    tools.map(({ name, description, inputSchema }) => [name.slice(0, 40), description.slice(0, 20), inputSchema]),
    [
      ['mcp__rude__fine', 'fine', { type: 'object', properties: {} }],
      ['mcp__rude__no_schema', 'no schema', { type: 'object', properties: {} }],
      ['mcp__rude__no_schema_', 'no schema!', { type: 'object', properties: {} }],
      [`mcp__rude__${'x'.repeat(29)}`, 'x'.repeat(20), { type: 'object', properties: {} }],
    ],
  );
  for (const { name } of tools) assert.match(name, /^[a-zA-Z0-9_-]{1,128}$/);
  assert.deepEqual(notices, [
    'MCP server rude: its tool "bad key" is left out: the API does not take its input name "ключ!"',
    'MCP server rude: its tool "not an object" is left out: its input is not an object',
    'MCP server rude: its tool "" is left out: it has no name',
  ]);
});

test('answers of the wrong shape become words, never an exception', async (t) => {
  const servers = await connect(t, { rude: rude('answers') }, { callTimeoutMs: 20_000 });
  const outcome = (name: string) => callTool(servers, `mcp__rude__${name}`);
  assert.deepEqual(await outcome('wrong-types'), good(textBlock('7')));
  assert.deepEqual(
    await outcome('odd-pieces'),
    good(
      ...[
        'null',
        '7',
        '"x"',
        '[1]',
        '{}',
        '[image (unknown type): unreadable]',
        '{\n  "type": "new",\n  "a": "\ufffd"\n}',
      ].map(textBlock),
    ),
  );
  assert.deepEqual(await outcome('deep'), good(textBlock('[unreadable content]')));
  assert.deepEqual(await outcome('garbage'), good(textBlock('after the garbage')));
  assert.match(String((await outcome('null')).stored), /it gave an answer that is not one of the protocol$/);
  assert.equal((await outcome('error')).stored, 'Error: MCP server rude: MCP error -32602: never heard of it');
});

test('an endless message ends its server', async (t) => {
  const servers = await connect(t, { rude: rude('endless') });
  const { stored } = await callTool(servers, 'mcp__rude__it');
  assert.match(String(stored), /its last words: it sent a message of more than 16777216 bytes$/);
});

test('a list of tools without end is read to a limit', async (t) => {
  const { tools } = await connect(t, { rude: rude('turning') });
  assert.equal(tools.length, 50);
});

test('an answer over HTTP without end, and one that is not MCP, are a failed server', async (t) => {
  const flood = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = `"${' '.repeat(1024 * 1024)}`;
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more);
    };
    more();
  });
  const page = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>'),
  );
  const arrived: string[] = [];
  const elsewhere = createServer((request, response) => {
    arrived.push(request.method ?? '');
    response.end();
  });
  const target = await listen(elsewhere);
  const away = createServer((_, response) => response.writeHead(307, { location: target }).end());
  const urls = await Promise.all([flood, page, away].map(listen));
  t.after(() => Promise.all([flood, page, away, elsewhere].map(end)));
  const [flooding, web, redirecting] = urls.map((url) => ({ type: 'http', url: url ?? '' }));
  const { servers } = await connect(t, { flooding: flooding ?? {}, web: web ?? {}, redirecting: redirecting ?? {} });
  assert.deepEqual(
    servers.map(({ name, status }) => [name, status]),
    [
      ['flooding', 'failed'],
      ['web', 'failed'],
      ['redirecting', 'failed'],
    ],
  );
  assert.match(servers[0]?.problem ?? '', /longer than 16777216 bytes/);
  assert.deepEqual(arrived, []);
  assert.match(servers[1]?.problem ?? '', /Unexpected content type: text\/html/);
});
