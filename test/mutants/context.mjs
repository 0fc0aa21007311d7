// The context ledger: what is counted where, what is exact, what does not fit, and what can be freed.
const account = 'src/context/ledger/account.ts';
const ledger = 'src/context/ledger/ledger.ts';
const pieces = 'src/context/ledger/pieces.ts';
const slices = 'src/context/ledger/slices.ts';
const habits = 'src/context/ledger/model-habits.ts';
const tests = ['context/ledger', 'context/random-ledger', 'context/real-counts'];

export const mutants = [
  {
    id: 'same-count-fits',
    file: account,
    find: 'if (tokens === this.#lastCount && added >= leastAdded)',
    replace: 'if (false)',
    tests,
  },
  { id: 'small-count-fits', file: account, find: 'if (tokens < known * leastFit)', replace: 'if (false)', tests },
  { id: 'huge-count-fits', file: account, find: 'if (tokens > mostTokens)', replace: 'if (false)', tests },
  {
    id: 'surplus-stretches-the-text',
    file: account,
    find: 'return ratio <= mostRatio || rest - added <= frameTokens * pieces ? ratio : 1;',
    replace: 'return ratio;',
    tests,
  },
  {
    id: 'surplus-is-lost',
    file: account,
    find: 'if (left > leastTokens)',
    replace: 'if (false)',
    tests,
  },
  {
    id: 'shortage-is-ignored',
    file: account,
    find: 'else if (left < -leastTokens) this.#take(-left, count.turn);',
    replace: '',
    tests,
  },
  {
    id: 'compaction-keeps-all',
    file: account,
    find: 'if (item.isPrompt || isKept(item)) kept.push(item);',
    replace: 'if (true) kept.push(item);',
    tests,
  },
  {
    id: 'compaction-drops-the-system-prompt',
    file: account,
    find: 'if (item.isPrompt || isKept(item))',
    replace: 'if (isKept(item))',
    tests,
  },
  {
    id: 'removed-lines-can-be-freed',
    file: account,
    find: 'item.isAlive = false;',
    replace: '',
    tests,
  },
  {
    id: 'last-thinking-is-kept',
    file: account,
    find: "return count?.dropsThinking === true && kind === 'thinking' && turn < count.turn;",
    replace: 'return false;',
    tests,
  },
  {
    id: 'output-is-exact-though-partial',
    file: ledger,
    find: 'isPartial || outputTokens > mostTokens ? undefined : outputTokens',
    replace: 'outputTokens',
    tests,
  },
  {
    id: 'a-searched-tool-is-unrecorded',
    file: account,
    find: "const kind = loaded === undefined ? 'unrecorded'",
    replace: "const kind = true ? 'unrecorded'",
    tests,
  },
  {
    id: 'first-line-of-an-answer-counts-again',
    file: ledger,
    find: 'if (answer !== undefined && !answered.has(answer.id)) {',
    replace: 'if (answer !== undefined) {',
    tests,
  },
  {
    id: 'a-turn-shows-the-last-request',
    file: ledger,
    find: 'if (own > turn) break;',
    replace: '',
    tests,
  },
  {
    id: 'strip-named-for-other-branches',
    file: ledger,
    find: 'const isResumed = number === 1 && ',
    replace: 'const isResumed = ',
    tests,
  },
  {
    id: 'a-dash-begins-a-tool',
    file: slices,
    find: '!/^\\w[^,*\\s\\p{C}]*$/u.test(group.name)',
    replace: '/[,*\\s]/.test(group.name)',
    tests,
  },
  {
    id: 'rounding-loses-tokens',
    file: slices,
    find: 'if (left <= 0) break;',
    replace: 'break;',
    tests,
  },
  {
    id: 'file-reads-are-output',
    file: pieces,
    find: "tool === 'Read' || tool === 'NotebookRead'",
    replace: "tool === 'NotebookRead'",
    tests,
  },
  {
    id: 'instructions-are-reminders',
    file: pieces,
    find: "return isInstructions(text) ? 'instructions' : 'reminders';",
    replace: "return 'reminders';",
    tests,
  },
  { id: 'one-tokenizer', file: habits, find: '? 1 : newTokenizerFactor', replace: '? 1 : 1', tests },
  {
    id: 'every-client-forgets-thinking',
    file: habits,
    find: 'return !isVersionSince(clientVersion, keepsThinkingSince);',
    replace: 'return true;',
    tests,
  },
];
