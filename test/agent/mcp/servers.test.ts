import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { CallProgress } from '../../../src/agent/contract/tool.ts';
import { connectServers } from '../../../src/agent/mcp/servers.ts';
import { isAlive } from '../../support/processes.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { waitFor } from '../../support/wait.ts';
import { callTool, connect, optionsIn, program, rude, sample, sdkSample } from './mcp-kit.ts';

const png = tinyImage('png', 4, 4).toString('base64');
const imageBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
const textBlock = (text: string) => ({ type: 'text', text });
const good = (...content: readonly object[]) => ({ content, isError: false, stored: content });

test('a server on pipes offers its tools, and every kind of answer becomes blocks', async (t) => {
  const servers = await connect(t, { sample: sdkSample() });
  const names = [
    'echo',
    'pictures',
    'resources',
    'structured',
    'fail',
    'wait',
    'die',
    'huge',
    'progress',
    'environment',
  ];
  const tools = names.map((name) => `mcp__sample__${name}`);
  assert.deepEqual(servers.servers, [
    { name: 'sample', scope: 'flag', transport: 'stdio', status: 'connected', tools },
  ]);
  assert.deepEqual(servers.instructions, [{ server: 'sample', text: 'Be gentle.' }]);
  assert.deepEqual(servers.notices, []);
  assert.deepEqual(
    servers.tools.map((tool) => tool.isReadOnly({})),
    names.map((name) => name === 'echo'),
  );
  const [echo] = servers.tools;
  assert.deepEqual(echo?.parse({ text: 'a' }), { input: { text: 'a' } });
  assert.deepEqual(echo?.parse({}), { problem: 'The input lacks text.' });
  assert.deepEqual(echo?.parse('a'), { problem: 'The input must be an object.' });

  assert.deepEqual(await callTool(servers, 'mcp__sample__echo', { text: 'hi' }), good(textBlock('hi')));
  assert.deepEqual(
    await callTool(servers, 'mcp__sample__pictures'),
    good(
      imageBlock,
      textBlock('[image (image/png): not a PNG, JPEG, GIF or WebP]'),
      textBlock('[audio (audio/wav), 3 B: cannot be shown]'),
    ),
  );
  assert.deepEqual(
    await callTool(servers, 'mcp__sample__resources'),
    good(
      textBlock('[resource a://b]\ninside'),
      imageBlock,
      textBlock('[resource a://d (application/zip), 3 B: cannot be shown]'),
      textBlock('[resource: link a://e far away]'),
    ),
  );
  const structured = '{"a":[1,{"b":true}]}';
  assert.deepEqual(await callTool(servers, 'mcp__sample__structured'), {
    content: structured,
    isError: false,
    stored: structured,
  });
  assert.deepEqual(await callTool(servers, 'mcp__sample__fail'), {
    content: [textBlock('it broke')],
    isError: true,
    stored: 'Error: it broke',
  });
  const heard: CallProgress[] = [];
  const progress = (update: CallProgress) => heard.push(update);
  assert.deepEqual(await callTool(servers, 'mcp__sample__progress', {}, { progress }), good(textBlock('done in app')));
  assert.deepEqual(heard, [{ kind: 'status', text: 'half way (1 of 2)' }]);
});

test('a long answer is saved to a file, with the environment deciding what is long', async (t) => {
  const env = { PATH: process.env.PATH, MAX_MCP_OUTPUT_TOKENS: '1000' };
  const servers = await connect(t, { sample: sample() }, { env });
  const sessionDir = temporaryFolder(t);
  const { content, isError } = await callTool(servers, 'mcp__sample__huge', {}, { sessionDir });
  assert.equal(isError, false);
  const [said, ...images] = content as readonly { readonly text: string }[];
  assert.deepEqual(images, Array(20).fill(imageBlock));
  const file = /saved to: (.+)/.exec(said?.text ?? '')?.[1] ?? '';
  assert.match(path.relative(sessionDir, file), /^tool-results\/mcp-sample-huge-.*\.txt$/);
  assert.match(readFileSync(file, 'utf8'), /^h{150000}/);
});

test('the resources of servers are listed and read; what is not text is saved', async (t) => {
  const servers = await connect(t, { sample: sample(), 'with resources': program('resource-main.js') });
  const sessionDir = temporaryFolder(t);
  const list = await callTool(servers, 'ListMcpResourcesTool', {}, { sessionDir });
  const resources = [
    { name: 'One', uri: 'x://one', mimeType: 'text/plain', server: 'with resources' },
    { name: 'Two', uri: 'x://two', mimeType: 'image/png', server: 'with resources' },
  ];
  assert.deepEqual(list.stored, resources);
  const read = (server: string, uri: string) =>
    callTool(servers, 'ReadMcpResourceTool', { server, uri }, { sessionDir });
  assert.deepEqual((await read('with resources', 'x://one')).stored, {
    contents: [{ uri: 'x://one', mimeType: 'text/plain', text: 'the text of x://one' }],
  });
  const { contents } = (await read('with resources', 'x://two')).stored as {
    readonly contents: readonly { readonly blobSavedTo: string }[];
  };
  assert.equal(readFileSync(contents[0]?.blobSavedTo ?? '', 'utf8'), 'bytes');
  assert.match(String((await read('sample', 'x://one')).content), /"sample" has no resources\. .*: with resources\./);
  assert.match(String((await read('nobody', 'x://one')).content), /"nobody" is not there/);
  assert.ok('problem' in (servers.tools.find(({ name }) => name === 'ReadMcpResourceTool')?.parse({}) ?? {}));
});

test('without a server that has resources there are no tools for them', async (t) => {
  const servers = await connect(t, { sample: sample() });
  assert.deepEqual(
    servers.tools.filter(({ name }) => name.endsWith('ResourceTool') || name.endsWith('ResourcesTool')),
    [],
  );
});

test('a server gets the environment and what is configured for it, but not the key of the model', async (t) => {
  const env = { PATH: process.env.PATH, SHARED: 'yes', ANTHROPIC_API_KEY: 'no', ANTHROPIC_AUTH_TOKEN: 'no' };
  const servers = await connect(t, { sample: { ...sample('journal'), env: { OWN: '1', 'own.name': '2' } } }, { env });
  const { content } = await callTool(servers, 'mcp__sample__environment');
  const seen = JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '');
  assert.deepEqual(
    [seen.env.SHARED, seen.env.OWN, seen.env['own.name'], seen.env.ANTHROPIC_API_KEY, seen.env.ANTHROPIC_AUTH_TOKEN],
    ['yes', '1', '2', undefined, undefined],
  );
  assert.deepEqual(seen.args, ['journal']);
});

test('an interrupted call returns at once, and the server is notified', async (t) => {
  const journal = path.join(temporaryFolder(t), 'journal');
  const servers = await connect(t, { sample: sample(journal) });
  const controller = new AbortController();
  const call = callTool(servers, 'mcp__sample__wait', {}, { signal: controller.signal });
  const read = () => (existsSync(journal) ? readFileSync(journal, 'utf8') : '');
  await waitFor(() => read().includes('waiting'));
  controller.abort();
  assert.deepEqual(await call, {
    content: 'The call was interrupted; the server was told to stop.',
    isError: true,
    stored: 'Error: The call was interrupted; the server was told to stop.',
  });
  await waitFor(() => read().includes('cancelled'));
  assert.deepEqual(await callTool(servers, 'mcp__sample__echo', { text: 'still here' }), good(textBlock('still here')));
});

test('a call that takes too long fails', async (t) => {
  const servers = await connect(t, { sample: rude('answers') }, { callTimeoutMs: 100 });
  const outcome = await callTool(servers, 'mcp__sample__wait');
  assert.match(String(outcome.stored), /^Error: MCP server sample: MCP error -32001: Request timed out/);
});

test('a server that died is started again for the next call, the call it died in is not repeated', async (t) => {
  const journal = path.join(temporaryFolder(t), 'journal');
  const servers = await connect(t, { sample: sample(journal) });
  const died = await callTool(servers, 'mcp__sample__die');
  assert.match(
    String(died.stored),
    /^Error: MCP server sample: it ended during the call, which may have had its effect/,
  );
  const both = ['a', 'b'].map((text) => callTool(servers, 'mcp__sample__echo', { text }));
  assert.deepEqual(await Promise.all(both), [good(textBlock('a')), good(textBlock('b'))]);
  assert.deepEqual(readFileSync(journal, 'utf8').split('\n'), ['call die', 'call echo', 'call echo', '']);
});

test('closing ends every process, also children of wrappers and those that ignore SIGTERM', async (t) => {
  const wrapped = { command: 'sh', args: ['-c', `"${process.execPath}" "$0"; true`, ...(sample().args as string[])] };
  const servers = await connect(t, { sample: sample(), wrapped, parent: rude('parent'), stubborn: rude('stubborn') });
  assert.deepEqual(
    servers.servers.map(({ status }) => status),
    ['connected', 'connected', 'connected', 'connected'],
  );
  const pids: number[] = [];
  for (const name of ['mcp__sample__environment', 'mcp__wrapped__environment']) {
    const { content } = await callTool(servers, name);
    pids.push(JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '').pid);
  }
  const { content } = await callTool(servers, 'mcp__parent__it');
  pids.push(Number((content as readonly { readonly text: string }[])[0]?.text));
  assert.deepEqual(pids.map(isAlive), [true, true, true]);
  await servers.close();
  await waitFor(
    () => !pids.some(isAlive),
    () => String(pids),
  );
  const late = await callTool(servers, 'mcp__sample__echo', { text: 'x' });
  assert.equal(late.stored, 'Error: MCP server sample: the connection was closed');
});

test('servers that cannot be used are a status and a notice, and the others work', async (t) => {
  const servers = await connect(t, {
    gone: { command: '/no/such/program' },
    dies: rude('dies'),
    wrong: { command: 'x', args: 7 },
    'no-list': rude('no-list'),
    sample: sample(),
  });
  assert.deepEqual(
    servers.servers.map(({ name, status, tools }) => [name, status, tools.length]),
    [
      ['gone', 'failed', 0],
      ['dies', 'failed', 0],
      ['wrong', 'failed', 0],
      ['no-list', 'connected', 0],
      ['sample', 'connected', 10],
    ],
  );
  assert.match(servers.notices[0] ?? '', /^MCP server gone cannot be used: it ended .*\/no\/such\/program: [nN]o/);
  assert.match(
    servers.notices[1] ?? '',
    /^MCP server dies cannot be used: it ended before it was ready; its last words: no database$/,
  );
  assert.equal(servers.notices[2], 'MCP server wrong cannot be used: "args" is not a list of strings');
  assert.equal(servers.notices.length, 3);
});

test('a server that never answers is given up, and ended', async (t) => {
  const { servers, notices } = await connect(t, { silent: rude('silent') }, { connectTimeoutMs: 300 });
  assert.deepEqual(
    servers.map(({ status }) => status),
    ['failed'],
  );
  assert.match(notices[0] ?? '', /^MCP server silent cannot be used: .*(?:300 ms|timed out)/);
});

test('servers of the project are started only with approval', async (t) => {
  const top = temporaryFolder(t);
  const options = optionsIn(top);
  writeTree(top, { 'app/.mcp.json': JSON.stringify({ mcpServers: { mine: sample(), other: sample() } }) });
  const headless = await connectServers(options);
  t.after(() => headless.close());
  const needed = `${options.cwd}/.mcp.json configures it; allow it with enabledMcpjsonServers in your settings`;
  assert.deepEqual(
    headless.servers.map(({ status, problem }) => [status, problem]),
    [
      ['needs-approval', needed],
      ['needs-approval', needed],
    ],
  );
  assert.deepEqual(
    headless.notices,
    ['mine', 'other'].map((name) => `MCP server ${name} is not started: ${needed}`),
  );
  const asked = await connectServers({ ...options, approve: async ({ name }) => name === 'mine' });
  t.after(() => asked.close());
  assert.deepEqual(
    asked.servers.map(({ name, status }) => [name, status]),
    [
      ['mine', 'connected'],
      ['other', 'disabled'],
    ],
  );
  assert.deepEqual(asked.notices, []);
});
