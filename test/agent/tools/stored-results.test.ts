// The stored results of the tools have the shapes of recorded sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../../src/agent/contract/tool.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { toolResultKind } from '../../../src/format/entry/tool-result.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { makeBench, storedOf } from './tool-kit.ts';

test('every stored result has the shape of its kind', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one\n', 'p.png': tinyImage('png', 2, 2) });
  const kinds: string[] = [];
  const call = async (
    name: string,
    input: JsonObject,
    more: Partial<CallContext> = {},
  ): Promise<JsonObject | undefined> => {
    const outcome = await bench.call(name, input, more);
    kinds.push(`${name} ${toolResultKind(outcome.stored)}`);
    return outcome.isError ? undefined : storedOf(outcome);
  };
  await call('Read', { file_path: 'a.txt' });
  await call('Read', { file_path: 'p.png' });
  await call('Read', { file_path: 'absent' });
  await call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
  await call('Write', { file_path: 'a.txt', content: 'three' });
  await call('Write', { file_path: 'b.txt', content: 'new' });
  await call('Bash', { command: 'echo hi' });
  const id = String((await call('Bash', { command: 'sleep 100', run_in_background: true }))?.backgroundTaskId);
  await call('BashOutput', { bash_id: id });
  await call('KillShell', { shell_id: id });
  const other = String((await call('Bash', { command: 'sleep 100', run_in_background: true }))?.backgroundTaskId);
  await call('TaskStop', { task_id: other });
  await call('Glob', { pattern: '*' });
  await call('Grep', { pattern: 'e', output_mode: 'content' });
  await call('TodoWrite', { todos: [] });
  await call('ExitPlanMode', { plan: 'p' }, { askUser: async () => ({ kind: 'plan', isApproved: true }) });
  const options = [{ label: 'a' }, { label: 'b' }];
  await call(
    'AskUserQuestion',
    { questions: [{ question: 'q', header: 'h', options }] },
    { askUser: async () => ({ kind: 'answers', answers: { q: 'a' } }) },
  );
  await call('WebSearch', { query: 'xx' }, { askModel: async () => ({ blocks: [{ type: 'text', text: 'x' }] }) });
  assert.deepEqual(kinds, [
    'Read read',
    'Read image',
    'Read error',
    'Edit edit',
    'Write write',
    'Write write',
    'Bash bash',
    'Bash bash',
    'BashOutput shell',
    'KillShell shell-stop',
    'Bash bash',
    'TaskStop task-stop',
    'Glob glob',
    'Grep grep',
    'TodoWrite todos',
    'ExitPlanMode plan',
    'AskUserQuestion question',
    'WebSearch web-search',
  ]);
});
