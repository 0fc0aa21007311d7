// `clew -p` with background work and with messages that come while a turn runs: what is printed, in which order, and
// how it ends. The expected orders were recorded from client 2.1.325.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { calls, type HeadlessKit, messagesOf, says, startHeadless as startKit } from '../../support/headless-kit.ts';
import { isAlive } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';

/** A model whose answers need not begin with thinking. */
const startHeadless: typeof startKit = (t, script) =>
  startKit(t, script, { env: { ANTHROPIC_MODEL: 'claude-opus-5-5' } });

const stream = ['-p', '--output-format', 'stream-json', '--dangerously-skip-permissions'];
const input = [...stream, '--input-format', 'stream-json'];
const message = (content: string): string =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
const until = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done`;

function kinds(messages: readonly JsonObject[]): string[] {
  return messages.flatMap(({ type, subtype, result, status, origin }) => {
    if (type === 'result') return [`result ${result}${origin === undefined ? '' : ' (of a notice)'}`];
    const isOfTask = typeof subtype === 'string' && /task/.test(subtype);
    return isOfTask ? [`${subtype}${typeof status === 'string' ? ` ${status}` : ''}`] : [];
  });
}

function release(kit: HeadlessKit, name: string): void {
  writeFileSync(path.join(kit.cwd, name), '');
}

test('-p waits for a command in the background, and prints one result per turn', async (t) => {
  const kit = await startHeadless(t, ({ body }) => {
    const count = messagesOf(body).length;
    if (count === 1) return calls(['Bash', { command: until('a'), description: 'wait', run_in_background: true }]);
    return says(count === 3 ? 'started' : 'I see');
  });
  const running = kit.start([...stream, 'go']);
  running.child.stdin.end();
  await running.prints(/"type":"result"/);
  release(kit, 'a');
  const { status, messages } = await running.ended;
  assert.deepEqual(kinds(messages), [
    'background_tasks_changed',
    'task_started',
    'result started',
    'task_updated',
    'task_notification completed',
    'background_tasks_changed',
    'result I see (of a notice)',
  ]);
  assert.equal(status, 0);
});

test('the results wait while a sub-agent runs in the background', async (t) => {
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: true };
  const kit = await startHeadless(t, ({ body }) => {
    const messages = messagesOf(body);
    const count = messages.length;
    if (JSON.stringify(messages[0]).includes('"Look'))
      return count === 1 ? calls(['Bash', { command: until('a') }]) : says('it is blue');
    if (count === 1) return calls(['Agent', task]);
    return says(count === 3 ? 'started' : 'I see');
  });
  const running = kit.start([...stream, 'go']);
  running.child.stdin.end();
  await running.prints(/"text":"started"/);
  await running.prints(/task_progress/);
  release(kit, 'a');
  const { messages } = await running.ended;
  assert.deepEqual(kinds(messages), [
    'background_tasks_changed',
    'task_started',
    'task_progress',
    'task_updated',
    'task_notification completed',
    'background_tasks_changed',
    'result started',
    'result I see (of a notice)',
  ]);
});

test('a program that sends prompts gets each result at once, also while a sub-agent runs in the background', async (t) => {
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: true };
  const kit = await startHeadless(t, ({ body }) => {
    const messages = messagesOf(body);
    const count = messages.length;
    if (JSON.stringify(messages[0]).includes('"Look'))
      return count === 1 ? calls(['Bash', { command: until('a') }]) : says('it is blue');
    if (count === 1) return calls(['Agent', task]);
    return says(count === 3 ? 'started' : 'I see');
  });
  const running = kit.start(input);
  running.child.stdin.end(message('go'));
  // The sub-agent continues only after the result.
  await running.prints(/"result":"started"/);
  release(kit, 'a');
  const { messages } = await running.ended;
  assert.deepEqual(
    kinds(messages).filter((kind) => kind.startsWith('result') || kind.startsWith('task_notification')),
    ['result started', 'task_notification completed', 'result I see (of a notice)'],
  );
});

test('a result waits for a sub-agent in the background if the program decides about its calls', async (t) => {
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: true };
  const kit = await startHeadless(t, ({ body }) => {
    const messages = messagesOf(body);
    const count = messages.length;
    if (JSON.stringify(messages[0]).includes('"Look'))
      return count === 1 ? calls(['Bash', { command: until('a') }]) : says('it is blue');
    if (count === 1) return calls(['Agent', task]);
    return says(count === 3 ? 'started' : 'I see');
  });
  const running = kit.start(input);
  const hooks = { PreCompact: [{ hookCallbackIds: ['hook_0'] }] };
  const request = { subtype: 'initialize', hooks };
  running.child.stdin.write(`${JSON.stringify({ type: 'control_request', request_id: '1', request })}\n`);
  running.child.stdin.write(message('go'));
  await running.prints(/task_progress/);
  release(kit, 'a');
  await running.prints(/"result":"I see"/);
  running.child.stdin.end();
  const { messages } = await running.ended;
  assert.deepEqual(
    kinds(messages).filter((kind) => kind.startsWith('result') || kind.startsWith('task_notification')),
    ['task_notification completed', 'result started', 'result I see (of a notice)'],
  );
});

test('a message that comes during a call has no result of its own', async (t) => {
  const kit = await startHeadless(t, ({ body }) =>
    messagesOf(body).length === 1 ? calls(['Bash', { command: until('a') }]) : says('both'),
  );
  const running = kit.start(input);
  running.child.stdin.write(message('one'));
  await running.prints(/tool_use/);
  running.child.stdin.end(message('two'));
  await waitFor(() => {
    const [file] = kit.transcripts();
    return file !== undefined && readFileSync(file, 'utf8').includes('"operation":"enqueue"');
  });
  release(kit, 'a');
  const { status, messages } = await running.ended;
  assert.deepEqual(kinds(messages), ['result both']);
  assert.equal(status, 0);
  assert.match(
    JSON.stringify(kit.bodies().at(-1)),
    /sent a new message while you were working:\\n?\\\\ntwo|working:\\ntwo/,
  );
});

test('a signal ends the wait and what it waits for', async (t) => {
  const kit = await startHeadless(t, ({ body }) =>
    messagesOf(body).length === 1
      ? calls(['Bash', { command: 'echo $$ > pid; sleep 1000', run_in_background: true }])
      : says('started'),
  );
  const running = kit.start([...stream, 'go']);
  running.child.stdin.end();
  await running.prints(/"type":"result"/);
  const file = path.join(kit.cwd, 'pid');
  await waitFor(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  running.child.kill('SIGTERM');
  const { status, messages } = await running.ended;
  assert.equal(status, 143);
  assert.deepEqual(kinds(messages).slice(-3), [
    'task_updated',
    'task_notification stopped',
    'background_tasks_changed',
  ]);
  const pid = Number(readFileSync(file, 'utf8'));
  await waitFor(() => !isAlive(pid));
});
