// The page as data, on small sessions: what each kind of call, note and prompt becomes, as whole objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { sessionHead } from '../../../src/export/page/head.ts';
import { findLine, linesPerPart } from '../../../src/export/page/parts.ts';
import { textAt } from '../../../src/export/page/text.ts';
import { turnViews } from '../../../src/export/page/turn-view.ts';
import { partBits } from '../../../src/export/wire/part-facts.ts';
import type { CallDetail, CallItem, Item, TurnView } from '../../../src/export/wire/view.ts';
import type { Session } from '../../../src/session/load/session.ts';
import {
  sessionId,
  startTime,
  text,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

const whole = (session: Session): readonly TurnView[] => turnViews(session, { from: 0, to: 1_000 });
const itemsOf = (session: Session): readonly Item[] => whole(session).flatMap((view) => view.items);
const short = (words: string) => ({ text: words, more: 0, at: null });

test('the head of a session: its row for each turn, and what it took', () => {
  const session = transcript()
    .user('first  prompt\nof two lines')
    .call('c1')
    .result('c1', { message: { content: [toolResult('c1', 'no', { is_error: true })] } })
    .assistant('done')
    .user('second')
    .assistant('done again')
    .session();
  const { turns, ...head } = sessionHead(session);
  const one = { inputTokens: 5, outputTokens: 5, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  const usage = (messages: number) => ({
    ...one,
    inputTokens: 5 * messages,
    outputTokens: 5 * messages,
    messages,
    outputIsLowerBound: false,
  });
  const model = 'claude-opus-4-5-20251101';
  assert.deepEqual(head, {
    sessionId,
    isAgent: false,
    title: 'first prompt of two lines',
    cwd: '/home/dev/widgets',
    startedAt: startTime,
    endedAt: startTime + 5_000,
    sizeBytes: session.transcript.sizeBytes,
    lines: 6,
    models: [model],
    versions: ['2.1.45'],
    contextLimit: 200_000,
    compactsAt: null,
    usage: usage(3),
    costMicros: 450,
    unpriced: 0,
    branches: [
      {
        number: 1,
        active: true,
        leafUuid: 'a3',
        forkLine: null,
        lines: 6,
        turns: 2,
        endedAt: startTime + 5_000,
        isReplay: false,
      },
    ],
    branch: 1,
    compactions: [],
    agents: [],
    tools: [{ name: 'Read', calls: 1, errors: 1 }],
    damage: [],
    damageCount: 0,
    strangePrompt: null,
    waiting: [],
    parts: 2,
    turnCount: 2,
  });
  assert.deepEqual(turns, [
    {
      index: 1,
      firstPart: 0,
      partLines: [1],
      partBits: [partBits.prompt | partBits.call | partBits.error | partBits.talk],
      partTools: [[0]],
      shownLines: 4,
      prompt: 'first prompt of two lines',
      promptKind: 'plain',
      startedAt: startTime,
      durationMs: 3_000,
      lines: 4,
      calls: 1,
      errors: 1,
      agents: 0,
      compactions: 0,
      usage: usage(2),
      costMicros: 300,
      unpriced: 0,
      contextTokens: 10,
      peakTokens: 10,
      drops: [],
      model,
    },
    {
      index: 2,
      firstPart: 1,
      partLines: [5],
      partBits: [partBits.prompt | partBits.talk],
      partTools: [[]],
      shownLines: 2,
      prompt: 'second',
      promptKind: 'plain',
      startedAt: startTime + 4_000,
      durationMs: 1_000,
      lines: 2,
      calls: 0,
      errors: 0,
      agents: 0,
      compactions: 0,
      usage: usage(1),
      costMicros: 150,
      unpriced: 0,
      contextTokens: 10,
      peakTokens: 10,
      drops: [],
      model,
    },
  ]);
});

test('a turn: its prompt, thinking, words, and a call with its place and that of its result', () => {
  const session = transcript()
    .user('look')
    .assistant([thinking('hm'), text('I will'), toolUse('c1', 'LS', { path: '/home/dev/widgets/src' })])
    .result('c1')
    .session();
  const model = 'claude-opus-4-5-20251101';
  const place = (line: number, uuid: string) => ({ line, record: line - 1, uuid });
  assert.deepEqual(whole(session), [
    {
      part: 0,
      turn: 1,
      isFirst: true,
      isLast: true,
      prompt: {
        place: place(1, 'u1'),
        morePlaces: [],
        kind: 'plain',
        text: short('look'),
        attached: [],
        images: [],
        documents: [],
        at: startTime,
      },
      items: [
        { kind: 'thinking', place: place(2, 'a1'), text: short('hm') },
        { kind: 'text', place: place(2, 'a1'), at: startTime + 1_000, model, text: short('I will') },
        {
          kind: 'call',
          place: place(2, 'a1'),
          at: startTime + 1_000,
          model,
          id: 'c1',
          name: 'LS',
          summary: 'src',
          outcome: 'out c1',
          reply: null,
          state: 'done',
          resultPlace: place(3, 'r1'),
          durationMs: 1_000,
          agent: null,
          error: null,
          images: [],
          detail: {
            as: 'search',
            pattern: '',
            folder: '/home/dev/widgets/src',
            mode: null,
            files: [],
            fileCount: 0,
            isCut: false,
            content: short('out c1'),
          },
        },
      ],
    },
  ]);
});

/** The one call of a session that makes it and answers it. */
function callOf(name: string, input: JsonObject, result: JsonObject = {}, content = 'output'): CallItem {
  const session = transcript()
    .user('go')
    .assistant([toolUse('c1', name, input)])
    .result('c1', { message: { content: [toolResult('c1', content)] }, ...result })
    .session();
  const [call] = itemsOf(session);
  if (call?.kind !== 'call') throw new Error('there is no call');
  return call;
}

const details: readonly (readonly [string, CallItem, CallDetail])[] = [
  [
    'an edit by the patch that the client stored',
    callOf(
      'Edit',
      { file_path: '/a.ts', old_string: 'x', new_string: 'y' },
      {
        toolUseResult: {
          filePath: '/a.ts',
          structuredPatch: [{ oldStart: 4, oldLines: 1, newStart: 4, newLines: 1, lines: ['-x', '+y'] }],
        },
      },
    ),
    {
      as: 'diff',
      file: '/a.ts',
      isNew: false,
      hunks: [{ oldStart: 4, newStart: 4, lines: ['-x', '+y'] }],
      added: 1,
      removed: 1,
      more: 0,
      at: null,
    },
  ],
  [
    'an edit without a patch by what was asked for',
    callOf('Edit', { file_path: '/a.ts', old_string: 'a\nb\nc', new_string: 'a\nB\nc' }),
    {
      as: 'diff',
      file: '/a.ts',
      isNew: false,
      hunks: [{ oldStart: 1, newStart: 1, lines: [' a', '-b', '+B', ' c'] }],
      added: 1,
      removed: 1,
      more: 0,
      at: null,
    },
  ],
  [
    'a new file as all added',
    callOf(
      'Write',
      { file_path: '/n', content: 'a\nb\n' },
      { toolUseResult: { type: 'create', filePath: '/n', content: 'a\nb\n', structuredPatch: [] } },
    ),
    {
      as: 'diff',
      file: '/n',
      isNew: true,
      hunks: [{ oldStart: 0, newStart: 1, lines: ['+a', '+b'] }],
      added: 2,
      removed: 0,
      more: 0,
      at: null,
    },
  ],
  [
    'a read by the numbers in the text that the model got',
    callOf('Read', { file_path: '/a' }, {}, '    9→nine\n   10→ten\n\n<system-reminder>x</system-reminder>'),
    { as: 'file', file: '/a', firstLine: 9, totalLines: null, content: short('nine\nten'), note: null },
  ],
  [
    'a command with both outputs',
    callOf(
      'Bash',
      { command: 'ls', description: 'List' },
      {
        toolUseResult: {
          stdout: 'o',
          stderr: 'e',
          interrupted: true,
          backgroundTaskId: 'b1',
          persistedOutputPath: '/p',
          persistedOutputSize: 7,
        },
      },
    ),
    {
      as: 'shell',
      command: short('ls'),
      description: 'List',
      stdout: short('o'),
      stderr: short('e'),
      exitCode: null,
      isInterrupted: true,
      backgroundId: 'b1',
      persisted: { path: '/p', sizeBytes: 7 },
    },
  ],
  [
    'files that were found',
    callOf('Glob', { pattern: '*.ts' }, { toolUseResult: { filenames: ['a.ts'], numFiles: 1, truncated: true } }),
    {
      as: 'search',
      pattern: '*.ts',
      folder: null,
      mode: null,
      files: ['a.ts'],
      fileCount: 1,
      isCut: true,
      content: short(''),
    },
  ],
  [
    'an agent that came back',
    callOf(
      'Task',
      { subagent_type: 'Explore', description: 'Look', prompt: 'do' },
      {
        toolUseResult: {
          agentId: 'x',
          status: 'completed',
          totalTokens: 10,
          totalToolUseCount: 2,
          totalDurationMs: 30,
        },
      },
      'found',
    ),
    {
      as: 'agent',
      agentType: 'Explore',
      description: 'Look',
      prompt: short('do'),
      result: short('found'),
      status: 'completed',
      tokens: 10,
      calls: 2,
      durationMs: 30,
    },
  ],
  [
    'a tool that nobody knows',
    callOf('mcp__a__b', { x: 1 }),
    { as: 'json', input: short('{\n  "x": 1\n}'), output: short('output') },
  ],
  [
    'an input of another shape',
    callOf('AskUserQuestion', { questions: 7 }),
    { as: 'json', input: short('{\n  "questions": 7\n}'), output: short('output') },
  ],
];

for (const [name, { detail }, expected] of details) {
  test(`a call is shown as what it is: ${name}`, () => assert.deepEqual(detail, expected));
}

test('a command that failed shows its exit code and what it said', () => {
  const session = transcript()
    .user('go')
    .assistant([toolUse('c1', 'Bash', { command: 'false' })])
    .result('c1', {
      message: { content: [toolResult('c1', 'Exit code 3\nno luck', { is_error: true })] },
      toolUseResult: 'Error: Exit code 3\nno luck',
    })
    .session();
  const [call] = itemsOf(session);
  assert.ok(call?.kind === 'call' && call.detail.as === 'shell');
  const { stdout, stderr, exitCode } = call.detail;
  assert.deepEqual(
    [call.state, call.error, stdout, stderr, exitCode],
    ['failed', null, short(''), short('no luck'), 3],
  );
});

test('a long text is cut at a character and names the whole; an endless word is cut sooner', () => {
  const long = `${'word '.repeat(1_999)}${'😀 '.repeat(4_000)}`;
  const session = transcript().user('go').assistant(long.repeat(2)).assistant('x'.repeat(50_000)).session();
  const [cut, endless] = itemsOf(session);
  assert.ok(cut?.kind === 'text' && endless?.kind === 'text');
  assert.equal(cut.text.text.isWellFormed(), true);
  assert.equal(cut.text.text.length + cut.text.more, long.length * 2);
  assert.deepEqual(cut.text.at, { record: 1, pointer: '/message/content/0/text' });
  assert.equal(textAt(session, cut.text.at ?? { record: 0, pointer: '' }), long.repeat(2));
  assert.deepEqual([endless.text.text.length, endless.text.more], [2_000, 48_000]);
});

test('a place that is not there has no text', () => {
  const session = transcript().user('go').session();
  const at = (record: number, pointer: string) => textAt(session, { record, pointer });
  assert.deepEqual(
    [
      at(9, ''),
      at(-1, ''),
      at(0, 'message'),
      at(0, '/message/nothing'),
      at(0, '/message/__proto__'),
      at(0, '/message/content/x'),
    ],
    [undefined, undefined, undefined, undefined, undefined, undefined],
  );
  assert.equal(at(0, '/message/content'), 'go');
});

test('a long turn comes in parts, and every line is found in its part', () => {
  const builder = transcript().user('go');
  for (let i = 0; i < 50; i++) builder.call(`c${i}`).result(`c${i}`);
  const session = builder.user('next').session();
  const { turns, parts } = sessionHead(session);
  assert.deepEqual(
    turns.map(({ firstPart, partLines }) => [firstPart, partLines]),
    [
      [0, [1, 1 + linesPerPart, 1 + 2 * linesPerPart, 1 + 3 * linesPerPart]],
      [4, [102]],
    ],
  );
  assert.equal(parts, 5);
  assert.deepEqual(findLine(session, 31), { branch: 1, turn: 1, part: 1 });
  assert.deepEqual(findLine(session, 102), { branch: 1, turn: 2, part: 4 });
  assert.equal(findLine(session, 103), undefined);
  const [second] = turnViews(session, { from: 1, to: 2 });
  assert.deepEqual([second?.part, second?.isFirst, second?.isLast, second?.prompt], [1, false, false, null]);
});

test('compactions say what was kept, forks where they lead, queued prompts when they came, failures why', () => {
  const session = transcript()
    .user('one')
    .assistant('first')
    .queue('enqueue', 'hurry')
    .call('c1')
    .queue('remove', 'hurry')
    .result('c1')
    .system('api_error', { error: { status: 529, message: 'Overloaded' } })
    .boundary({ trigger: 'auto', preTokens: 9, postTokens: 3, preservedMessages: { uuids: ['a1'], anchorUuid: 'a1' } })
    .summary('in short')
    .assistant('last')
    .from('a1')
    .assistant('elsewhere', { timestamp: '2026-01-03T09:00:00.000Z' })
    .lastPrompt('a3')
    .session();
  const others = itemsOf(session).filter(({ kind }) => !['text', 'call'].includes(kind));
  assert.deepEqual(
    others.map(({ place, ...item }) => item),
    [
      { kind: 'fork', branch: 2, turns: 1, isReplay: false },
      { kind: 'queued', text: short('hurry') },
      {
        kind: 'note',
        tone: 'error',
        label: 'request failed',
        morePlaces: [],
        text: short('API error 529: Overloaded'),
        isOutput: false,
        isFolded: false,
      },
      {
        kind: 'compaction',
        trigger: 'auto',
        preTokens: 9,
        postTokens: 3,
        keptCount: 1,
        kept: [{ line: 2, role: 'assistant', text: 'first' }],
        summary: short('in short'),
      },
    ],
  );
});
