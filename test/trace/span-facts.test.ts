// What spans know beyond ids, times and tokens: what each generation was given, the prompt's id, the slash command, the
// type of a sub-agent, and compactions. However the file is cut into runs, they know the same.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { noAgents } from '../../src/trace/read/agents.ts';
import type { GenerationDetail, TraceSpan } from '../../src/trace/span/span.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { allSpansOf, type Run, sorted, spansOf, spansOfRuns, writeSession } from './trace-kit.ts';

const session = transcript()
  .user('<command-message>review</command-message>\n<command-name>/review</command-name>', { promptId: 'p1' })
  .assistant([toolUse('t1'), toolUse('t2')])
  .user([toolResult('t1', 'one')], { promptId: 'p1' })
  .user([toolResult('t2', 'two', { is_error: true })], { promptId: 'p1' })
  .assistant([toolUse('t3')])
  .result('t3')
  .boundary({ trigger: 'auto', preTokens: 150_000 })
  .summary('what was said')
  .assistant('done')
  .boundary({ trigger: 'manual', preTokens: 9000 })
  .summary('what was said')
  .user('/etc/hosts is a file', { promptId: 'p2' })
  .assistant('yes');

/** By message: the results it was given, and the triggers of the compactions before it. */
const given = {
  m1: [[], []],
  m2: [
    [
      { toolUseId: 't1', content: 'one', isError: false },
      { toolUseId: 't2', content: 'two', isError: true },
    ],
    [],
  ],
  m3: [[{ toolUseId: 't3', content: 'out t3', isError: false }], ['auto 150000 2026-01-03T10:00:06.000Z']],
  m4: [[], ['manual 9000 2026-01-03T10:00:09.000Z']],
};

test('a generation has the results and compactions since the one before it', (context) => {
  const file = writeSession(context, { 'main.jsonl': session.text() });
  assert.deepEqual(givenBy(spansOf(file)), given);
});

test('it has the same wherever a Stop falls', (context) => {
  const file = writeSession(context, { 'main.jsonl': session.text() });
  const whole = sorted(spansOfRuns(file, file.replace('main', 'whole'), [over()], noAgents));
  const copy = path.join(temporaryFolder(context), 'copy.jsonl');
  // Not before the first answer: a turn without one is not handed out.
  for (const stop of lineEnds().slice(2)) {
    const stopped = spansOfRuns(file, copy, [{ bytes: stop, options: { isFinal: true } }, over()], noAgents);
    assert.deepEqual(generationsOf(stopped), generationsOf(spansOf(file)), `Stop after ${stop} bytes`);
    const cut = spansOfRuns(file, copy, [{ bytes: stop, options: {} }, over()], noAgents);
    assert.deepEqual(sorted(cut), whole, `cut after ${stop} bytes`);
  }
});

test('all spans have the id of their prompt and the name of their trace, also after a Stop', (context) => {
  const file = writeSession(context, { 'main.jsonl': session.text() });
  const copy = path.join(temporaryFolder(context), 'copy.jsonl');
  const stop = lineEnds()[3];
  assert.ok(stop !== undefined);
  const spans = spansOfRuns(file, copy, [{ bytes: stop, options: { isFinal: true } }, over()], noAgents);
  assert.deepEqual(
    spans.map(({ kind, promptId, traceName }) => [kind, promptId, traceName]),
    [
      ['turn', 'p1', 'Turn 1'],
      ['generation', 'p1', 'Turn 1'],
      ['tool', 'p1', 'Turn 1'],
      ['tool', 'p1', 'Turn 1'],
      ['generation', 'p1', 'Turn 1'],
      ['tool', 'p1', 'Turn 1'],
      ['generation', 'p1', 'Turn 1'],
      ['turn', 'p2', 'Turn 2'],
      ['generation', 'p2', 'Turn 2'],
    ],
  );
});

test('a turn names the slash command that it is, and a path is not one', (context) => {
  const file = writeSession(context, { 'main.jsonl': session.text() });
  const commands = spansOf(file).flatMap(({ detail }) => (detail.kind === 'turn' ? [detail.command] : []));
  assert.deepEqual(commands, ['review', undefined]);
});

test('the original description has no compactions', (context) => {
  const file = writeSession(context, { 'main.jsonl': session.text() });
  const details = generationsOf(spansOf(file, { strictSeed: true }));
  assert.equal(details.length, 4);
  assert.ok(details.every(({ compactions }) => compactions.length === 0));
});

test('a background sub-agent has the type that its call named, and the prompt and the trace of the call', async (context) => {
  const main = transcript()
    .user('go', { promptId: 'p1' })
    .assistant([toolUse('t1', 'Task', { prompt: 'Count', subagent_type: 'helper' })])
    .result('t1', { toolUseResult: { isAsync: true, agentId: 'bg' } })
    .assistant('it runs')
    .user('and?', { promptId: 'p2' })
    .assistant('I wait')
    .user('<task-notification>\n<task-id>bg</task-id>\n</task-notification>')
    .assistant('noted');
  const agent = transcript({ isSidechain: true, agentId: 'bg' }).user('Count').assistant('two');
  const file = writeSession(context, {
    'main.jsonl': main.text(),
    'main/subagents/agent-bg.jsonl': agent.text().replaceAll('"m1"', '"n1"'),
  });
  const found = (await allSpansOf(file)).filter(({ detail }) => 'agentId' in detail && detail.agentId === 'bg');
  assert.deepEqual(
    found.map(({ kind, promptId, traceName, detail }) => [kind, promptId, traceName, 'agentType' in detail]),
    [
      ['subagent', 'p1', 'Turn 1', true],
      ['generation', 'p1', 'Turn 1', false],
    ],
  );
  assert.ok(found[0]?.detail.kind === 'subagent');
  assert.equal(found[0].detail.agentType, 'helper');
});

function over(): Run {
  return { bytes: Buffer.byteLength(session.text()), options: { isOver: true } };
}

/** How many bytes the first n lines have, for every n from 1. */
function lineEnds(): readonly number[] {
  const lines = session.text().split(/(?<=\n)/);
  return lines.map((_, i) => Buffer.byteLength(lines.slice(0, i + 1).join('')));
}

function generationsOf(spans: readonly TraceSpan[]): readonly GenerationDetail[] {
  return spans.flatMap(({ detail }) => (detail.kind === 'generation' ? [detail] : []));
}

function givenBy(spans: readonly TraceSpan[]): Readonly<Record<string, unknown>> {
  const entries = generationsOf(spans).map(({ messageId, results, compactions }) => {
    const marks = compactions.map(({ trigger, preTokens, timeMs }) =>
      [trigger, preTokens, new Date(timeMs ?? Number.NaN).toISOString()].join(' '),
    );
    return [messageId, [results, marks]];
  });
  return Object.fromEntries(entries);
}
