// The scripted server signs thinking and refuses it after a changed prefix, as the API does. Whatever changes around a
// session, the agent sends its thinking on, or leaves out what no longer fits, and no request is refused.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeStreamModel } from '../../src/api/client/stream-model.ts';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { ScriptedReply, ScriptStep } from '../../src/api/server/script.ts';
import { asObject, isArray, isObject, type JsonObject } from '../../src/base/json/json.ts';
import { type AgentKit, agentEnv, startAgent } from '../support/agent-kit.ts';
import { calls, messagesOf, says } from '../support/agent-talk.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { sample } from './mcp/mcp-kit.ts';

const opus = 'claude-opus-5-5';

/** An answer with thinking of this name. */
function thinks(name: string, ...blocks: ScriptedReply['blocks']): ScriptedReply {
  const said = blocks.length > 0 ? blocks : [{ type: 'text', text: `said ${name}` }];
  return { blocks: [{ type: 'thinking', thinking: name }, ...said] };
}

/** The names of the thinking blocks of a request. */
function sentThinking(body: JsonObject | undefined): string[] {
  return messagesOf(body).flatMap((message) => {
    const content = asObject(message)?.content;
    const blocks = isArray(content) ? content.filter(isObject) : [];
    return blocks.flatMap(({ type, thinking }) => (type === 'thinking' ? [String(thinking)] : []));
  });
}

const plain = (value: unknown): string => JSON.stringify(value).replaceAll(',"cache_control":{"type":"ephemeral"}', '');

/** What the first request sent is, byte for byte, the beginning of what the second sent. */
function assertContinues(first: JsonObject | undefined, second: JsonObject | undefined): void {
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(plain(second.system), plain(first.system));
  assert.equal(plain(second.tools), plain(first.tools));
  const [before, after] = [messagesOf(first), messagesOf(second)];
  assert.ok(before.length > 0 && after.length > before.length);
  assert.equal(plain(after.slice(0, before.length)), plain(before));
}

function warnings({ events }: AgentKit): string[] {
  return events.flatMap((event) => (event.type === 'notice' && event.level === 'warn' ? [event.text] : []));
}

async function talk(kit: AgentKit, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) {
    const { outcome, error } = await kit.agent.prompt(prompt);
    assert.deepEqual([outcome, error?.message], ['success', undefined], prompt);
  }
}

/** The same session in a new process, perhaps in another folder. */
function resume(
  t: Parameters<typeof startAgent>[0],
  kit: AgentKit,
  script: readonly ScriptStep[],
  more: Parameters<typeof startAgent>[2] = {},
): Promise<AgentKit> {
  return startAgent(t, script, {
    folder: kit.folder,
    session: { kind: 'resume', session: kit.agent.state.file },
    ...more,
  });
}

function linesOf(kit: AgentKit): JsonObject[] {
  const lines = readFileSync(kit.agent.state.file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

test('a changed CLAUDE.md, another day and another folder are sent at the end, and all thinking is kept', async (t) => {
  const first = await startAgent(t, [thinks('a', ...calls(['Bash', { command: 'true' }]).blocks), thinks('b')], {
    files: { 'project/CLAUDE.md': 'Use tabs.', 'other/.keep': '' },
  });
  await talk(first, 'one');
  await first.agent.close('exit');
  writeFileSync(path.join(first.cwd, 'CLAUDE.md'), 'Use spaces.');
  const second = await resume(t, first, [thinks('c'), thinks('d')], { appendSystemPrompt: 'Be brief.' });
  await talk(second, 'two');
  writeFileSync(path.join(first.cwd, 'CLAUDE.md'), 'Use nothing.');
  await talk(second, 'three');
  await second.agent.close('exit');
  const third = await resume(t, first, [thinks('e')], { cwd: path.join(first.folder, 'other') });
  await talk(third, 'four');

  assert.deepEqual(sentThinking(third.bodies().at(-1)), ['a', 'b', 'c', 'd']);
  const bodies = [...first.bodies(), ...second.bodies(), ...third.bodies()];
  assert.equal(bodies.length, 5);
  for (const [i, body] of bodies.entries()) if (i > 0) assertContinues(bodies[i - 1], body);
  const [, , two, three, four] = bodies.map((body) => plain(messagesOf(body).at(-1)));
  assert.match(two ?? '', /two.*# Instructions for this work.*Use spaces\..*# Further instructions\\nBe brief\./s);
  assert.match(three ?? '', /three.*Use nothing\./s);
  assert.doesNotMatch(three ?? '', /# (?:Environment|Date|Further)/);
  assert.match(four ?? '', /# Environment\\nWorking folder: [^"]*other\\n/);
  assert.deepEqual([...warnings(first), ...warnings(second), ...warnings(third)], []);
  assert.equal(linesOf(first).filter(({ type }) => type === 'clew-prompt').length, 1);
});

test('the system prompt of the session is kept in a private line, which no client takes for a prompt', async (t) => {
  const kit = await startAgent(t, [thinks('a')], { files: { 'project/CLAUDE.md': 'Use tabs.' } });
  await talk(kit, 'one');
  const lines = linesOf(kit);
  const prompts = lines.filter(({ type }) => type === 'clew-prompt');
  assert.equal(prompts.length, 1);
  const [{ uuid, system, tools, hash } = {}] = prompts;
  const [body] = kit.bodies();
  assert.deepEqual([uuid, typeof hash], [undefined, 'string']);
  const sent = (body?.system as unknown as JsonObject[]).map(({ text }) => text);
  assert.deepEqual(system, sent);
  assert.equal(plain(tools), plain(body?.tools));
  assert.doesNotMatch(JSON.stringify(lines), /prompt_snapshot/);
  const answers = lines.filter(({ type }) => type === 'assistant');
  assert.deepEqual(
    answers.map(({ clewPrefix }) => asObject(clewPrefix)?.prompt),
    [hash, hash],
  );
});

test('another model and back: each model gets its own thinking again', async (t) => {
  const kit = await startAgent(t, [thinks('a'), thinks('b'), thinks('s'), thinks('c'), thinks('d')]);
  await talk(kit, 'one', 'two');
  kit.agent.setModel('claude-sonnet-5-5');
  await talk(kit, 'three');
  kit.agent.setModel(opus);
  await talk(kit, 'four', 'five');
  const sent = kit.bodies().map(sentThinking);
  // With a gateway only the thinking of the same model is sent.
  assert.deepEqual(sent, [[], ['a'], [], ['a', 'b'], ['a', 'b', 'c']]);
  assert.deepEqual(warnings(kit), []);
  assert.match(plain(messagesOf(kit.bodies()[2]).at(-1)), /# Model\\nclaude-sonnet-5-5/);
  assert.equal(plain(kit.bodies()[4]?.system), plain(kit.bodies()[0]?.system));
});

test('a server that is added costs the thinking before it, once; one that is gone costs nothing', async (t) => {
  const config = JSON.stringify({ mcpServers: { sample: sample() } });
  const first = await startAgent(t, [thinks('a'), thinks('b')], { files: { 'project/servers.json': config } });
  await talk(first, 'one', 'two');
  await first.agent.close('exit');
  const withServer = { mcpConfig: [path.join(first.cwd, 'servers.json')] };
  const second = await resume(t, first, [thinks('c'), thinks('d')], withServer);
  await talk(second, 'three', 'four');
  await second.agent.close('exit');
  assert.deepEqual(second.bodies().map(sentThinking), [[], ['c']]);
  assert.deepEqual(warnings(second), [
    'the reasoning of 2 answers is no longer sent: the system prompt or the tools have changed',
  ]);
  const call = thinks('e', ...calls(['mcp__sample__echo', { text: 'hi' }]).blocks);
  const third = await resume(t, first, [call, thinks('f')]);
  await talk(third, 'five');
  assert.deepEqual(third.bodies().map(sentThinking), [
    ['c', 'd'],
    ['c', 'd', 'e'],
  ]);
  assertContinues(second.bodies()[1], third.bodies()[0]);
  assert.match(plain(messagesOf(third.bodies()[0]).at(-1)), /# Tools that are not available now\\nmcp__sample__/);
  const refused = third.events.flatMap((event) => (event.type === 'result' ? [event.outcome.isError] : []));
  assert.deepEqual(refused, [true]);
  assert.deepEqual(warnings(third), [], 'it was reported before');
});

test('after a compaction no old thinking is sent, the environment is sent again, and new thinking is kept', async (t) => {
  const kit = await startAgent(t, [thinks('a'), thinks('b'), says('SUMMARY'), thinks('c'), thinks('d')]);
  await talk(kit, 'one', 'two');
  await kit.agent.compact();
  await talk(kit, 'three', 'four');
  assert.deepEqual(kit.bodies().map(sentThinking), [[], ['a'], ['a', 'b'], [], ['c']]);
  assert.match(plain(messagesOf(kit.bodies()[3])), /SUMMARY.*three.*# Environment/s);
  assertContinues(kit.bodies()[3], kit.bodies()[4]);
  assert.deepEqual(warnings(kit), []);
});

test('an interrupted turn breaks nothing, whether it had only thinking or also text', async (t) => {
  // The seventh event begins the text, the eighth is its first piece.
  const script = [
    thinks('a'),
    { ...thinks('b'), hangAfterEvents: 7 },
    { ...thinks('c'), hangAfterEvents: 8 },
    thinks('d'),
    thinks('e'),
  ];
  const kit = await startAgent(t, script, {
    onEvent: (event) => {
      if (event.type !== 'part') return;
      const { type, index } = event.raw;
      const isAnswer = ['said b', 'said c'].includes(event.text);
      if (isAnswer || (type === 'content_block_start' && index === 1 && isThought)) kit.agent.interrupt();
    },
  });
  let isThought = false;
  await talk(kit, 'one');
  isThought = true;
  assert.equal((await kit.agent.prompt('two')).outcome, 'interrupted');
  isThought = false;
  assert.equal((await kit.agent.prompt('three')).outcome, 'interrupted');
  await talk(kit, 'four', 'five');
  // An answer that is only thinking is not sent.
  assert.deepEqual(kit.bodies().map(sentThinking), [[], ['a'], ['a'], ['a', 'c'], ['a', 'c', 'd']]);
  assert.deepEqual(warnings(kit), []);
});

test('a history that another program changed loses the thinking after the change, with one notice', async (t) => {
  const first = await startAgent(t, [thinks('a'), thinks('b'), thinks('c')]);
  await talk(first, 'one', 'two', 'three');
  await first.agent.close('exit');
  const file = first.agent.state.file;
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes('"said b"'));
  writeFileSync(file, text.replace('"said b"', '"said B"'));
  const second = await resume(t, first, [thinks('d'), thinks('e')]);
  await talk(second, 'four', 'five');
  assert.deepEqual(second.bodies().map(sentThinking), [
    ['a', 'b'],
    ['a', 'b', 'd'],
  ]);
  assert.deepEqual(warnings(second), [
    'the reasoning of 1 answer is no longer sent: the conversation before it has changed',
  ]);
});

test('a rewind, and work after it, keeps the thinking before it', async (t) => {
  const kit = await startAgent(t, [thinks('a'), thinks('b'), thinks('c'), thinks('d')]);
  await talk(kit, 'one', 'two');
  const points = await kit.agent.rewindPoints();
  const last = points.at(-1);
  assert.ok(last !== undefined);
  await kit.agent.rewind(last, 'chat');
  await talk(kit, 'three', 'four');
  assert.deepEqual(kit.bodies().map(sentThinking), [[], ['a'], ['a'], ['a', 'c']]);
  assert.deepEqual(warnings(kit), []);
});

test('sub-agents keep their prompt and their thinking by the same rules', async (t) => {
  const task = { description: 'look', prompt: 'Look at it', subagent_type: 'general-purpose' };
  const kit = await startAgent(t, ({ body }) => {
    const sent = messagesOf(body);
    const isAgent = plain(sent[0]).includes('Look at it');
    if (sent.length === 1)
      return thinks(isAgent ? 'x' : 'a', ...calls(isAgent ? ['Bash', { command: 'true' }] : ['Agent', task]).blocks);
    return thinks(isAgent ? 'y' : 'b');
  });
  await talk(kit, 'go');
  assert.deepEqual(kit.bodies().map(sentThinking), [[], [], ['x'], ['a']]);
  assertContinues(kit.bodies()[1], kit.bodies()[2]);
  const agents = path.join(kit.agent.state.file.replace(/\.jsonl$/, ''), 'subagents');
  const [file] = readdirSync(agents).filter((name) => name.endsWith('.jsonl'));
  const kept = readFileSync(path.join(agents, file ?? ''), 'utf8').match(/"type":"clew-prompt"/g);
  assert.equal(kept?.length, 1);
  assert.deepEqual(warnings(kit), []);
});

test('a fork of the session keeps its thinking', async (t) => {
  const first = await startAgent(t, [thinks('a'), thinks('b')]);
  await talk(first, 'zero', 'one');
  await first.agent.close('exit');
  const session = { kind: 'resume', session: first.agent.state.file, fork: {} } as const;
  const fork = await resume(t, first, [thinks('c'), thinks('d')], { session });
  await talk(fork, 'two', 'three');
  assert.notEqual(fork.agent.state.sessionId, first.agent.state.sessionId);
  assert.deepEqual([...first.bodies(), ...fork.bodies()].map(sentThinking), [[], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
  assert.deepEqual(warnings(fork), []);
});

test('api.anthropic.com gets the thinking of all models, and what it drops is written down without a warning', async (t) => {
  const server = await startScriptedServer({ script: ['a', 'b', 's', 'c', 'd'].map((name) => thinks(name)) });
  t.after(() => server.close());
  const folder = temporaryFolder(t);
  const env = agentEnv(folder, server.url);
  const streamModel = makeStreamModel({ env: { ...env, CLEW_THINKING_CONTROLS: '1' } });
  const { ANTHROPIC_BASE_URL: _, ...direct } = env;
  const kit = await startAgent(t, [], { folder, env: direct, streamModel });
  await talk(kit, 'one', 'two');
  kit.agent.setModel('claude-sonnet-5-5');
  await talk(kit, 'three');
  kit.agent.setModel(opus);
  await talk(kit, 'four', 'five');
  const bodies = server.requests.map(({ body }) => asObject(body));
  assert.deepEqual(bodies.map(sentThinking), [[], ['a'], ['a', 'b'], ['a', 'b', 's'], ['a', 'b', 's', 'c']]);
  const notes = linesOf(kit).filter(({ type }) => type === 'clew-thinking-drop');
  const dropped = (path: string) => ({ type: 'thinking_dropped', path, reason: 'model_binding_mismatch' });
  assert.deepEqual(
    notes.map(({ model, entries }) => [model, entries]),
    [['claude-sonnet-5-5', [dropped('messages.1.content.0'), dropped('messages.3.content.0')]]],
  );
  assert.deepEqual(warnings(kit), []);
});

test('an interactive resume costs nothing; another system prompt costs the thinking before it', async (t) => {
  const first = await startAgent(t, [thinks('a')]);
  await talk(first, 'one');
  await first.agent.close('exit');
  const second = await resume(t, first, [thinks('b')], { isInteractive: true });
  await talk(second, 'two');
  await second.agent.close('exit');
  assertContinues(first.bodies()[0], second.bodies()[0]);
  assert.match(plain(messagesOf(second.bodies()[0]).at(-1)), /Questions: a person reads along and can answer/);
  assert.deepEqual(sentThinking(second.bodies()[0]), ['a']);
  const third = await resume(t, first, [thinks('c'), thinks('d')], { systemPrompt: 'Only sing.' });
  await talk(third, 'three', 'four');
  assert.deepEqual(third.bodies().map(sentThinking), [[], ['c']]);
  assert.match(plain(third.bodies()[1]?.system), /^\[\{"type":"text","text":"Only sing\."/);
  assert.equal(linesOf(first).filter(({ type }) => type === 'clew-prompt').length, 2);
});
