import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../../src/base/json/json.ts';
import { isToolResult } from '../../../src/format/entry/block.ts';
import { asEntry, contentOf, isUser } from '../../../src/format/entry/entry.ts';
import {
  isHunk,
  isTodo,
  type ToolResultKind,
  toolResultFields,
  toolResultKind,
} from '../../../src/format/entry/tool-result.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { misdeclaredPaths, undeclaredKeys } from '../../support/table-check.ts';

const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }];

const samples: readonly (readonly [ToolResultKind, JsonValue])[] = [
  ['bash', { stdout: 'ok', stderr: '', interrupted: false, isImage: false }],
  ['bash', { stdout: '', stderr: 'no', is_error: true }],
  ['shell', { shellId: 'b1', command: 'ls', status: 'running', exitCode: null, stdout: '', stderr: '' }],
  ['read', { type: 'text', file: { filePath: '/a', content: '', numLines: 0, startLine: 1, totalLines: 0 } }],
  ['read', { type: 'notebook', file: { filePath: '/a.ipynb', cells: [] } }],
  ['read', { type: 'pdf', file: { filePath: '/a.pdf', base64: '', originalSize: 3 } }],
  ['read', { type: 'file_unchanged', file: { filePath: '/a' } }],
  ['image', { type: 'image', file: { base64: '', type: 'image/png', originalSize: 3 } }],
  ['write', { type: 'create', filePath: '/a', content: 'x', structuredPatch: [], originalFile: null }],
  ['write', { type: 'update', filePath: '/a', content: 'x', structuredPatch: patch, originalFile: 'y' }],
  ['edit', { filePath: '/a', oldString: 'a', newString: 'b', originalFile: 'a', structuredPatch: patch }],
  ['edit', { filePath: '/a', edits: [], originalFileContents: 'a', structuredPatch: patch }],
  ['notebook-edit', { notebook_path: '/a.ipynb', edit_mode: 'replace', cell_id: 'c', new_source: 'x' }],
  ['glob', { filenames: [], durationMs: 1, numFiles: 0, truncated: false }],
  ['grep', { mode: 'content', numFiles: 0, filenames: [], content: 'x', numLines: 1 }],
  ['agent', { status: 'completed', prompt: 'p', agentId: 'a1', content: [], totalTokens: 1 }],
  ['agent-launch', { isAsync: true, status: 'async_launched', agentId: 'a1', outputFile: '/o' }],
  ['agent-without-id', { content: [], totalDurationMs: 1, totalTokens: 1, totalToolUseCount: 0, usage: {} }],
  ['teammate', { status: 'teammate_spawned', teammate_id: 'a@t', agent_id: 'a@t', name: 'a', team_name: 't' }],
  ['todos', { oldTodos: [], newTodos: [{ content: 'c', status: 'pending', activeForm: 'C' }] }],
  ['task', { task: { id: '1', subject: 's' } }],
  ['task-list', { tasks: [] }],
  ['task-update', { success: true, taskId: '1', updatedFields: ['status'] }],
  ['task-output', { retrieval_status: 'success', task: { task_id: 'b1', status: 'completed' } }],
  ['task-stop', { message: 'stopped', task_id: 'b1', task_type: 'local_bash' }],
  ['shell-stop', { success: true, message: 'killed', shell_id: 'b1' }],
  ['web-fetch', { bytes: 1, code: 200, codeText: 'OK', result: 'r', durationMs: 1, url: 'https://example.com' }],
  ['web-search', { query: 'q', results: ['r', { tool_use_id: 's', content: [] }], durationSeconds: 1 }],
  ['tool-search', { matches: ['Read'], query: 'q', total_deferred_tools: 2 }],
  ['plan', { plan: '1. do it', isAgent: false }],
  ['question', { questions: [], answers: { q: 'a' } }],
  ['skill', { success: true, commandName: 'greet' }],
  ['message', { success: true, message: 'sent', routing: { sender: 'a', target: 'b' } }],
  ['mcp', [{ type: 'text', text: 'x' }]],
  ['error', 'Error: Exit code 1'],
  ['error', 'InputValidationError: [ … ]'],
  ['error', 'User rejected tool use'],
  ['text', 'File created successfully at: /a'],
  ['text', 'An Error: in the middle'],
  ['other', { message: 'only' }],
  ['other', { stdout: 1, stderr: 2 }],
  ['other', null],
  ['other', 3],
];

test('the kind of a tool result is recognised by its shape', () => {
  for (const [kind, value] of samples) assert.equal(toolResultKind(value), kind, JSON.stringify(value));
});

test('every shape of the table has a sample, so none is hidden by another', () => {
  const met = new Set(samples.map(([kind]) => kind));
  assert.deepEqual(
    Object.keys(toolResultFields).filter((shape) => !met.has(shape as ToolResultKind)),
    [],
  );
});

test('hunks and todos without a required field are refused', () => {
  assert.deepEqual([...patch, { oldStart: 'x' }].filter(isHunk), patch);
  assert.deepEqual([{ content: 'c', status: 'pending' }, { content: 'c' }, null].map(isTodo), [true, false, false]);
});

test('no value makes the recognition throw', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      toolResultKind(value);
      isHunk(value);
      isTodo(value);
    }),
  );
});

test('every tool result of the corpora is recognised, but for those listed here', () => {
  const unrecognised = corpusResults('real', 'public')
    .filter(({ result }) => toolResultKind(result) === 'other')
    .map(({ result }) => (isObject(result) ? Object.keys(result) : result));
  // A fixture of another project that trimmed a TaskStop result to its message.
  assert.deepEqual(unrecognised, [['message']]);
});

test('a result stored as a string is an error exactly where its block says so', () => {
  const strings = corpusResults('real', 'public').filter(
    ({ result, isError }) => typeof result === 'string' && isError,
  );
  assert.ok(strings.length > 200);
  const disagreeing = corpusResults('real', 'public')
    .filter(({ result, isError }) => typeof result === 'string' && isError !== undefined)
    .filter(({ result, isError }) => (toolResultKind(result) === 'error') !== isError);
  assert.deepEqual(disagreeing, []);
});

test('every hunk and every todo of the corpora is well-formed', () => {
  const results = corpusResults('real', 'public').map(({ result }) => result);
  const parts = (key: string): readonly JsonValue[] =>
    results.flatMap((result) => {
      const value = isObject(result) ? result[key] : undefined;
      return isArray(value) ? value : [];
    });
  assert.ok(parts('structuredPatch').length > 0 && parts('newTodos').length > 0);
  assert.deepEqual(
    parts('structuredPatch').filter((part) => !isHunk(part)),
    [],
  );
  assert.deepEqual(
    parts('newTodos').filter((part) => !isTodo(part)),
    [],
  );
});

test('every field of a tool result the real client wrote is declared, with its kind', () => {
  const wrong = new Set<string>();
  for (const { result } of corpusResults('real')) {
    const kind = toolResultKind(result);
    if (!isObject(result) || !(kind in toolResultFields)) continue;
    const table = toolResultFields[kind as keyof typeof toolResultFields];
    for (const key of undeclaredKeys(result, table)) {
      wrong.add(`${kind}.${key} is not declared`);
    }
    for (const path of misdeclaredPaths(result as JsonObject, table)) wrong.add(`${kind}.${path} is of another kind`);
  }
  assert.deepEqual([...wrong].sort(), []);
});

interface CorpusResult {
  readonly result: JsonValue;
  /** Of the line's tool_result block; `undefined` where there is none. */
  readonly isError: boolean | undefined;
}

function corpusResults(...corpora: readonly ('real' | 'public')[]): CorpusResult[] {
  return [...corpusValues(...corpora)].flatMap((value) => {
    const entry = asEntry(value);
    if (entry === undefined || !isUser(entry) || entry.toolUseResult === undefined) return [];
    const block = contentOf(entry).find(isToolResult);
    return [{ result: entry.toolUseResult, isError: block && block.is_error === true }];
  });
}
