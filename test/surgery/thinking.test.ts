// Preserved thinking: after every operation a resume sends no thinking block that the API would refuse, and none is taken
// out that it would take. An independent check decides which blocks are still valid.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { isBinding } from '../../src/api/request/thinking-prefix.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planGraft } from '../../src/surgery/operations/graft.ts';
import { BoundWriter, boundSession, boundSessionId, text, token } from '../support/bound-session.ts';
import { judge, judgeLines, linesOf } from '../support/bound-thinking.ts';
import { benchWith, contentsOf } from '../support/surgery-kit.ts';
import { compress, fork, move, type Operation, redact, rewind, split, strip } from './operations-kit.ts';

const names = (from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => `th${from + i}`);

/** What each leaves of the nine blocks: by hand, from where the session has its first tool call, image and token. */
const table: readonly (readonly [string, Operation, readonly string[], number])[] = [
  ['fork', fork(), names(1, 9), 0],
  ['fork --at 4', fork({ at: '4' }), names(1, 5), 0],
  ['fork --to', fork({ to: '/srv' }), names(1, 9), 0],
  ['move', move('/srv'), names(1, 9), 0],
  ['rewind', rewind({ to: '4' }), names(1, 5), 0],
  ['rewind --in-place', rewind({ to: '4', isInPlace: true }), names(1, 5), 0],
  ['strip --thinking', strip({ thinking: true }), [], 0],
  ['strip --thinking --keep-last 3', strip({ thinking: true, keepLast: 3 }), names(6, 9), 0],
  ['strip --tools', strip({ tools: [] }), names(1, 3), 5],
  ['strip --tools Read', strip({ tools: ['Read'] }), names(1, 6), 2],
  ['strip --truncate-results', strip({ truncateResults: 100 }), names(1, 3), 6],
  ['strip --truncate-inputs', strip({ truncateInputs: 100 }), names(1, 3), 6],
  ['strip --images', strip({ images: true }), names(1, 4), 5],
  ['strip --images --in-place', strip({ images: true, isInPlace: true }), names(1, 4), 5],
  ['strip --bookkeeping', strip({ bookkeeping: true }), names(1, 9), 0],
  ['strip --bookkeeping --all', strip({ bookkeeping: true, prompt: true }), [], 9],
  ['compress', compress(2), [], 3],
  ['compress --drop-old', compress(2, true), [], 3],
  ['redact', redact(), names(1, 5), 4],
  ['redact --keep-thinking', redact(true), names(1, 5), 4],
  ['split', split('4'), names(1, 5), 4],
  ['--portable', fork({}, { isPortable: true }), [], 9],
];

for (const [name, operation, kept, removed] of table) {
  test(`${name}: the thinking that still fits stays, the rest goes`, async (context) => {
    const built = boundSession();
    assert.deepEqual(judgeLines(built.lines), { sent: names(1, 9), dead: [], holes: [] });
    const bench = benchWith(context, boundSessionId, built.text());
    const outcome = await operation(bench, bench.main);
    assert.deepEqual(judge(outcome.to.path), { sent: kept, dead: [], holes: [] });
    assert.equal(outcome.thinking.removed, removed);
    assert.equal(outcome.thinking.reason === null, removed === 0);
    for (const other of outcome.others) assert.deepEqual(judge(other.path), { sent: [], dead: [], holes: [] });
  });
}

test('the plan says how many blocks are removed, why, and who keeps them', async (context) => {
  const bench = benchWith(context, boundSessionId, boundSession().text());
  const before = contentsOf(bench.folder);
  const planned = await strip({ images: true })(bench, bench.main, { isDryRun: true });
  assert.deepEqual(planned.thinking, {
    kept: 4,
    removed: 5,
    reason:
      '5 of 9 thinking blocks were made after text that changes; the API would refuse them (`bound to a different conversation`). They are removed from the new session; the original keeps them.',
  });
  assert.ok(planned.notes.includes(planned.thinking.reason ?? ''));
  assert.deepEqual(contentsOf(bench.folder), before);
  const inPlace = await strip({ images: true, isInPlace: true })(bench, bench.main);
  assert.match(inPlace.thinking.reason ?? '', /They are removed from the session; `clew undo` restores them\.$/);
  assert.equal(inPlace.dropped.filter(({ reason }) => reason.startsWith('thinking that the API')).length, 5);
});

test('of a session whose model does not check, no thinking is taken out', async (context) => {
  const bench = benchWith(context, boundSessionId, boundSession({ model: 'claude-opus-5' }).text());
  const outcome = await strip({ images: true })(bench, bench.main);
  assert.deepEqual(judge(outcome.to.path).sent, names(1, 9));
  assert.deepEqual(outcome.thinking, { kept: 9, removed: 0, reason: null });
});

test('which models check', () => {
  const checking = [
    'claude-fable-5-1',
    'claude-mythos-5-2',
    'claude-opus-5-5',
    'claude-opus-5-5[1m]',
    'us.anthropic.claude-sonnet-5-5-20260928-v1:0',
    'claude-haiku-5-5@20261007',
    'claude-opus-6',
    'claude-tale-7-2',
  ];
  const others = [
    'claude-opus-5',
    'claude-sonnet-5-20260101',
    'claude-fable-5',
    'claude-opus-4-8',
    'claude-sonnet-4-20250514',
    'claude-3-7-sonnet-20250219',
    '<synthetic>',
    'gpt-9',
    undefined,
  ];
  for (const model of checking) assert.equal(isBinding(model), true, model);
  for (const model of others) assert.equal(isBinding(model), false, model);
});

test('of two forks, the thinking of the second goes where turns of the first come before it', async (context) => {
  const bench = benchWith(context, boundSessionId, boundSession().text());
  const cut = await fork({ at: '5' })(bench, bench.main);
  const lines = linesOf(cut.to.path);
  const { sessionId } = cut.to;
  const more = new BoundWriter({ sessionId, lines }).user('Another way.').answer('th10', text('Fine.'));
  writeFileSync(cut.to.path, more.text());
  assert.deepEqual(judge(cut.to.path), { sent: [...names(1, 6), 'th10'], dead: [], holes: [] });
  const sources = [await loadSource(bench.main), await loadSource(cut.to.path)] as const;
  const grafted = await operate(planGraft(...sources), sources, { env: bench.env });
  assert.deepEqual(judge(grafted.to.path), { sent: names(1, 9), dead: [], holes: [] });
  assert.equal(grafted.thinking.removed, 1);
});

test('thinking in the middle that goes takes the later blocks along: a gap is refused like a change', async (context) => {
  const { lines } = boundSession();
  const at = lines.findIndex((_, i) => judgeLines(lines.slice(0, i + 1)).sent.at(-1) === 'th3');
  const [thought] = blocksOf(lines[at]);
  assert.ok(thought !== undefined);
  thought.thinking = `The token is ${token}.`;
  const bench = benchWith(context, boundSessionId, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const outcome = await redact()(bench, bench.main);
  assert.deepEqual(judge(outcome.to.path), { sent: names(1, 2), dead: [], holes: [] });
  assert.equal(outcome.thinking.removed, 6);
});

function blocksOf(line: Record<string, unknown> | undefined): Record<string, unknown>[] {
  return (line?.message as { content: Record<string, unknown>[] }).content;
}

test('snapshots, records of tools and notes on the chain stay byte for byte', async (context) => {
  const built = boundSession();
  const notes = built.lines
    .filter(({ type }) => type === 'attachment')
    .map(({ attachment }) => JSON.stringify(attachment));
  assert.equal(notes.length, 4);
  for (const [name, operation] of table) {
    if (/compress|portable|^split|bookkeeping/.test(name)) continue;
    const bench = benchWith(context, boundSessionId, built.text());
    const { to } = await operation(bench, bench.main);
    const kept = linesOf(to.path).filter(({ type }) => type === 'attachment');
    assert.deepEqual(
      kept.map(({ attachment }) => JSON.stringify(attachment)),
      notes,
      name,
    );
  }
});

test('of the snapshots only the one that counts stays when bookkeeping goes', async (context) => {
  const bench = benchWith(context, boundSessionId, boundSession().text());
  const { to } = await strip({ bookkeeping: true })(bench, bench.main);
  const kept = linesOf(to.path).map(({ attachment }) => attachment as { type?: string; tools?: unknown } | undefined);
  const snapshots = kept.filter((attachment) => attachment?.type === 'prompt_snapshot');
  assert.equal(snapshots.length, 1);
  assert.ok(snapshots[0]?.tools !== undefined);
  assert.ok(kept.some((attachment) => attachment?.type === 'deferred_tools_record'));
});

test('a model with a thinking budget keeps the thinking of an open round, and in place its removal is refused', async (context) => {
  const built = new BoundWriter({ model: 'claude-sonnet-4-5' })
    .user('Look.')
    .answer('th1', text('First.'))
    .user('Run it.')
    .answer('th2', { type: 'tool_use', id: 'toolu_open', name: 'Bash', input: { command: 'ls' } });
  const bench = benchWith(context, boundSessionId, built.text());
  const { to } = await strip({ thinking: true })(bench, bench.main);
  assert.deepEqual(judge(to.path).sent, ['th2']);
  const before = contentsOf(bench.folder);
  const secret = built.lines.findLast(({ message }) => JSON.stringify(message).includes('"signature"'));
  const [thought] = blocksOf(secret);
  assert.ok(thought !== undefined);
  thought.thinking = `The token is ${token}.`;
  writeFileSync(bench.main, built.text());
  await assert.rejects(redact(false, true)(bench, bench.main), {
    exitCode: 3,
    message: /waits for tool results, and its model cannot continue without its thinking/,
  });
  assert.deepEqual([...contentsOf(bench.folder).keys()], [...before.keys()]);
});

test('redaction reaches snapshots and copies of requests; a changed snapshot unbinds all thinking', async (context) => {
  const built = boundSession();
  const snapshot = built.lines.findLast(({ attachment }) => JSON.stringify(attachment)?.includes('cliPrefix'));
  assert.ok(snapshot !== undefined);
  (snapshot.attachment as { systemPrompt: string[] }).systemPrompt = [`The key is ${token}.`];
  built.aside({ type: 'api-request-blob', hash: 'b1', message: { role: 'user', content: `Use ${token}.` } });
  const bench = benchWith(context, boundSessionId, built.text());
  const { to } = await redact()(bench, bench.main);
  const text = JSON.stringify(linesOf(to.path));
  assert.ok(!text.includes(token));
  assert.equal(text.split('[redacted:github-token:1]').length - 1, 3);
  assert.deepEqual(judge(to.path).sent, []);
});
