// MCP servers inside the program: their messages go over the control protocol, both ways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObject, isObject, type JsonObject } from '../../../../src/base/json/json.ts';
import { initMessage } from '../../../../src/cli/headless/messages/init.ts';
import { calls, results, says, toolNames } from '../../../support/agent-talk.ts';
import { type FakeHost, type FakeHostOptions, type HostAnswer, startHost } from '../../../support/fake-host.ts';
import { waitFor } from '../../../support/wait.ts';

const add: JsonObject = {
  name: 'add',
  description: 'Adds',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  annotations: { readOnlyHint: true },
};

/** Plays the MCP server `calc` with the tools that it has at the moment. */
function calc(tools: () => readonly JsonObject[], onCall: (message: JsonObject) => JsonObject | undefined) {
  return ({ message }: JsonObject): JsonObject | undefined => {
    const { id, method, params } = asObject(message) ?? {};
    const answer = (result: JsonObject): JsonObject => ({ mcp_response: { jsonrpc: '2.0', id: id ?? 0, result } });
    switch (method) {
      case 'initialize':
        return answer({
          protocolVersion: asObject(params)?.protocolVersion ?? '',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'calc', version: '1.2.3' },
        });
      case 'tools/list':
        return answer({ tools: tools() });
      case 'tools/call': {
        const result = onCall(asObject(params) ?? {});
        return result === undefined ? undefined : answer(result);
      }
      default:
        return answer({});
    }
  };
}

const says3 = { content: [{ type: 'text', text: '3' }] };

function start(
  t: Parameters<typeof startHost>[0],
  script: Parameters<typeof startHost>[1],
  answer: HostAnswer,
  more: FakeHostOptions = {},
): FakeHost {
  const agent = { allowedTools: ['mcp__calc__add'], ...more.agent };
  return startHost(t, script, { ...more, answers: { mcp_message: answer, ...more.answers }, agent });
}

test('tools of the program are listed, called and described in mcp_status', async (t) => {
  const answer = calc(
    () => [add],
    () => says3,
  );
  const host = start(t, [calls(['mcp__calc__add', { a: 1 }]), says('done')], answer);
  await host.request('initialize', { sdkMcpServers: ['calc'] });
  await host.prompt('go');
  assert.deepEqual(
    results(host.kit().events).map(({ content, isError }) => [content, isError]),
    [[[{ type: 'text', text: '3' }], false]],
  );
  assert.ok(toolNames(host.kit().bodies()[0] ?? {}).includes('mcp__calc__add'));
  const announced = initMessage(host.kit().agent.state, { betas: [] }).mcp_servers;
  assert.deepEqual(announced, [{ name: 'calc', status: 'connected', source: 'sdk' }]);
  assert.deepEqual(await host.request('mcp_status'), {
    mcpServers: [
      {
        name: 'calc',
        status: 'connected',
        serverInfo: { name: 'calc', version: '1.2.3' },
        transport: 'sdk',
        scope: 'dynamic',
        source: 'sdk',
        tools: [{ name: 'add', description: 'Adds', annotations: { readOnly: true } }],
      },
    ],
  });
  const called = host.asked('mcp_message').map(({ message }) => asObject(message)?.method);
  assert.deepEqual(called, ['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
});

test('an error of the tool and an error of the program are errors of the call', async (t) => {
  const answer = calc(
    () => [add],
    () => ({ content: [{ type: 'text', text: 'kaputt' }], isError: true }),
  );
  let count = 0;
  const failing: HostAnswer = (request) => {
    const isCall = asObject(request.message)?.method === 'tools/call';
    return isCall && ++count === 2 ? new Error('the host broke') : answer(request);
  };
  const call = calls(['mcp__calc__add', { a: 1 }]);
  const host = start(t, [call, call, says('done')], failing);
  await host.request('initialize', { sdkMcpServers: ['calc'] });
  await host.prompt('go');
  const [first, second] = results(host.kit().events);
  assert.deepEqual([first?.isError, first?.content], [true, [{ type: 'text', text: 'kaputt' }]]);
  assert.equal(second?.isError, true);
  assert.match(String(second?.content), /MCP server calc: .*the host broke/);
});

test('an interrupt cancels the call in the server', async (t) => {
  let onCall = (): void => undefined;
  const called = new Promise<void>((resolve) => {
    onCall = resolve;
  });
  const answer = calc(
    () => [add],
    () => {
      onCall();
      return undefined;
    },
  );
  const host = start(t, [calls(['mcp__calc__add', { a: 1 }]), says('done')], answer);
  await host.request('initialize', { sdkMcpServers: ['calc'] });
  const turn = host.prompt('go');
  await called;
  await host.request('interrupt');
  assert.equal((await turn).outcome, 'interrupted');
  const sent = host.asked('mcp_message').map(({ message }) => asObject(message));
  const call = sent.find((message) => message?.method === 'tools/call');
  const cancel = sent.find((message) => message?.method === 'notifications/cancelled');
  assert.equal(asObject(cancel?.params)?.requestId, call?.id);
});

test('a server that changes its tools says so, and the next request offers the new ones', async (t) => {
  const tools = [add];
  const answer = calc(
    () => tools,
    () => says3,
  );
  const host = start(t, [says('one'), says('two')], answer);
  await host.request('initialize', { sdkMcpServers: ['calc'] });
  await host.prompt('go');
  tools.push({ ...add, name: 'later' });
  const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
  assert.deepEqual(await host.request('mcp_message', { server_name: 'calc', message }), {});
  await waitFor(() => host.kit().agent.state.tools.includes('mcp__calc__later'));
  await host.prompt('again');
  assert.ok(toolNames(host.kit().bodies()[1] ?? {}).includes('mcp__calc__later'));
  assert.match(
    String(await host.request('mcp_message', { server_name: 'other', message })),
    /no connected SDK MCP server/,
  );
});

test('mcp_set_servers adds and removes servers, and says which one failed', async (t) => {
  const answer = calc(
    () => [add],
    () => says3,
  );
  const host = start(t, [says('one')], answer);
  await host.request('initialize');
  const servers = { calc: { type: 'sdk', name: 'calc' }, bad: { command: '/nonexistent/server' } };
  const set = await host.request('mcp_set_servers', { servers });
  assert.ok(isObject(set));
  assert.deepEqual([set.added, set.removed, Object.keys(asObject(set.errors) ?? {})], [['calc', 'bad'], [], ['bad']]);
  assert.ok(host.kit().agent.state.tools.includes('mcp__calc__add'));
  assert.deepEqual(await host.request('mcp_toggle', { serverName: 'calc', enabled: false }), {});
  assert.ok(!host.kit().agent.state.tools.includes('mcp__calc__add'));
  assert.deepEqual(await host.request('mcp_toggle', { serverName: 'calc', enabled: true }), {});
  assert.ok(host.kit().agent.state.tools.includes('mcp__calc__add'));
  assert.deepEqual(await host.request('mcp_reconnect', { serverName: 'calc' }), {});
  assert.match(String(await host.request('mcp_reconnect', { serverName: 'bad' })), /./);
  assert.equal(await host.request('mcp_reconnect', { serverName: 'none' }), 'Server not found: none');
  assert.deepEqual(await host.request('mcp_set_servers', { servers: {} }), {
    added: [],
    removed: ['calc', 'bad'],
    errors: {},
  });
  assert.deepEqual(await host.request('mcp_status'), { mcpServers: [] });
});

test('the policy of the program for its tools: one asks although a rule allows it, one is denied', async (t) => {
  const answer = calc(
    () => [add, { ...add, name: 'drop' }],
    () => says3,
  );
  const host = start(
    t,
    [calls(['mcp__calc__add', { a: 1 }]), calls(['mcp__calc__drop', { a: 1 }]), says('done')],
    answer,
    {
      permissionTool: 'stdio',
      answers: { can_use_tool: () => ({ behavior: 'allow' }) },
      agent: { allowedTools: ['mcp__calc'] },
    },
  );
  const tools = [
    { name: 'add', permission_policy: 'always_ask' },
    { name: 'drop', permission_policy: 'always_deny' },
  ];
  await host.request('initialize', { sdkMcpServers: ['calc'], sdkMcpServerConfigs: { calc: { tools } } });
  await host.prompt('go');
  assert.deepEqual(
    host.asked('can_use_tool').map(({ tool_name }) => tool_name),
    ['mcp__calc__add'],
  );
  assert.deepEqual(
    results(host.kit().events).map(({ isError }) => isError),
    [false, true],
  );
});

test('no file can configure a server of the program', async (t) => {
  const mine = JSON.stringify({ mcpServers: { calc: { type: 'sdk', name: 'calc' } } });
  const host = startHost(t, [says('one')], {
    // A message to the program would fail the test: nobody answers mcp_message.
    agent: { files: { 'project/.mcp.json': mine, 'project/given.json': mine }, mcpConfig: ['given.json'] },
  });
  await host.request('initialize');
  await host.prompt('go');
  const status = await host.request('mcp_status');
  assert.ok(isObject(status) && Array.isArray(status.mcpServers));
  const [server] = status.mcpServers.filter(isObject);
  assert.equal(server?.status, 'failed');
  assert.match(String(server?.error), /only the program that runs the agent/);
  assert.deepEqual(host.asked('mcp_message'), []);
});

test('a tool of a server decides about calls (--permission-prompt-tool)', async (t) => {
  const texts = ['{"behavior":"allow"}', '{"behavior":"deny","message":"gate says no"}', 'nonsense'];
  let i = 0;
  const gate = { name: 'gate', inputSchema: { type: 'object', properties: {} } };
  const asked: JsonObject[] = [];
  const answer = calc(
    () => [gate],
    (call) => {
      asked.push(call);
      return { content: [{ type: 'text', text: texts[i++] ?? '' }] };
    },
  );
  const touch = (file: string) => calls(['Bash', { command: `touch ${file}`, description: 'd' }]);
  const script = [touch('a'), touch('b'), touch('c'), says('done')];
  const host = start(t, script, answer, { permissionTool: 'mcp__calc__gate' });
  await host.request('initialize', { sdkMcpServers: ['calc'] });
  await host.prompt('go');
  const outcomes = results(host.kit().events).map(({ isError, content }) => (isError ? String(content) : 'ran'));
  assert.equal(outcomes[0], 'ran');
  assert.equal(outcomes[1], 'gate says no');
  assert.match(outcomes[2] ?? '', /^The permission prompt tool returned an invalid permission result/);
  assert.deepEqual(asObject(asked[0]?.arguments)?.tool_name, 'Bash');
});
