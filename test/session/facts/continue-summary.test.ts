// A summary that continues an earlier one is the summary of the whole file: on every recording, cut at many places,
// and on generated sessions whose lines follow, replace, repeat or contradict one another.
import assert from 'node:assert/strict';
import fs, { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { continueSummary } from '../../../src/session/facts/continue-summary.ts';
import { type MadeSummary, type SessionSummary, summariseForMore } from '../../../src/session/facts/summary.ts';
import { loadTranscript } from '../../../src/session/transcript/transcript.ts';
import { sessionFiles } from '../../../src/store/session-files.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { corpusFiles, linesOf, recordedFiles } from '../../support/transcripts.ts';

type Made = Omit<MadeSummary, 'turnStarts'> | undefined;

function summariseWhole(file: string): Made {
  return summariseForMore(sessionFiles(file), loadTranscript(file, { withoutMessages: true }));
}

/** Appends each part and compares; returns how often no reading of the whole file was needed. */
function grow(file: string, parts: readonly (string | Buffer)[]): number {
  let count = 0;
  let last: Made;
  writeFileSync(file, '');
  for (const part of parts) {
    appendFileSync(file, part);
    const whole = summariseWhole(file);
    const { summary, continuation } = last ?? {};
    const more =
      summary === undefined || continuation === undefined
        ? undefined
        : continueSummary(summary, continuation, sessionFiles(file));
    if (more !== undefined) {
      count++;
      assert.deepEqual(more.summary, whole?.summary);
    }
    last = more ?? whole;
  }
  return count;
}

test('recordings and corpora, cut at many places', (context) => {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  let continued = 0;
  let parts = 0;
  for (const recorded of [...recordedFiles(), ...corpusFiles()]) {
    const lines = linesOf(recorded);
    if (lines.length > 120) lines.length = 120;
    const step = Math.max(1, Math.floor(lines.length / 8));
    const pieces: Buffer[] = [];
    for (let i = 0; i < lines.length; i += step)
      pieces.push(Buffer.concat(lines.slice(i, i + step).flatMap((line) => [line, Buffer.from('\n')])));
    parts += pieces.length - 1;
    continued += grow(file, pieces);
  }
  assert.ok(continued > parts / 4, `${continued} of ${parts} parts were ordinary`);
});

/** How a generated line differs from one that follows the line before it. */
interface Odd {
  readonly kind: number;
  readonly parent: number;
  readonly uuid: number;
  readonly message: number;
  readonly leaf: number;
  readonly odd: number;
}

/** Small numbers are the ordinary case: fast-check shrinks to them. */
const oddLine: fc.Arbitrary<Odd> = fc.record({
  kind: fc.nat(18),
  parent: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(9)),
  uuid: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.nat(5)),
  message: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5)),
  leaf: fc.nat(5),
  odd: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.nat(13)),
});

function textOf(lines: readonly Odd[]): readonly string[] {
  const uuids: string[] = [];
  return lines.map(({ kind, parent, uuid: uuidKind, message, leaf, odd }, i) => {
    const before = (back: number): string | undefined => uuids.at(-1 - back);
    const uuid =
      uuidKind === 0 || uuids.length === 0 ? `u${i}` : uuidKind === 1 ? `u${i + 3}` : (before(uuidKind) ?? `u${i}`);
    const parentUuid =
      parent < 7
        ? (before(parent > 3 ? parent : 0) ?? null)
        : parent === 7
          ? null
          : parent === 8
            ? 'missing'
            : `u${i + 2}`;
    const timestamp = new Date(Date.UTC(2026, 2, 1, 10, 0, odd === 1 ? 0 : i)).toISOString();
    const link = {
      uuid,
      parentUuid,
      timestamp,
      sessionId: 'session',
      isSidechain: odd === 2,
      ...(i % 3 === 0 ? {} : { cwd: `/home/${i}` }),
      ...(i % 4 === 0 ? {} : { gitBranch: i % 4 === 1 ? '' : `branch-${i}` }),
    };
    const leafUuid = leaf === 0 ? before(0) : leaf === 1 ? undefined : leaf === 2 ? `u${i + 1}` : before(leaf);
    const model = ['claude-opus-4-5', '<synthetic>', `model-${i}`][i % 3] as string; // `i % 3` is in range
    const id = message === 0 ? `msg_${i}` : `msg_${i - message}`;
    const entries: readonly JsonObject[] = [
      { type: 'user', message: { role: 'user', content: `prompt ${i}` }, ...link },
      { type: 'assistant', message: { id, model, role: 'assistant', content: [{ type: 'text', text: 'x' }] }, ...link },
      {
        type: 'assistant',
        message: {
          id,
          role: 'assistant',
          content: [{ type: 'tool_use', id: `call_${i - message}`, name: 'Bash', input: {} }],
        },
        ...link,
      },
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${i - 1}`, content: 'done' }] },
        ...link,
      },
      {
        type: 'system',
        subtype: odd === 3 ? 'compact_boundary' : 'info',
        content: 'x',
        ...(odd === 3 ? { logicalParentUuid: before(1) ?? 'none' } : {}),
        ...link,
      },
      { type: 'attachment', attachment: { type: 'file' }, ...link },
      { type: 'progress', data: {}, ...link },
      {
        type: 'last-prompt',
        lastPrompt: `last ${i}`,
        ...(leafUuid === undefined ? {} : { leafUuid }),
        ...(odd === 4 ? { explicit: true } : {}),
      },
      { type: 'last-prompt', lastPrompt: '', ...(leafUuid === undefined ? {} : { leafUuid }), explicit: leaf > 3 },
      { type: 'summary', summary: `summary ${i}`, ...(leafUuid === undefined ? {} : { leafUuid }) },
      { type: 'custom-title', customTitle: odd > 5 ? ' ' : `custom ${i}`, sessionId: 'session' },
      { type: 'ai-title', aiTitle: `ai ${i}`, sessionId: 'session' },
      { type: 'tag', tag: odd > 5 ? '' : `tag ${i}`, sessionId: 'session' },
      { type: 'user', message: { role: 'user', content: '<command-name>/clear</command-name>' }, ...link },
      { type: 'user', isMeta: true, message: { role: 'user', content: 'meta' }, ...link },
      { type: 'file-history-snapshot', messageId: uuid, timestamp },
      { type: 'pr-link', prNumber: i, prUrl: `https://example.invalid/pull/${message}`, prRepository: 'ada/light' },
      {
        type: 'worktree-state',
        worktreeSession:
          odd > 5
            ? null
            : { originalCwd: '/home/repo', worktreePath: `/home/repo/trees/${i}`, worktreeBranch: `b${i}` },
      },
      { type: 'assistant', isApiErrorMessage: true, message: { id, model, role: 'assistant', content: 'x' }, ...link },
    ];
    let entry = entries[kind] as JsonObject;
    if (odd === 5) entry = { ...entry, isCompactSummary: true };
    if (odd === 6) entry = { ...entry, timestamp: 'never' };
    if (odd === 7) entry = { ...entry, message: { role: 'user', parts: [] } };
    if (odd === 8) entry = { ...entry, type: '' };
    if (typeof entry.uuid === 'string') uuids.push(entry.uuid);
    const text = JSON.stringify(entry);
    if (odd === 9) return `${text}\r\n`;
    if (odd === 10) return `${text.slice(0, -9)}\n`;
    if (odd === 11) return `[\n${text}\n`;
    if (odd === 12) return `\n${text}${text}\n`;
    return odd === 13 ? text : `${text}\n`;
  });
}

function checkGenerated(context: TestContext, runs: number): void {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  const sessions = fc.tuple(fc.array(oddLine, { minLength: 1, maxLength: 14 }), fc.integer({ min: 1, max: 4 }));
  const start = sessionText([user('hello'), assistant('Hi.')]);
  let continued = 0;
  fc.assert(
    fc.property(sessions, fc.boolean(), ([lines, step], hasStart) => {
      const texts = textOf(lines);
      const parts: string[] = hasStart ? [start] : [];
      for (let i = 0; i < texts.length; i += step) parts.push(texts.slice(i, i + step).join(''));
      continued += grow(file, parts);
    }),
    { numRuns: runs },
  );
  assert.ok(continued > runs / 4, `${continued} parts were ordinary in ${runs} sessions`);
}

test('generated sessions, ordinary and odd', (context) => checkGenerated(context, fuzzRuns(10_000)));

const opening = [user('hello'), assistant('Hi.')];
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Sessions that any appended line may change as a whole. */
const unsuitable: Readonly<Record<string, string>> = {
  'the last line has no newline': sessionText(opening).slice(0, -1),
  'its last line is blank and has no newline': `${sessionText(opening)}  `,
  'a pin is on another result of the same answer': sessionText([
    user('hello'),
    assistant([{ type: 'tool_use', id: 'call_1', name: 'Bash', input: {} }], { message: { id: 'msg_two' } }),
    assistant([{ type: 'tool_use', id: 'call_2', name: 'Bash', input: {} }], { message: { id: 'msg_two' } }),
    user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'x' }], { parentUuid: id(2) }),
    user([{ type: 'tool_result', tool_use_id: 'call_2', content: 'x' }], { parentUuid: id(3) }),
    { type: 'last-prompt', leafUuid: id(4) },
  ]),
  'a line is damaged': sessionText([...opening, '{"type":"user","uuid":']),
  'a parent is missing': sessionText([...opening, assistant('x', { parentUuid: id(99) })]),
  'a uuid is used twice': sessionText([...opening, assistant('x', { uuid: id(2), parentUuid: id(1) })]),
  'all lines are a sub-agent': sessionText(opening, { isSidechain: true }),
  'a sub-agent comes last': sessionText([...opening, user('task', { isSidechain: true, parentUuid: null })]),
  'no prompt begins it': sessionText([assistant('Hi.')]),
  'it is pinned to an edited prompt': sessionText([
    ...opening,
    user('edited', { parentUuid: null }),
    assistant('Yes.'),
    { type: 'last-prompt', leafUuid: id(2), explicit: true },
  ]),
  'it has two beginnings, and is pinned to the first': sessionText([
    ...opening,
    user('edited', { parentUuid: null }),
    { type: 'last-prompt', leafUuid: id(2) },
  ]),
  'a compaction keeps a part of the history': sessionText([
    ...opening,
    {
      type: 'system',
      subtype: 'compact_boundary',
      parentUuid: null,
      logicalParentUuid: id(2),
      compactMetadata: { preservedMessages: { anchorUuid: id(4), uuids: [id(2)] } },
    },
    user('The summary.', { isCompactSummary: true }),
    user('next'),
  ]),
  'the history is written again': sessionText([
    ...opening,
    assistant('Hi.', { message: { id: 'msg_again' } }),
    user('hello'),
    assistant('Hi.', { message: { id: 'msg_again' } }),
  ]),
};
for (const [what, text] of Object.entries(unsuitable)) {
  test(`a session is read as a whole if ${what}`, (context) => {
    const file = path.join(temporaryFolder(context), 'session.jsonl');
    writeFileSync(file, text);
    const made = summariseWhole(file);
    assert.ok(made !== undefined);
    assert.equal(made.continuation, undefined);
  });
}

test('history that is written again does not count twice, also if only the copy was appended', (context) => {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  const answer = assistant('Hi.', { message: { id: 'msg_a' } });
  const call = (message: string): JsonObject =>
    assistant([{ type: 'tool_use', id: 'call_1', name: 'Bash', input: {} }], { message: { id: message } });
  const result = user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'done' }]);
  const cases: readonly (readonly [readonly JsonObject[], readonly JsonObject[], number])[] = [
    [[user('hello'), answer], [user('hello'), answer], 1],
    [[user('a'), call('msg_1'), result, user('b'), assistant('B')], [call('msg_2'), result, user('b')], 2],
  ];
  for (const [start, more, turns] of cases) {
    const lines = sessionText([...start, ...more])
      .split('\n')
      .slice(0, -1)
      .map((line) => `${line}\n`);
    writeFileSync(file, lines.slice(0, start.length).join(''));
    const before = summariseWhole(file);
    assert.ok(before?.continuation !== undefined);
    appendFileSync(file, lines.slice(start.length).join(''));
    assert.equal(continueSummary(before.summary, before.continuation, sessionFiles(file)), undefined);
    assert.equal(summariseWhole(file)?.summary.turns, turns);
  }
});

/** What is appended to two lines, and the turns and the title afterwards; `undefined`: the whole file must be read. */
const appended: readonly (readonly [string, readonly JsonObject[], { turns: number; title: string } | undefined])[] = [
  ['an answer', [assistant('More.')], { turns: 1, title: 'hello' }],
  ['a prompt and an answer', [user('again'), assistant('Yes.')], { turns: 2, title: 'hello' }],
  ['a title', [{ type: 'custom-title', customTitle: 'Named' }], { turns: 1, title: 'Named' }],
  [
    'a title of lower precedence after one',
    [
      { type: 'custom-title', customTitle: 'A' },
      { type: 'ai-title', aiTitle: 'B' },
    ],
    { turns: 1, title: 'A' },
  ],
  ['a summary of the last line', [{ type: 'summary', summary: 'Sum', leafUuid: id(2) }], { turns: 1, title: 'Sum' }],
  [
    'a summary of another session',
    [{ type: 'summary', summary: 'Sum', leafUuid: id(99) }],
    { turns: 1, title: 'hello' },
  ],
  [
    'a prompt with the pin on the line before',
    [{ type: 'last-prompt', leafUuid: id(2) }, user('again', { parentUuid: id(2) })],
    { turns: 2, title: 'hello' },
  ],
  [
    'a prompt with the pin elsewhere in the turn',
    [{ type: 'last-prompt', leafUuid: id(1) }, user('again', { parentUuid: id(2) })],
    undefined,
  ],
  ['a pin on an unknown line', [{ type: 'last-prompt', leafUuid: id(99) }], undefined],
  ['an edited prompt', [user('again', { parentUuid: null })], undefined],
  ['the uuid of an earlier line', [assistant('x', { uuid: id(1) })], undefined],
  ['a sub-agent', [user('task', { isSidechain: true })], undefined],
  [
    'a compaction',
    [{ type: 'system', subtype: 'compact_boundary', logicalParentUuid: id(2), parentUuid: null }],
    undefined,
  ],
  ['a compaction that follows a line', [{ type: 'system', subtype: 'compact_boundary', parentUuid: id(2) }], undefined],
  ['a line without a type of its own', [{ ...assistant('x'), type: '', uuid: 'x', parentUuid: id(2) }], undefined],
  ['a message without a valid time', [assistant('x', { timestamp: 'never' })], undefined],
];

for (const [what, lines, expected] of appended) {
  test(`appended: ${what}`, (context) => {
    const file = path.join(temporaryFolder(context), 'session.jsonl');
    const text = sessionText([...opening, ...lines]);
    const start = text.split('\n').slice(0, 2).join('\n').length + 1;
    writeFileSync(file, text.slice(0, start));
    const before = summariseWhole(file);
    assert.ok(before?.continuation !== undefined);
    appendFileSync(file, text.slice(start));
    const more = continueSummary(before.summary, before.continuation, sessionFiles(file));
    const found: SessionSummary | undefined = more?.summary;
    assert.deepEqual(found === undefined ? undefined : { turns: found.turns, title: found.title }, expected);
    const { turns, title } = summariseWhole(file)?.summary ?? {};
    if (expected !== undefined) assert.deepEqual({ turns, title }, expected);
  });
}

test('only the appended bytes are read', (context) => {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  writeFileSync(file, sessionText([user('hello'), ...Array.from({ length: 500 }, () => assistant('x'.repeat(5000)))]));
  const before = summariseWhole(file);
  assert.ok(before?.continuation !== undefined);
  const line = `${JSON.stringify({ ...assistant('y'.repeat(300)), uuid: 'new', parentUuid: id(501), timestamp: '2026-03-02T10:00:00Z' })}\n`;
  appendFileSync(file, line);
  const read = context.mock.method(fs, 'readSync');
  syncBuiltinESMExports();
  const more = continueSummary(before.summary, before.continuation, sessionFiles(file));
  const bytes = read.mock.calls.reduce((sum, { result }) => sum + Number(result), 0);
  read.mock.restore();
  syncBuiltinESMExports();
  assert.equal(bytes, line.length);
  assert.equal(more?.summary.entries, 502);
  assert.equal(more?.summary.sizeBytes, readFileSync(file).length);
});
