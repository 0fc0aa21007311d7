import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarise } from '../../../src/session/facts/summary.ts';
import { sessionId, startTime, transcript } from '../../support/transcript-builder.ts';

test('a session in one row', () => {
  const builder = transcript()
    .user('question')
    .assistant('a')
    .after(-5000)
    .user('more', { parentUuid: 'gone' })
    .from(null)
    .after(9000)
    .user('task', { isSidechain: true })
    .aside('ai-title', { aiTitle: 'the title' });
  const session = builder.session();
  assert.deepEqual(summarise(session), {
    sessionId,
    path: session.files.main,
    cwd: '/home/dev/widgets',
    title: 'the title',
    startedAt: startTime - 4000,
    endedAt: startTime + 5000,
    entries: 5,
    turns: 2,
    agents: 1,
    sizeBytes: builder.text().length,
    diagnostics: 1,
    damage: 1,
    tag: undefined,
    forkedFrom: undefined,
  });
});

test('the last tag counts, an empty one takes it away, and a fork names the session it is from', () => {
  const tags = (...given: readonly string[]): string | undefined => {
    const builder = transcript().user('a');
    for (const tag of given) builder.aside('tag', { tag });
    return summarise(builder.session()).tag;
  };
  assert.deepEqual([tags(), tags('one'), tags('one', 'two'), tags('one', '')], [undefined, 'one', 'two', undefined]);
  const copy = transcript()
    .user('a', { forkedFrom: { sessionId: 'first', messageUuid: 'x' } })
    .assistant('b');
  assert.equal(summarise(copy.session()).forkedFrom, 'first');
});

test('a file without times and conversations has a row as well', () => {
  const { startedAt, endedAt, turns, title, cwd } = summarise(
    transcript().aside('summary', { summary: 's' }).session(),
  );
  assert.deepEqual([startedAt, endedAt, turns, title, cwd], [Number.NaN, Number.NaN, 0, undefined, undefined]);
});
