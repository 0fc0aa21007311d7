// In a session that another client also writes, the thinking of our answers is kept in private lines: our own requests send
// it again, the client's requests hold only the client's thinking.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ScriptedReply, ScriptStep } from '../../src/api/server/script.ts';
import { asObject, isArray, isObject, type JsonObject } from '../../src/base/json/json.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { type AgentKit, startAgent } from '../support/agent-kit.ts';
import { calls, messagesOf } from '../support/agent-talk.ts';
import { BoundWriter, boundSession, boundSessionId, text } from '../support/bound-session.ts';
import { judge, linesOf } from '../support/bound-thinking.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const theirs = ['th1', 'th2', 'th3', 'th4', 'th5', 'th6', 'th7', 'th8', 'th9'];

function thinks(name: string, ...blocks: ScriptedReply['blocks']): ScriptedReply {
  const said = blocks.length > 0 ? blocks : [{ type: 'text', text: `said ${name}` }];
  return { blocks: [{ type: 'thinking', thinking: name }, ...said] };
}

function plant(t: TestContext): { readonly folder: string; readonly file: string } {
  const folder = temporaryFolder(t);
  const file = path.join(
    folder,
    'claude/projects',
    encodeSlug(path.join(folder, 'project')),
    `${boundSessionId}.jsonl`,
  );
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, boundSession().text());
  return { folder, file };
}

function resume(t: TestContext, folder: string, script: readonly ScriptStep[]): Promise<AgentKit> {
  return startAgent(t, script, { folder, session: { kind: 'resume', session: boundSessionId } });
}

function sentThinking(body: JsonObject | undefined): string[] {
  return messagesOf(body).flatMap((message) => {
    const content = asObject(message)?.content;
    const blocks = isArray(content) ? content.filter(isObject) : [];
    return blocks.flatMap(({ type, thinking }) => (type === 'thinking' ? [String(thinking)] : []));
  });
}

test('our thinking comes back in our own requests, and the client sees an unbroken run of its own', async (t) => {
  const { folder, file } = plant(t);
  const before = readFileSync(file, 'utf8');
  const first = await resume(t, folder, [
    thinks('a', ...calls(['Bash', { command: 'true' }]).blocks),
    thinks('b'),
    thinks('c'),
  ]);
  await first.agent.prompt('proceed');
  await first.agent.prompt('and on');
  await first.agent.close('exit');
  assert.deepEqual(first.bodies().map(sentThinking), [[], ['a'], ['a', 'b']]);
  assert.deepEqual(
    first.events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    ['the reasoning of 9 answers is no longer sent: another program, or an older Clew, wrote it'],
  );

  const whole = readFileSync(file, 'utf8');
  assert.ok(whole.startsWith(before));
  const added = linesOf(file).slice(before.trimEnd().split('\n').length);
  const ours = added.filter(({ type }) => type === 'clew-thinking');
  assert.equal(ours.length, 3);
  assert.ok(ours.every(({ uuid }) => uuid === undefined));
  const onChain = added.filter(({ type }) => type === 'assistant').map((line) => JSON.stringify(line.message));
  assert.ok(onChain.length === 3 && onChain.every((message) => !message.includes('"thinking"')));

  // What the client sends: its own nine blocks, all of them valid.
  const sent = requestMessages(await loadSession(file), undefined, { host: 'anthropic' });
  assert.ok(!('refused' in sent));
  const thinking = sent.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'thinking'));
  assert.equal(thinking.length, theirs.length);
  assert.deepEqual(judge(file), { sent: theirs, dead: [], holes: [] });

  const second = await resume(t, folder, [thinks('d')]);
  await second.agent.prompt('again');
  assert.deepEqual(sentThinking(second.bodies()[0]), ['a', 'b', 'c']);
  const [then, now] = [first.bodies().at(-1), second.bodies()[0]];
  assert.deepEqual([now?.system, now?.tools], [then?.system, then?.tools]);
});

test('after the client has continued, our earlier thinking is still valid', async (t) => {
  const { folder, file } = plant(t);
  const first = await resume(t, folder, [thinks('a')]);
  await first.agent.prompt('proceed');
  await first.agent.close('exit');
  const lines = linesOf(file);
  const theirTurn = new BoundWriter({ lines: [...lines] }).user('Mine.').answer('th10', text('Yours.')).pin();
  appendFileSync(
    file,
    theirTurn.lines
      .slice(lines.length)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const second = await resume(t, folder, [thinks('b'), thinks('c')]);
  await second.agent.prompt('back');
  await second.agent.prompt('more');
  assert.deepEqual(second.bodies().map(sentThinking), [['a'], ['a', 'b']]);
  assert.deepEqual(judge(file), { sent: [...theirs, 'th10'], dead: [], holes: [] });
});

test('thinking of an answer that broke off does not come back', async (t) => {
  const { folder } = plant(t);
  const cut = { ...thinks('x', { type: 'text', text: 'one' }, { type: 'text', text: 'two' }), cutAfterEvents: 12 };
  const first = await resume(t, folder, [cut, thinks('a'), thinks('b')]);
  await first.agent.prompt('proceed');
  await first.agent.prompt('and on');
  await first.agent.close('exit');
  assert.deepEqual(first.bodies().map(sentThinking), [[], [], ['a']]);
  const second = await resume(t, folder, [thinks('c')]);
  await second.agent.prompt('again');
  assert.deepEqual(sentThinking(second.bodies()[0]), ['a', 'b']);
});
