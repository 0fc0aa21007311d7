// Authorship: which call a line is given to, and when it is given to none.
const tests = ['authorship/why'];

export const mutants = [
  {
    id: 'failed-calls-count',
    file: 'src/authorship/calls/session-work.ts',
    find: 'if (result === undefined || hasError(result, id)) continue;',
    replace: 'if (result === undefined) continue;',
    tests,
  },
  {
    id: 'changed-by-user-is-agent',
    file: 'src/authorship/replay/replay.ts',
    find: '(ownLines === undefined || ownLines.has(line) ? own : outside)',
    replace: '(ownLines === undefined || ownLines.size > 0 ? own : outside)',
    tests,
  },
  {
    id: 'equal-lines-are-given-away',
    file: 'src/authorship/replay/state.ts',
    find: "return unclear(origin, second, 'equal-lines');",
    replace: 'return origin;',
    tests,
  },
  {
    id: 'claims-are-ignored',
    file: 'src/authorship/replay/assign.ts',
    find: '.filter((i) => !this.#isClaimed(wrote, i))',
    replace: '',
    tests,
  },
];
