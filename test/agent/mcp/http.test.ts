import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeProxy } from '../../support/fake-proxy.ts';
import { serveSample } from './http-server.ts';
import { callTool, connect } from './mcp-kit.ts';

const good = (text: string) => ({
  content: [{ type: 'text', text }],
  isError: false,
  stored: [{ type: 'text', text }],
});

for (const kind of ['http', 'sse'] as const)
  test(`a server over ${kind} is used with its headers`, async (t) => {
    const server = await serveSample(kind, 'open-sesame');
    t.after(() => server.close());
    const headers = { Authorization: 'Bearer open-sesame' };
    const servers = await connect(t, { far: { type: kind, url: server.url, headers } });
    assert.deepEqual(
      servers.servers.map(({ name, transport, status, tools, problem }) => [
        name,
        transport,
        status,
        tools.length,
        problem,
      ]),
      [['far', kind, 'connected', 10, undefined]],
    );
    assert.deepEqual(await callTool(servers, 'mcp__far__echo', { text: 'hi' }), good('hi'));
    await servers.close();
    assert.ok(server.headers.every(({ authorization }) => authorization === 'Bearer open-sesame'));
    if (kind === 'http') assert.equal(server.methods.at(-1), 'DELETE', 'the session was ended');
  });

test('a server over http is reached through the proxy of the agent', async (t) => {
  const [server, proxy] = [await serveSample('http'), await startFakeProxy(t)];
  t.after(() => server.close());
  const env = { PATH: process.env.PATH, HTTP_PROXY: proxy.url };
  const servers = await connect(t, { far: { type: 'http', url: server.url } }, { env });
  assert.deepEqual(await callTool(servers, 'mcp__far__echo', { text: 'hi' }), good('hi'));
  assert.ok(proxy.asked.includes(`POST ${server.url}`));
});

test('a server that forgot the session is greeted again, and the call is made', async (t) => {
  const server = await serveSample('http');
  t.after(() => server.close());
  const servers = await connect(t, { far: { url: server.url } });
  server.forgetSessions();
  assert.deepEqual(await callTool(servers, 'mcp__far__echo', { text: 'again' }), good('again'));
});

test('a server that is gone fails the call, not the session', async (t) => {
  const server = await serveSample('http');
  const servers = await connect(t, { far: { type: 'streamable-http', url: server.url } });
  await server.close();
  const outcome = await callTool(servers, 'mcp__far__echo', { text: 'x' });
  assert.match(String(outcome.stored), /^Error: MCP server far: fetch failed \(/);
});

for (const kind of ['http', 'sse'] as const)
  test(`a server over ${kind} that wants a login says so`, async (t) => {
    const server = await serveSample(kind, 'secret');
    t.after(() => server.close());
    const { servers } = await connect(t, { far: { type: kind, url: server.url } });
    assert.deepEqual(
      servers.map(({ status }) => status),
      ['needs-auth'],
    );
  });

test('a call over HTTP can be interrupted', async (t) => {
  const server = await serveSample('http');
  t.after(() => server.close());
  const servers = await connect(t, { far: { type: 'http', url: server.url } });
  const controller = new AbortController();
  const call = callTool(servers, 'mcp__far__wait', {}, { signal: controller.signal });
  setImmediate(() => controller.abort());
  assert.equal((await call).stored, 'Error: The call was interrupted; the server was told to stop.');
});
