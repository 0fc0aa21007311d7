// The built command with the client of the SDK over stdio: every tool, prompt and resource; and that a session grows, is
// rewound and is archived while the server runs.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { cleanEnv, jsonOf, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { idOf, makePlace, uuidOf } from './memory-kit.ts';

test('the client of the SDK lists and calls everything, and usage has the figures of clew usage', async (context) => {
  const place = makePlace(context);
  const file = place.plant({
    cwd: place.project,
    id: '1',
    turns: [{ prompt: 'why does the parser fail?', answer: 'A comma was missing.' }],
    title: 'the parser',
  });
  const env = { ...cleanEnv(), CLEW_HOME: place.state, CLEW_ROOTS: place.root } as Record<string, string>;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [clew, 'mcp'],
    env,
    cwd: place.folder,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file://${place.project}` }] }));
  await client.connect(transport);
  context.after(() => client.close());
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as readonly { text: string }[])[0]?.text ?? '';
  };
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), ['outline', 'read', 'search', 'usage']);
  const reference = `clew:${idOf('1').slice(0, 13)}#${uuidOf('1', 0).slice(0, 13)}`;
  assert.ok((await call('search', { query: 'parser' })).includes(reference));
  assert.match(await call('read', { reference }), /A comma was missing/);
  assert.ok((await call('outline', {})).includes('the parser'));
  assert.ok((await call('outline', { session: reference })).includes(reference));

  const report = jsonOf(['usage', '--json'], { env }) as { totals: Record<string, number> };
  const { inputTokens, outputTokens, costMicroUsd = 0, messages } = report.totals;
  const total = (await call('usage', {})).split('\n').find((line) => line.startsWith('total:'));
  const cost = `$${(costMicroUsd / 1e6).toFixed(6)}`;
  assert.equal(
    total,
    `total: ${cost}, in ${inputTokens}, out ${outputTokens}, cache read 0, cache write 0, ${messages} messages`,
  );

  assert.deepEqual(
    (await client.listPrompts()).prompts.map(({ name }) => name),
    ['recall'],
  );
  const { messages: said } = await client.getPrompt({ name: 'recall', arguments: { words: 'parser' } });
  assert.ok(JSON.stringify(said).includes(reference));
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ uri, name }) => [uri, name]),
    [[`clew://session/${idOf('1')}`, 'the parser']],
  );
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
  const { contents } = await client.readResource({ uri: `clew://session/${idOf('1')}/1` });
  assert.ok(JSON.stringify(contents).includes('A comma was missing'));

  // What is written while the server runs is found; what the user asks for by reference is shown by `clew show`.
  appendFileSync(file, later(place.project));
  assert.match(await call('search', { query: 'tokenizer' }), /tokenizer too/);
  const shown = runClew(['show', `clew:${idOf('1')}#dddddddd`], { env });
  assert.match(shown.stdout, /tokenizer too/);
  assert.doesNotMatch(shown.stdout, /why does the parser fail/);
  assert.match(runClew(['show', reference], { env }).stdout, /why does the parser fail/);
  // Nothing but the state of Clew was written.
  assert.deepEqual(readdirSync(place.root), ['projects']);
});

function later(cwd: string): string {
  const line = {
    ...{ parentUuid: uuidOf('1', 1), isSidechain: false, cwd, sessionId: idOf('1'), type: 'user' },
    ...{ uuid: 'dddddddd-1111-4222-8333-000000000001', timestamp: '2026-03-01T11:00:00.000Z' },
    message: { role: 'user', content: 'the tokenizer too' },
  };
  return `${JSON.stringify(line)}\n`;
}
