import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.equal(summariseInput('mcp__x__y', { count: 3, blank: ' ', name: 'thing', more: 'x' }), 'thing');
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
