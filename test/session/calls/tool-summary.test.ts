import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/index.ts';
import { summariseInput } from '../../../src/session/calls/input-summary.ts';

test('a known tool shows the field that says most', () => {
  const inputs = {
    description: 'about',
    command: 'ls -l',
    file_path: '/a',
    pattern: 'x.*',
    url: 'https://a.b',
    query: 'q',
  };
  const shown = Object.fromEntries(
    ['Agent', 'Bash', 'Edit', 'Grep', 'Task', 'WebFetch', 'WebSearch'].map((name) => [
      name,
      summariseInput(name, inputs),
    ]),
  );
  assert.deepEqual(shown, {
    Agent: 'about',
    Bash: 'ls -l',
    Edit: '/a',
    Grep: 'x.*',
    Task: 'about',
    WebFetch: 'https://a.b',
    WebSearch: 'q',
  });
});

test('any other tool, and a known one without its field, shows its first text', () => {
  assert.equal(summariseInput('odd', { count: 3, blank: ' ', name: 'thing', more: 'x' }), 'thing');
  assert.equal(summariseInput('mcp__x__y', { count: 3, blank: ' ', name: 'thing' }), 'count: 3, name: thing');
  assert.equal(summariseInput('Bash', { command: 7, note: 'odd' }), 'odd');
  assert.equal(summariseInput('Bash', {}), '');
});

test('a list of tasks shows how many are done', () => {
  const todos = [{ status: 'completed' }, { status: 'pending' }, 'odd', { status: 'completed' }];
  assert.equal(summariseInput('TodoWrite', { todos }), '2 of 4 done');
});

test('an input that is a text is its own summary', () => {
  assert.deepEqual(
    ['raw', null, undefined, 5, ['x']].map((input) => summariseInput('Bash', input)),
    ['raw', '', '', '', ''],
  );
});

test('tools with several fields are read as one line', () => {
  const names = {
    taskSubject: (id: string) => (id === '1' ? 'Write the tests' : undefined),
    agentName: (id: string) => (id === 'a1' ? 'Explore: find the tests' : undefined),
  };
  const table: readonly (readonly [tool: string, input: JsonObject, summary: string])[] = [
    ['TaskUpdate', { taskId: '1', status: 'in_progress' }, '#1 Write the tests → in progress'],
    ['TaskUpdate', { taskId: '7', status: 'completed' }, '#7 → completed'],
    ['TaskUpdate', { taskId: '1' }, '#1 Write the tests'],
    ['TaskOutput', { task_id: 'a1', block: false }, 'Explore: find the tests'],
    ['TaskStop', { task_id: 'b1' }, 'b1'],
    ['SendMessage', { to: 'alice', summary: 'round 2', message: 'go' }, 'to alice: round 2'],
    ['SendMessage', { type: 'shutdown_request', recipient: 'alice', content: 'Thanks' }, 'to alice: shutdown request'],
    ['Skill', { skill: 'greet', command: 'greet', args: 'Bob' }, 'greet Bob'],
    ['CronCreate', { cron: '*/2 * * * *', prompt: 'tick' }, '*/2 * * * *: tick'],
    ['ScheduleWakeup', { delaySeconds: 240, reason: 'first tick' }, 'in 240 s: first tick'],
    ['Workflow', { script: "export const meta = {\n  name: 'demo-review',\n}" }, 'demo-review'],
    ['AskUserQuestion', { questions: [{ question: 'Which port?' }, { question: 'Why?' }] }, 'Which port? · Why?'],
    ['ExitPlanMode', { plan: '\n## The plan\n\n1. go' }, 'The plan'],
    ['TodoWrite', { todos: [{ content: 'a', status: 'in_progress', activeForm: 'Doing a' }] }, '0 of 1 done · Doing a'],
    ['mcp__github__get_issue', { owner: 'kim', number: 12, options: {} }, 'owner: kim, number: 12'],
    ['mcp__x__y', { query: 'one' }, 'one'],
    ['toString', { a: 'x' }, 'x'],
  ];
  for (const [tool, input, summary] of table) assert.equal(summariseInput(tool, input, names), summary, tool);
});
