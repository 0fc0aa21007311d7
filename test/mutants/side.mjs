// The right side of the session page, the context chart, and what tool output cost.
const sizes = 'src/export/page/context-size.ts';
const output = 'src/library/spending/tool-output.ts';
const side = 'src/export/side/side.ts';
const shape = 'src/web/app/session/chart/chart-shape.ts';

export const mutants = [
  {
    id: 'drop-in-the-turn-of-its-line',
    file: sizes,
    find: 'sizes[Math.min(last, written + 1)]',
    replace: 'sizes[Math.min(last, written)]',
    tests: ['export/page/context-size'],
  },
  {
    id: 'peak-before-a-drop-is-lost',
    file: sizes,
    find: 'if (isInside) own.peakTokens = larger(own.peakTokens, before);',
    replace: '',
    tests: ['export/page/context-size'],
  },
  {
    id: 'old-summary-is-no-drop',
    file: sizes,
    find: 'const line = boundary ?? summary;',
    replace: 'const line = boundary;',
    tests: ['export/page/context-size'],
  },
  {
    id: 'chart-drops-late',
    file: shape,
    find: "at: dropAt === 'start' ? x : x + step / 2",
    replace: 'at: x + step',
    tests: ['web/app/chart-shape'],
  },
  {
    id: 'chart-limit-is-flat',
    file: shape,
    find: 'most < limit * smallShare',
    replace: 'false',
    tests: ['web/app/chart-shape'],
  },
  {
    id: 'failed-edits-count',
    file: side,
    find: "if (state !== 'done') continue;",
    replace: '',
    tests: ['export/side/side'],
  },
  {
    id: 'later-turns-are-shown',
    file: side,
    find: 'calls.filter((call) => call.turn.index <= last)',
    replace: 'calls',
    tests: ['export/side/side'],
  },
  {
    id: 'tasks-by-order-of-calls',
    file: side,
    find: '.toSorted((a, b) => a.order - b.order)',
    replace: '',
    tests: ['export/side/side'],
  },
  {
    id: 'running-calls-are-kept',
    file: 'src/export/side/progress.ts',
    find: "known.every(({ state }) => state !== 'open')",
    replace: 'true',
    tests: ['export/side/side'],
  },
  {
    id: 'compaction-forgets-no-output',
    file: output,
    find: 'if (isBoundary(node) || node.isCompactSummary) conversation.forget();',
    replace: '',
    tests: ['library/spending/tool-output'],
  },
  {
    id: 'rewind-drops-no-output',
    file: output,
    find: 'this.#drop(input);',
    replace: '',
    tests: ['library/spending/tool-output'],
  },
  {
    id: 'output-without-a-cap',
    file: output,
    find: 'own * mostTokensPerByte)',
    replace: 'growth)',
    tests: ['library/spending/tool-output'],
  },
  {
    id: 'copies-are-charged',
    file: output,
    find: 'this.#options.isCounted(message.id)',
    replace: 'true',
    tests: ['library/spending/tool-output'],
  },
  {
    id: 'stored-result-has-weight',
    file: output,
    find: 'return member === undefined ? length : member.valueEnd - member.valueStart;',
    replace: 'return length;',
    tests: ['library/spending/tool-output'],
  },
  {
    id: 'pace-from-the-start-of-the-block',
    file: 'src/library/usage/report.ts',
    find: '(nowMs - first) / hourMs',
    replace: '(nowMs - endsAt + blockMs) / hourMs',
    tests: ['library/spending/pace'],
  },
  {
    id: 'writes-save-nothing',
    file: 'src/library/spending/cache-savings.ts',
    find: 'inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens,',
    replace: 'inputTokens + cacheReadTokens,',
    tests: ['library/spending/pace'],
  },
];
