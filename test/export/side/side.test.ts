// The right side of the session page as data: files with their changes, and the to-do list, as they were after a turn.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../../../src/base/json/json.ts';
import { fileEdits, sideView } from '../../../src/export/side/side.ts';
import type { SideView } from '../../../src/export/wire/side.ts';
import { loadSession, makeSession } from '../../../src/session/load/session.ts';
import { type GrowingTranscript, loadGrowingInSteps } from '../../../src/session/transcript/growing-transcript.ts';
import { sessionFiles } from '../../../src/store/session-files.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import {
  sessionId,
  type TranscriptBuilder,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

/** A call with its result, each on a line. */
function done(
  builder: TranscriptBuilder,
  [id, tool, input]: readonly [string, string, JsonObject],
  [output, stored, isError = false]: readonly [string, (JsonValue | undefined)?, boolean?],
): TranscriptBuilder {
  return builder
    .assistant([toolUse(id, tool, input)])
    .user(
      [toolResult(id, output, isError ? { is_error: true } : {})],
      stored === undefined ? {} : { toolUseResult: stored },
    );
}

const patch = (lines: readonly string[]): JsonValue => ({
  structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [...lines] }],
});

function worked(): TranscriptBuilder {
  const builder = transcript().user('first');
  done(builder, ['w', 'Write', { file_path: '/a.ts', content: 'one\ntwo\nthree\n' }], ['created', { type: 'create' }]);
  done(
    builder,
    ['e', 'Edit', { file_path: '/b.ts', old_string: 'x', new_string: 'y' }],
    ['ok', patch([' a', '-x', '+y', '+z'])],
  );
  builder.user('second');
  done(builder, ['f', 'Edit', { file_path: '/a.ts', old_string: 'n', new_string: 'm' }], ['rejected', undefined, true]);
  done(
    builder,
    ['g', 'Edit', { file_path: '/a.ts', old_string: 'one', new_string: '1' }],
    ['ok', patch(['-one', '+1'])],
  );
  builder.assistant([toolUse('h', 'Write', { file_path: '/c.ts', content: 'c' })]);
  return builder;
}

function rows({ files }: SideView): readonly unknown[] {
  return files.map(({ file, path: name, added, removed, edits, failed, turn }) => [
    file,
    name,
    added,
    removed,
    edits,
    failed,
    turn,
  ]);
}

test('files up to a turn: added and removed lines of the changes that were made', async () => {
  const session = worked().session();
  assert.deepEqual(rows(await sideView(session, { turn: 1 })), [
    [1, '/b.ts', 2, 1, 1, 0, 1],
    [0, '/a.ts', 3, 0, 1, 0, 1],
  ]);
  assert.deepEqual(rows(await sideView(session, {})), [
    [2, '/c.ts', 0, 0, 0, 0, 2],
    [0, '/a.ts', 4, 1, 2, 1, 2],
    [1, '/b.ts', 2, 1, 1, 0, 1],
  ]);
});

test('the changes of a file, in order, with their place and state', async () => {
  const session = worked().session();
  const found = await fileEdits(session, { file: 0 });
  assert.equal(found?.path, '/a.ts');
  assert.deepEqual(
    found?.edits.map(({ place, turn, tool, state, diff }) => [
      place.line,
      turn,
      tool,
      state,
      diff.hunks.map(({ lines }) => lines),
    ]),
    [
      [2, 1, 'Write', 'done', [['+one', '+two', '+three']]],
      [7, 2, 'Edit', 'failed', [['-n', '+m']]],
      [9, 2, 'Edit', 'done', [['-one', '+1']]],
    ],
  );
  assert.deepEqual((await fileEdits(session, { file: 0, turn: 1 }))?.edits.length, 1);
  assert.equal(await fileEdits(session, { file: 3 }), undefined);
});

test('a session that grew: the call that was running has its result', async (context) => {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  const builder = worked();
  builder.write(file);
  const before = readGrowing(file);
  const [running] = rows(await sideView(makeSession(sessionFiles(file), before.transcript), {}));
  assert.deepEqual(running, [2, '/c.ts', 0, 0, 0, 0, 2]);
  builder.user([toolResult('h', 'created')]).write(file);
  // The lines that were read before stay the same objects.
  const grown = before.grow().transcript;
  assert.equal(grown.nodes[0], before.transcript.nodes[0]);
  const [first] = rows(await sideView(makeSession(sessionFiles(file), grown), {}));
  assert.deepEqual(first, [2, '/c.ts', 1, 0, 1, 0, 2]);
});

function readGrowing(file: string): GrowingTranscript {
  const steps = loadGrowingInSteps(file);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

test('TodoWrite replaces the list', async () => {
  const todo = (content: string, status: string): JsonObject => ({ content, status, activeForm: content });
  const builder = transcript().user('first');
  done(builder, ['t', 'TodoWrite', { todos: [todo('Read', 'in_progress'), todo('Write', 'pending')] }], ['ok']);
  builder.user('second');
  done(builder, ['u', 'TodoWrite', { todos: [todo('Write', 'completed')] }], ['ok']);
  done(builder, ['v', 'TodoWrite', { todos: [] }], ['failed', undefined, true]);
  const session = builder.session();
  assert.deepEqual((await sideView(session, { turn: 1 })).todos, {
    todos: [
      { content: 'Read', status: 'in_progress' },
      { content: 'Write', status: 'pending' },
    ],
    line: 2,
  });
  assert.deepEqual((await sideView(session, {})).todos, {
    todos: [{ content: 'Write', status: 'completed' }],
    line: 5,
  });
  assert.equal((await sideView(transcript().user('none').session(), {})).todos, null);
});

test('tasks are created, updated, renamed and deleted one by one', async () => {
  const builder = transcript().user('first');
  done(builder, ['a', 'TaskCreate', { subject: 'Read' }], ['Task #1 created successfully: Read']);
  done(builder, ['b', 'TaskCreate', { subject: 'Write' }], ['Task #2 created successfully: Write']);
  done(builder, ['c', 'TaskUpdate', { taskId: '1', status: 'in_progress' }], ['Updated task #1 status']);
  builder.user('second');
  done(builder, ['d', 'TaskUpdate', { taskId: '2', subject: 'Write all' }], ['Updated task #2']);
  done(builder, ['e', 'TaskUpdate', { taskId: '1', status: 'deleted' }], ['Updated task #1 status']);
  const session = builder.session();
  assert.deepEqual((await sideView(session, { turn: 1 })).todos?.todos, [
    { content: 'Read', status: 'in_progress' },
    { content: 'Write', status: 'pending' },
  ]);
  assert.deepEqual((await sideView(session, {})).todos?.todos, [{ content: 'Write all', status: 'pending' }]);
});

/** The final list by raw JSON: results in the order of the file, each with the input of its call. */
function rawTasks(file: string): readonly (readonly [string, string])[] {
  const inputs = new Map<string, Record<string, string>>();
  const tasks = new Map<string, [string, string]>();
  for (const line of readFileSync(file, 'utf8')
    .split('\n')
    .filter((each) => each !== '')) {
    const { message, toolUseResult } = JSON.parse(line);
    for (const block of Array.isArray(message?.content) ? message.content : []) {
      if (block.type === 'tool_use') inputs.set(block.id, block.input);
      const input = block.type === 'tool_result' ? inputs.get(block.tool_use_id) : undefined;
      if (toolUseResult?.task !== undefined) tasks.set(toolUseResult.task.id, [toolUseResult.task.subject, 'pending']);
      else if (toolUseResult?.statusChange !== undefined)
        tasks.set(input?.taskId ?? '', [tasks.get(input?.taskId ?? '')?.[0] ?? '', toolUseResult.statusChange.to]);
      else for (const task of toolUseResult?.tasks ?? []) tasks.set(task.id, [task.subject, task.status]);
    }
  }
  return [...tasks.values()];
}

test('tasks of real clients end as their raw results say', async () => {
  const real = path.join(corpusFolder, 'corpus/real');
  const files = readdirSync(real, { recursive: true, encoding: 'utf8' })
    .filter((file) => /compact\/[^/]*\/[0-9a-f-]{36}\.jsonl$/.test(file))
    .map((file) => path.join(real, file))
    .filter((file) => readFileSync(file, 'utf8').includes('"name":"TaskCreate"'));
  assert.ok(files.length >= 3, `${files.length} files`);
  for (const file of files) {
    const { todos } = await sideView(await loadSession(file), {});
    assert.deepEqual(
      todos?.todos.map(({ content, status }) => [content, status]),
      rawTasks(file),
      file,
    );
  }
});
