// Calls and errors as a reader sees them: tasks and agents by name, what the user declined is not a failure, an error
// that retries repeat is one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/index.ts';
import { exportMarkdown } from '../../../src/export/markdown/index.ts';
import { turnViews } from '../../../src/export/page/index.ts';
import { exportSource } from '../../../src/export/source/index.ts';
import type { Item } from '../../../src/session/items/index.ts';
import type { Session } from '../../../src/session/load/index.ts';
import { Story } from '../../../src/session/story/story.ts';
import { text, toolResult, transcript } from '../../support/transcript-builder.ts';

function itemsOf(session: Session): readonly Item[] {
  const story = new Story(session);
  return story.turns.flatMap((turn) => [...story.items(turn)]);
}

function callsOf(session: Session): readonly (readonly string[])[] {
  return itemsOf(session).flatMap((item) =>
    item.kind === 'call' ? [[item.state, item.tool, item.summary, item.outcome]] : [],
  );
}

const use = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'tool_use', id, name, input });

test('tasks are named by their subject', () => {
  const session = transcript()
    .user('go')
    .assistant([use('t1', 'TaskCreate', { description: 'at length', subject: 'Write the tests' })])
    .user([toolResult('t1', 'Task #1 created successfully: Write the tests')])
    .assistant([use('t2', 'TaskUpdate', { taskId: '1', status: 'in_progress' })])
    .user([toolResult('t2', 'Updated task #1 status')])
    .assistant([use('t3', 'TaskUpdate', { taskId: '1', owner: 'alice', addBlockedBy: ['2', '3'] })])
    .user([toolResult('t3', 'Updated task #1 owner, blockedBy')])
    .assistant([use('t4', 'TaskUpdate', { taskId: '9', status: 'completed' })])
    .user([toolResult('t4', 'Task not found', { is_error: true })])
    .assistant([use('t5', 'TaskGet', { taskId: '1' })])
    .user([toolResult('t5', 'Task #1: Write the tests\nStatus: in_progress')])
    .session();
  assert.deepEqual(callsOf(session), [
    ['done', 'TaskCreate', 'Write the tests', '#1'],
    ['done', 'TaskUpdate', '#1 Write the tests → in progress', ''],
    ['done', 'TaskUpdate', '#1 Write the tests → alice, waits for #2, #3', ''],
    ['failed', 'TaskUpdate', '#9 → completed', 'Task not found'],
    ['done', 'TaskGet', '#1 Write the tests', '2 lines'],
  ]);
});

test('an edit that the user declined is not an error, and its diff stays', async () => {
  const rejected =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). How to proceed, the user said:\nkeep b";
  const session = transcript()
    .user('go')
    .assistant([use('t1', 'Edit', { file_path: '/w/x.ts', old_string: 'a', new_string: 'b' })])
    .user([toolResult('t1', rejected, { is_error: true })])
    .session();
  assert.deepEqual(callsOf(session), [['declined', 'Edit', '/w/x.ts', 'You declined this edit: keep b']]);
  const [call] = turnViews(session, { from: 0, to: 1 }).flatMap(({ items }) => items);
  assert.ok(call?.kind === 'call' && call.detail.as === 'diff');
  assert.deepEqual(
    [call.state, call.reply?.text, call.error, call.detail.hunks],
    ['declined', 'keep b', null, [{ oldStart: 1, newStart: 1, lines: ['-a', '+b'] }]],
  );
  let markdown = '';
  for await (const piece of exportMarkdown(exportSource(session), { turn: 1 })) markdown += piece;
  assert.ok(
    markdown.endsWith(
      '<summary>⊘ <b>Edit</b> <code>/w/x.ts</code> · You declined this edit: keep b</summary>\n\n```diff\n-a\n+b\n```\n\n</details>\n',
    ),
    markdown,
  );
});

test('an error that retries repeat is one item with all its lines', () => {
  const retry = (message: string, retryAttempt: number): JsonObject => ({
    error: { status: 529, message },
    retryAttempt,
    maxRetries: 10,
  });
  const session = transcript()
    .user('go')
    .system('api_error', { ...retry('Overloaded', 1) })
    .system('api_error', { ...retry('Overloaded', 2) })
    .system('api_error', { ...retry('Overloaded', 3) })
    .system('api_error', { ...retry('Timeout', 4) })
    .assistant([text('done')])
    .system('api_error', { ...retry('Timeout', 1) })
    .assistant([text('done again')])
    .session();
  const errors = itemsOf(session).flatMap((item) =>
    item.kind === 'error' ? [[item.text.text, item.node.line, item.repeats.map(({ line }) => line)]] : [],
  );
  assert.deepEqual(errors, [
    ['API error 529: Overloaded, retry 3 of 10', 2, [3, 4]],
    ['API error 529: Timeout, retry 4 of 10', 5, []],
    ['API error 529: Timeout, retry 1 of 10', 7, []],
  ]);
});

test('results that are written for the model say in a few words what they mean', () => {
  const session = transcript()
    .user('go')
    .assistant([use('t1', 'ToolSearch', { query: 'select:WebSearch,WebFetch' })])
    .user([
      toolResult('t1', [
        { type: 'tool_reference', tool_name: 'WebSearch' },
        { type: 'tool_reference', tool_name: 'WebFetch' },
      ]),
    ])
    .assistant([use('t2', 'SendMessage', { to: 'alice', summary: 'round 2' })])
    .user([toolResult('t2', '{"success":true,"message":"Message sent to alice\'s inbox"}')])
    .assistant([use('t3', 'KillShell', { shell_id: 'dce0af' })])
    .user([toolResult('t3', '{"message":"Successfully killed shell: dce0af (pnpm dev)","shell_id":"dce0af"}')])
    .assistant([use('t4', 'SendMessage', { to: 'bob', message: 'hi' })])
    .user([toolResult('t4', 'not JSON')])
    .session();
  assert.deepEqual(
    callsOf(session).map(([, tool, , outcome]) => [tool, outcome]),
    [
      ['ToolSearch', 'WebSearch, WebFetch'],
      ['SendMessage', "Message sent to alice's inbox"],
      ['KillShell', 'Successfully killed shell: dce0af (pnpm dev)'],
      ['SendMessage', 'not JSON'],
    ],
  );
});

test('notes begin with what happened, and hold what was attached', () => {
  const notice =
    '<task-notification>\n<task-id>aa5ef13</task-id>\n<status>completed</status>\n<summary>Agent "Poem" completed</summary>\n<result>A sunset.\n\nIn a pot.</result>\n</task-notification>';
  const file = { type: 'file', filename: 'a.ts', content: { type: 'text', file: { content: 'const a = 1;' } } };
  const found = { uri: 'file:///w/a.ts', diagnostics: [{ severity: 'Error', message: 'x is missing' }] };
  const session = transcript()
    .user('go')
    .assistant([text('API Error: 400 {"type":"error"}')], { message: { model: '<synthetic>' } })
    .attachment('file', undefined, { attachment: file })
    .attachment('diagnostics', undefined, { attachment: { type: 'diagnostics', files: [found] } })
    .user(notice)
    .assistant([text('done')])
    .session();
  const shown = itemsOf(session).flatMap((item) => {
    if (item.kind === 'error') return [['error', item.text.text]];
    return item.kind === 'note' || item.kind === 'context' ? [[item.label, item.text.text]] : [];
  });
  assert.deepEqual(shown, [
    ['error', 'API Error: 400 {"type":"error"}'],
    ['file · a.ts', 'const a = 1;'],
    ['diagnostics of the editor', '/w/a.ts: Error x is missing'],
    ['notification', 'Agent "Poem" completed\nA sunset.\n\nIn a pot.\n(aa5ef13, completed)'],
  ]);
});
