// The guard: when a limit is reached, what belongs to its period, what blocks, and what is named.
const verdict = 'src/library/guard/verdict.ts';
const answer = 'src/cli/guard/answer.ts';
const verdicts = ['cli/guard/verdicts'];

export const mutants = [
  {
    id: 'reached-only-above',
    file: verdict,
    find: 'limit !== undefined && spent >= limit',
    replace: 'limit !== undefined && spent > limit',
    tests: verdicts,
  },
  {
    id: 'day-is-24-hours',
    file: verdict,
    find: 'isNear(cell) && calendar.dayOf(cell.time) === today',
    replace: 'isNear(cell)',
    tests: verdicts,
  },
  {
    id: 'session-is-all',
    file: verdict,
    find: 'session.sessionId === sessionId',
    replace: 'session.sessionId !== undefined',
    tests: verdicts,
  },
  {
    id: 'block-is-any',
    file: verdict,
    find: '.find(({ isActive }) => isActive)',
    replace: '.at(-1)',
    tests: verdicts,
  },
  {
    id: 'recent-cells-lose-the-session',
    file: 'src/library/usage/cells.ts',
    find: 'sessionId !== undefined && sessionIdOf({ main }) === sessionId',
    replace: 'false',
    tests: verdicts,
  },
  {
    id: 'peek-forgets-the-new-lines',
    file: 'src/library/usage/usage-store.ts',
    find: 'files[one.i] = one.file;',
    replace: '',
    tests: verdicts,
  },
  {
    id: 'prompt-is-not-blocked',
    file: answer,
    find: "event === 'PreToolUse' || event === 'UserPromptSubmit'",
    replace: "event === 'PreToolUse'",
    tests: verdicts,
  },
  {
    id: 'denied-call-continues',
    file: answer,
    find: 'continue: false,',
    replace: 'continue: true,',
    tests: verdicts,
  },
  {
    id: 'unpriced-is-silent',
    file: answer,
    find: 'if (unpricedTokens > 0)',
    replace: 'if (unpricedTokens > 1e12)',
    tests: verdicts,
  },
];
