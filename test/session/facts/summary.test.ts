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
    firstUuid: session.transcript.nodes[0]?.uuid,
    origin: { firstAnswer: 'm1', lastUuid: 'u2' },
    gitBranch: undefined,
    model: 'claude-opus-4-5-20251101',
    worktree: undefined,
    pullRequests: [],
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

test('where the work was done: the last branch, the last model, the last worktree, each pull request once', () => {
  const link = (number: number) => ({
    prNumber: number,
    prUrl: `https://example.invalid/${number}`,
    prRepository: 'a/b',
  });
  const entered = { originalCwd: '/repo', worktreePath: '/repo/.claude/worktrees/x', worktreeBranch: 'x' };
  const { gitBranch, model, worktree, pullRequests } = summarise(
    transcript()
      .user('a', { gitBranch: 'main' })
      .assistant('b', { gitBranch: 'topic' })
      .aside('pr-link', link(7))
      .aside('pr-link', link(8))
      .aside('pr-link', link(7))
      .aside('pr-link', { prNumber: 9 })
      .aside('worktree-state', { worktreeSession: entered })
      .aside('worktree-state', { worktreeSession: null })
      .session(),
  );
  assert.deepEqual([gitBranch, model], ['topic', 'claude-opus-4-5-20251101']);
  assert.deepEqual(worktree, { path: '/repo/.claude/worktrees/x', repository: '/repo', branch: 'x' });
  assert.deepEqual(
    pullRequests.map(({ url, number, repository }) => [url, number, repository]),
    [
      ['https://example.invalid/8', 8, 'a/b'],
      ['https://example.invalid/7', 7, 'a/b'],
    ],
  );
});

test('an answer that the client wrote has no model', () => {
  const said = (model: string, more = {}) => ({ message: { model, content: [{ type: 'text', text: 'x' }] }, ...more });
  const session = transcript()
    .user('a')
    .assistant('b')
    .assistant('error', said('<synthetic>'))
    .assistant('error', said('other', { isApiErrorMessage: true }))
    .session();
  assert.equal(summarise(session).model, 'claude-opus-4-5-20251101');
});
