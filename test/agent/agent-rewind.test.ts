// Rewinding through the handle: files, chat or both, with the changes of sub-agents.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startAgent } from '../support/agent-kit.ts';
import { assertSame, calls, messagesOf, results, says, texts } from '../support/agent-talk.ts';

test('files are restored to before a prompt, also those of sub-agents, and the chat only if requested', async (t) => {
  const task = { description: 'change', prompt: 'Change it', subagent_type: 'general-purpose' };
  const kit = await startAgent(t, ({ body }) => {
    const messages = messagesOf(body);
    const said = texts({ messages });
    const isAnswered = JSON.stringify(messages.at(-1)).includes('tool_result');
    if (said[0] === 'Change it')
      return isAnswered
        ? says('changed')
        : calls(
            ['Bash', { command: 'cat a.txt' }],
            ['Read', { file_path: 'a.txt' }],
            ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }],
            ['Write', { file_path: 'b.txt', content: 'new' }],
          );
    if (isAnswered) return says('done');
    if (said.at(-1) === 'write') return calls(['Write', { file_path: 'a.txt', content: 'one\n' }]);
    if (said.at(-1) === 'delegate') return calls(['Agent', task]);
    return calls(['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'three' }]);
  });
  const [a, b] = [path.join(kit.cwd, 'a.txt'), path.join(kit.cwd, 'b.txt')];
  await kit.agent.prompt('write');
  await kit.agent.prompt('delegate');
  assert.deepEqual([read(a), read(b)], ['two\n', 'new']);
  const points = await kit.agent.rewindPoints();
  assert.deepEqual(
    points.map(({ prompt, changedFiles }) => [prompt, changedFiles.map((file) => path.basename(file)).sort()]),
    [
      ['write', ['a.txt', 'b.txt']],
      ['delegate', ['a.txt', 'b.txt']],
    ],
  );
  const [first, second] = points;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(await kit.agent.rewind(second, 'files'), {
    restored: [a],
    removed: [b],
    problems: [],
    prompt: 'delegate',
  });
  assert.deepEqual([read(a), read(b)], ['one\n', undefined]);
  // The model has not seen these bytes: the edit says so.
  await kit.agent.prompt('edit');
  assert.match(JSON.stringify(results(kit.events).at(-1)), /has been updated\.[^"]*read it before edits/);
  assert.deepEqual(texts(kit.bodies().at(-1)).slice(0, 4), ['write', 'done', 'delegate', 'done']);
  await assertSame(kit);
  assert.deepEqual(await kit.agent.rewind(first, 'both'), {
    restored: [],
    removed: [a],
    problems: [],
    prompt: 'write',
  });
  assert.deepEqual([read(a), read(b)], [undefined, undefined]);
  await kit.agent.prompt('write');
  assert.deepEqual(texts(kit.bodies().at(-1)), ['write']);
  assert.equal(read(a), 'one\n');
  await assertSame(kit);
});

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
