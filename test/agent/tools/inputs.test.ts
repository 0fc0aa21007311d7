import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ToolOutcome } from '../../../src/agent/contract/tool.ts';
import { makeTools } from '../../../src/agent/tools/all.ts';
import { limits } from '../../../src/agent/tools/shared/limits.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json/json.ts';
import { makeBench, setLimit } from './tool-kit.ts';

const agentTypes = [{ name: 'general-purpose', description: 'Anything.' }];
const tools = makeTools({ agentTypes });

test('the tools have the names of Claude Code and schemas that the API accepts', () => {
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties as object)].join(' ')),
    [
      'Agent description prompt subagent_type model run_in_background',
      'Bash command timeout description run_in_background dangerouslyDisableSandbox',
      'BashOutput bash_id filter',
      'KillShell shell_id',
      'TaskStop task_id shell_id',
      'Glob pattern path',
      'Grep pattern path glob type output_mode -A -B -C context -n -i -o multiline head_limit offset',
      'Read file_path offset limit pages allow_large',
      'Edit file_path old_string new_string replace_all',
      'Write file_path content',
      'NotebookEdit notebook_path cell_id new_source cell_type edit_mode',
      'TodoWrite todos',
      'WebFetch url prompt',
      'WebSearch query allowed_domains blocked_domains',
      'AskUserQuestion questions',
      'ExitPlanMode plan',
    ],
  );
  for (const { name, inputSchema, description } of tools) {
    assert.equal(inputSchema.type, 'object', name);
    assert.equal('$schema' in inputSchema, false, name);
    assert.ok(description.length > 20, name);
  }
  assert.deepEqual(tools.find(({ name }) => name === 'Edit')?.inputSchema.required, [
    'file_path',
    'old_string',
    'new_string',
  ]);
});

test('without agent types there is no Agent tool', () => {
  assert.equal(
    makeTools().some(({ name }) => name === 'Agent'),
    false,
  );
});

test('an invalid input is reported in one short line that names every field', () => {
  const problemOf = (name: string, input: JsonValue | undefined): string => {
    const parsed = tools.find((tool) => tool.name === name)?.parse(input);
    assert.ok(parsed !== undefined && 'problem' in parsed, name);
    return parsed.problem;
  };
  assert.equal(problemOf('Read', {}), 'Read was not run, its input is wrong: `file_path` is missing.');
  assert.equal(
    problemOf('Read', { file_path: 7, offset: 'three' }),
    'Read was not run, its input is wrong: `file_path`: Invalid input: expected string, received number; `offset`: Invalid input: expected number, received string.',
  );
  assert.match(problemOf('Read', undefined), /^Read was not run/);
  assert.match(problemOf('Read', [1]), /^Read was not run/);
  assert.match(problemOf('Read', { file_path: 'a\0b' }), /NUL/);
  assert.match(problemOf('Read', { file_path: 'x'.repeat(5000) }), /longer than 4096/);
  assert.match(problemOf('Bash', { command: 'a\0b' }), /NUL/);
  assert.match(problemOf('Bash', { command: 'x'.repeat(300_000) }), /write a script file/);
  assert.match(problemOf('Bash', { command: 'x', timeout: 'long' }), /`timeout`/);
  assert.match(
    problemOf('Agent', { description: 'd', prompt: 'p', subagent_type: 'x' }),
    /is not one of general-purpose/,
  );
  const many = problemOf('TodoWrite', { todos: Array.from({ length: 100 }, () => 7) });
  assert.match(many, /and 95 more\.$/);
  assert.ok(many.length < 1000);
});

test('unknown fields of an input are refused by name, and defaults are filled in', () => {
  const edit = tools.find(({ name }) => name === 'Edit');
  const input = { file_path: '/a', old_string: 'x', new_string: 'y' };
  assert.deepEqual(edit?.parse(input), { input: { ...input, replace_all: false } });
  assert.deepEqual(edit?.parse({ ...input, why: 1 }), {
    problem: 'Edit was not run, its input is wrong: `why` is not one of its parameters.',
  });
  assert.match(JSON.stringify(edit?.parse({ ...input, a: 1, b: 2 })), /`a`, `b` are not among its parameters/);
});

test('numbers, booleans, lists and objects may be written as strings', () => {
  const parse = (name: string, input: JsonObject) => tools.find((tool) => tool.name === name)?.parse(input);
  const file_path = '/a';
  assert.deepEqual(parse('Read', { file_path, offset: ' 3 ', limit: '2.0' }), {
    input: { file_path, offset: 3, limit: 2 },
  });
  for (const offset of ['', '0x3', '1e3', 'three', '2.5', null, true])
    assert.ok('problem' in (parse('Read', { file_path, offset }) ?? {}), String(offset));
  assert.deepEqual(parse('Edit', { file_path, old_string: 'a', new_string: 'b', replace_all: 'true' }), {
    input: { file_path, old_string: 'a', new_string: 'b', replace_all: true },
  });
  for (const replace_all of ['yes', 'True', 1, null, ''])
    assert.ok('problem' in (parse('Edit', { file_path, old_string: 'a', new_string: 'b', replace_all }) ?? {}));
  const todo = { content: 'Read', status: 'pending', activeForm: 'Reading' };
  assert.deepEqual(parse('TodoWrite', { todos: JSON.stringify([todo]) }), { input: { todos: [todo] } });
  assert.ok('problem' in (parse('TodoWrite', { todos: '{}' }) ?? {}));
  // A string stays a string, whatever it looks like.
  assert.deepEqual(parse('Write', { file_path, content: '7' }), { input: { file_path, content: '7' } });
});

test('Edit and Write take the names of the text editor tool, but not two names of one field', () => {
  const parse = (name: string, input: JsonObject) => tools.find((tool) => tool.name === name)?.parse(input);
  assert.deepEqual(parse('Write', { path: '/a', file_text: 'x' }), { input: { file_path: '/a', content: 'x' } });
  assert.deepEqual(parse('Edit', { path: ' /a ', old_str: 'x', new_str: 'y' }), {
    input: { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: false },
  });
  assert.ok('problem' in (parse('Write', { path: '/a', file_path: '/b', content: 'x' }) ?? {}));
  assert.ok('problem' in (parse('Read', { path: '/a' }) ?? {}));
});

test('no input makes a tool throw, neither in its check nor in its run', async (t) => {
  // A search may start at the root of the disk.
  setLimit(t, limits.search, 'timeoutMs', 200);
  const bench = makeBench(t, { 'a.txt': 'a' }, { agentTypes });
  const strange: fc.Arbitrary<JsonValue> = fc.oneof(
    fc.constantFrom<JsonValue>(
      '',
      '.',
      '..',
      '/',
      '/dev/null',
      '\ud800',
      'a\0',
      '~',
      '*',
      '\\',
      '-',
      'a.txt',
      '💥'.repeat(50),
    ),
    fc.constantFrom<JsonValue>(0, -1, 1.5, 1e308, true, false, null, [], {}),
    fc.jsonValue() as fc.Arbitrary<JsonValue>,
  );
  const safe = tools.filter(({ name }) => !['Bash', 'Write', 'Edit', 'WebFetch'].includes(name));
  const startAgent = async (): Promise<ToolOutcome> => ({ content: 'done', isError: false, stored: null });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...safe), fc.array(strange, { maxLength: 8 }), async (tool, values) => {
      const keys = Object.keys(tool.inputSchema.properties as object);
      const input: JsonObject = Object.fromEntries(
        keys.flatMap((key, i) => (i < values.length ? [[key, values[i]]] : [])),
      );
      const outcome = await bench.call(tool.name, input, { startAgent });
      assert.equal(typeof outcome.isError, 'boolean');
      assert.ok(JSON.stringify(outcome).isWellFormed());
      // An unchecked input is refused in the same way.
      assert.equal((await tool.run({ [keys[0] ?? '']: { odd: 1 } }, {} as never)).isError, true);
    }),
    { numRuns: 100, seed: 5 },
  );
});

test('TodoWrite replaces the list and stores the old and the new one', async (t) => {
  const bench = makeBench(t);
  const todo = { content: 'Read the code', status: 'in_progress', activeForm: 'Reading the code' };
  const first = await bench.call('TodoWrite', { todos: [{ ...todo, id: '1', priority: 'high' }] });
  assert.deepEqual(first.stored, { oldTodos: [], newTodos: [todo] });
  const done = { ...todo, status: 'completed' };
  assert.deepEqual((await bench.call('TodoWrite', { todos: [done] })).stored, { oldTodos: [todo], newTodos: [done] });
  assert.deepEqual(bench.workspace.todos, [done]);
});

test('AskUserQuestion returns the answers, or says that nobody answered', async (t) => {
  const bench = makeBench(t);
  const questions = [
    {
      question: 'Which?',
      header: 'Choice',
      options: [
        { label: 'A', description: 'a' },
        { label: 'B', description: 'b' },
      ],
      multiSelect: false,
    },
  ];
  const askUser = async () => ({ kind: 'answers', answers: { 'Which?': 'B' } }) as const;
  assert.deepEqual(await bench.call('AskUserQuestion', { questions }, { askUser }), {
    content: 'The person has answered: "Which?"="B". Go on with these answers in mind.',
    isError: false,
    stored: { questions, answers: { 'Which?': 'B' } },
  });
  assert.match(await bench.refusal('AskUserQuestion', { questions }), /Nobody answered/);
  assert.match(
    await bench.refusal('AskUserQuestion', { questions: [...questions, ...questions] }),
    /same question twice/,
  );
});

test('ExitPlanMode succeeds only if the user approves', async (t) => {
  const bench = makeBench(t);
  const plan = '# Plan\n\n1. Do it\n';
  const answer = (isApproved: boolean, comment?: string) => ({
    askUser: async () => ({ kind: 'plan', isApproved, ...(comment === undefined ? {} : { comment }) }) as const,
  });
  assert.deepEqual(await bench.call('ExitPlanMode', { plan }, answer(true)), {
    content: `The person has approved the plan. Begin with the work.\n\n## Approved plan\n${plan}`,
    isError: false,
    stored: { plan, isAgent: false },
  });
  assert.match(
    await bench.refusal('ExitPlanMode', { plan }, answer(false, 'smaller')),
    /Stay in plan mode\. They say: smaller$/,
  );
  assert.match(await bench.refusal('ExitPlanMode', { plan }), /Nobody approved/);
});

test('Agent hands the work to the loop', async (t) => {
  const bench = makeBench(t, {}, { agentTypes });
  const outcome: ToolOutcome = { content: 'report', isError: false, stored: { status: 'completed' }, agentId: 'a1' };
  const given: unknown[] = [];
  const startAgent = async (task: unknown): Promise<ToolOutcome> => {
    given.push(task);
    return outcome;
  };
  const input = { description: 'Count', prompt: 'Count the files.', subagent_type: 'general-purpose' };
  assert.deepEqual(await bench.call('Agent', input, { startAgent }), outcome);
  await bench.call('Agent', { ...input, model: 'small', run_in_background: true }, { startAgent });
  const task = { description: 'Count', prompt: 'Count the files.', type: 'general-purpose' };
  assert.deepEqual(given, [
    { ...task, isBackground: false },
    { ...task, model: 'small', isBackground: true },
  ]);
});
