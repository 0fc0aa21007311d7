// Where the seed documents are wrong, row by row of the table in docs/format.md: what they say, and what is so. Rows
// about measured data are held against real sessions.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../src/base/json/json.ts';
import { sessionUsage } from '../../src/session/facts/session-usage.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { toolCallsOf } from '../../src/session/turns/tool-calls.ts';
import { messagesOf, turnsOf } from '../../src/session/turns/turns.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { recordings } from '../interop/recordings.ts';
import { corpusFolder } from '../support/corpus.ts';
import { corpusValues } from '../support/corpus-values.ts';
import { history } from '../support/outline.ts';
import { filesBelow } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { namesOf, type TranscriptBuilder, text, toolResult, transcript } from '../support/transcript-builder.ts';

const m = { message: { id: 'm', stop_reason: null } };

function messages(builder: TranscriptBuilder): string[] {
  return turnsOf(builder.session()).flatMap((turn) =>
    messagesOf(turn).map((message) => namesOf(message.nodes).join(' ')),
  );
}

function* linesOf(type: string, ...corpora: readonly ('real' | 'public')[]): Generator<JsonObject> {
  for (const value of corpusValues(...corpora)) {
    const entry = asObject(value);
    if (entry?.type === type) yield entry;
  }
}

test('001 §4: lines without a stop reason are part of the message, and hold most of its calls', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .call('t2', m)
    .assistant('x', { message: { id: 'm', stop_reason: 'tool_use' } });
  const session = builder.session();
  const calls = turnsOf(session).flatMap((turn) => toolCallsOf(session, turn).map((call) => call.id));
  assert.deepEqual(
    [calls, messages(builder)],
    [
      ['t1', 't2'],
      ['u1', 'a1 a2 a3'],
    ],
  );
});

test('001 §4: in real sessions most lines with a call have no stop reason', () => {
  const counts = { with: 0, without: 0 };
  for (const { message } of linesOf('assistant', 'public')) {
    const { content, stop_reason } = asObject(message) ?? {};
    if (isArray(content) && content.some((block) => asObject(block)?.type === 'tool_use'))
      counts[stop_reason ? 'with' : 'without']++;
  }
  assert.ok(counts.without > 2 * counts.with && counts.with > 0, JSON.stringify(counts));
});

test('001 §6: a string is not always human, and an array not always a result', () => {
  const builder = transcript()
    .user('<command-name>/x</command-name>')
    .user([text('said')])
    .user('[Request interrupted by user]');
  builder.user([toolResult('t1')]).user('said');
  assert.deepEqual(
    builder.transcript().nodes.map((node) => node.userKind),
    ['command', 'human', 'interrupt', 'results', 'human'],
  );
});

test('002, 003: lines are merged by id over the whole turn, not only neighbours', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .result('t1')
    .assistant('other')
    .call('t2', m)
    .result('t2')
    .assistant('z', m);
  assert.deepEqual(messages(builder), ['u1', 'a1 a3 a4', 'r1', 'a2', 'r2']);
});

test('002: usage and stop reason of a message are those of its last line', () => {
  const part = (output_tokens: number, stop_reason: string | null) => ({
    message: { id: 'm', stop_reason, usage: { input_tokens: 7, output_tokens } },
  });
  const session = transcript().user('q').assistant('x', part(2, null)).call('t1', part(90, 'tool_use')).session();
  const [turn] = turnsOf(session);
  assert.deepEqual(turn && messagesOf(turn).map((message) => message.stopReason), [undefined, 'tool_use']);
  const { inputTokens, outputTokens } = sessionUsage(session);
  assert.deepEqual([inputTokens, outputTokens], [7, 90]);
});

test('001: calls and results are not always one to one', () => {
  const session = transcript()
    .user('q')
    .call('t1')
    .call('t2')
    .result('t2')
    .result('t2')
    .result('t9')
    .assistant('done')
    .session();
  const calls = turnsOf(session).flatMap((turn) => toolCallsOf(session, turn));
  assert.deepEqual(
    calls.map(({ id, result }) => [id, result?.uuid]),
    [
      ['t1', undefined],
      ['t2', 'r1'],
    ],
  );
});

test('001: real sessions have unanswered calls, orphaned and doubled results', async () => {
  const found = { unanswered: 0, orphaned: 0, doubled: 0 };
  for (const corpus of ['real', 'public'] as const) {
    for (const file of filesBelow(path.join(corpusFolder, 'corpus', corpus), '.jsonl')) {
      const { transcript: lines } = await loadSession(file);
      const calls = new Set(lines.nodes.flatMap((node) => node.message?.calls.map((call) => call.id) ?? []));
      const results = lines.nodes.flatMap((node) => node.message?.results.map((result) => result.toolUseId) ?? []);
      const answered = new Set(results);
      found.unanswered += [...calls].filter((id) => !answered.has(id)).length;
      found.orphaned += [...answered].filter((id) => !calls.has(id)).length;
      found.doubled += results.length - answered.size;
    }
  }
  assert.ok(found.unanswered > 20 && found.orphaned > 3 && found.doubled > 1, JSON.stringify(found));
});

test('002 §10: a first line with the id of another session changes neither the name nor the history', async (context) => {
  const file = path.join(temporaryFolder(context), 'new-session.jsonl');
  transcript().user('q', { sessionId: 'old-session' }).assistant('a', { sessionId: 'new-session' }).write(file);
  const session = await loadSession(file);
  assert.deepEqual([session.id, turnsOf(session).map((turn) => namesOf(turn.nodes))], ['new-session', [['u1', 'a1']]]);
});

test('003 §4.5: progress is inside the graph', () => {
  const builder = transcript().user('q').progress().assistant('a');
  assert.deepEqual(
    builder.session().branches.map((branch) => namesOf(branch.nodes)),
    [['u1', 'p1', 'a1']],
  );
  assert.deepEqual(history(builder), [{ user: ['q'] }, { assistant: ['a'] }]);
});

test('003 §5: parallel results chain in old sessions, and are off the chain in newer ones', () => {
  const calls = (): TranscriptBuilder => transcript().user('q').call('t1', m).call('t2', m);
  const chained = calls().result('t1').result('t2').assistant('done');
  const offChain = calls().from('a1').result('t1').from('a2').result('t2').assistant('done');
  const answered = (builder: TranscriptBuilder): unknown => {
    const session = builder.session();
    return turnsOf(session).flatMap((turn) => toolCallsOf(session, turn).map(({ id, result }) => [id, result?.uuid]));
  };
  const both = [
    ['t1', 'r1'],
    ['t2', 'r2'],
  ];
  assert.deepEqual([answered(chained), answered(offChain)], [both, both]);
  assert.deepEqual(history(chained), history(offChain));
});

test('003 §9, App. C: a summary line drops nothing, and injected lines are sent', () => {
  const builder = transcript()
    .user('q')
    .user('injected', { isMeta: true })
    .assistant('a')
    .aside('summary', { summary: 's', leafUuid: 'a1' });
  assert.deepEqual(history(builder.user('r').assistant('b')), [
    { user: ['q\n', 'injected'] },
    { assistant: ['a'] },
    { user: ['r'] },
    { assistant: ['b'] },
  ]);
});

test('003 §9: a real compaction writes a boundary and a summary message, and no summary line', async () => {
  const file = '2.1.150/compact/-home-dev-widgets/a07eca6d-a4f7-4a12-9bab-83c2627b91db.jsonl';
  const session = await loadSession(path.join(recordings, 'real', file));
  const { nodes } = session.transcript;
  const count = (test: (node: (typeof nodes)[number]) => boolean): number => nodes.filter(test).length;
  assert.deepEqual(
    [
      count((node) => node.subtype === 'compact_boundary'),
      count((node) => node.isCompactSummary),
      count((node) => node.type === 'summary'),
    ],
    [1, 1, 0],
  );
  const request = requestMessages(session);
  assert.ok('messages' in request && request.messages.length < 10, 'the boundary ends the history');
});

test('003 §4.6: a backup is named, not held', () => {
  let backups = 0;
  for (const { snapshot } of linesOf('file-history-snapshot', 'real', 'public')) {
    for (const backup of Object.values(asObject(asObject(snapshot)?.trackedFileBackups) ?? {})) {
      const { realParentDir, ...fields } = asObject(backup) ?? {};
      assert.deepEqual(Object.keys(fields).sort(), ['backupFileName', 'backupTime', 'version']);
      backups++;
    }
  }
  assert.ok(backups > 20, `${backups}`);
});

test('003 §12.1: the folder of a project keeps its leading dash', () => {
  assert.equal(encodeSlug('/home/dev/widgets'), '-home-dev-widgets');
});

test('003, 004: agents are in three places, and their ids have other lengths than seven', () => {
  const files = (['real', 'public'] as const)
    .flatMap((corpus) => filesBelow(path.join(corpusFolder, 'corpus', corpus), '.jsonl'))
    .filter((file) => path.basename(file).startsWith('agent-'));
  const lengths = new Set(files.map((file) => path.basename(file, '.jsonl').length - 'agent-'.length));
  const folders = new Set(files.map((file) => path.basename(path.dirname(file))));
  assert.deepEqual(
    [7, 8, 17].filter((length) => !lengths.has(length)),
    [],
  );
  assert.ok(folders.has('subagents') && folders.has('-home-dev-widgets'));
});

test('000: the user type is always external, and a shell result has no type and no code', () => {
  const userTypes = new Set<unknown>();
  let shellResults = 0;
  for (const value of corpusValues('real')) {
    const entry = asObject(value) ?? {};
    if ('userType' in entry) userTypes.add(entry.userType);
    const result = asObject(entry.toolUseResult);
    if (result === undefined || !('stdout' in result)) continue;
    shellResults++;
    assert.deepEqual(
      ['type' in result, 'code' in result, 'stderr' in result, 'interrupted' in result],
      [false, false, true, true],
    );
  }
  assert.deepEqual([...userTypes], ['external']);
  assert.ok(shellResults > 20, `${shellResults}`);
});

test('004: a permission mode is not a sign of the first message', async () => {
  const files = { none: 0, one: 0, many: 0 };
  for (const file of filesBelow(path.join(corpusFolder, 'corpus/real'), '.jsonl')) {
    const { transcript: lines } = await loadSession(file);
    const count = lines.nodes.filter((node) => node.hasPermissionMode).length;
    files[count === 0 ? 'none' : count === 1 ? 'one' : 'many']++;
  }
  assert.ok(files.none > 0 && files.many > 0, JSON.stringify(files));
});
