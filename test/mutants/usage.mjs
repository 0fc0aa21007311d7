// What is kept of usage: the rows, the state on the disk, and what is counted again after a change.
const store = 'src/library/usage/usage-store.ts';
const update = 'src/library/usage/usage-update.ts';
const state = 'src/library/usage/state-file.ts';
const scanner = 'src/library/rows/row-scanner.ts';
const tests = ['library/usage/usage-store'];

export const mutants = [
  {
    id: 'leftover-rows-stop-saving',
    file: store,
    find: 'if (!appendRows(this.#rowsFile(rowsFile), rowsBytes, bytes)) return undefined;',
    replace: 'if (!appendRows(this.#rowsFile(rowsFile), rowsBytes, bytes)) throw new OtherWriter();',
    tests,
  },
  {
    id: 'damaged-state-used',
    file: state,
    find: 'both.compare(both, half, both.length, 0, half) !== 0',
    replace: 'false',
    tests,
  },
  { id: 'rows-unchecked', file: store, find: 'checksum(bytes) === sum', replace: 'true', tests },
  {
    id: 'always-continued',
    file: update,
    find: 'return headHash === before.proof.headHash',
    replace: 'return true || headHash',
    tests,
  },
  {
    id: 'was-shared-forgotten',
    file: update,
    find: 'changed.has(file) || wasShared.has(file)',
    replace: 'changed.has(file)',
    tests,
  },
  {
    id: 'shared-never-recounted',
    file: update,
    find: 'hasNewPrices || concerns(',
    replace: 'hasNewPrices && concerns(',
    tests,
  },
  {
    id: 'other-session-ignored',
    file: update,
    find: 'isOther || mains.has(file.main) ||',
    replace: 'isOther ||',
    tests,
  },
  { id: 'removed-ignored', file: update, find: 'if (removed.some(', replace: 'if ([].some(', tests },
  {
    id: 'prices-ignored',
    file: update,
    find: '(hasNewPrices || changed.has(file)',
    replace: '(changed.has(file)',
    tests: ['library/usage/usage-report'],
  },
  { id: 'no-limit', file: update, find: 'if (bytesNew > maxBytes) {', replace: 'if (bytesNew < 0) {', tests },
  { id: 'first-not-first', file: update, find: 'if (!isFirst(file)) bytesNew', replace: 'bytesNew', tests },
  {
    id: 'copies-are-messages',
    file: 'src/library/usage/cell-sums.ts',
    find: '(rowFlags.copy | rowFlags.synthetic)',
    replace: 'rowFlags.synthetic',
    tests,
  },
  {
    id: 'synthetic-counts',
    file: 'src/library/usage/cell-sums.ts',
    find: '(rowFlags.copy | rowFlags.synthetic)',
    replace: 'rowFlags.copy',
    tests,
  },
  {
    id: 'one-cell-for-all-models',
    file: 'src/library/usage/cell-sums.ts',
    find: '(place * maxModels + model) * 4',
    replace: '(place * maxModels) * 4',
    tests,
  },
  {
    id: 'new-key-found-between-keys',
    file: 'src/library/rows/shared-keys.ts',
    find: 'while (hit % key.length > 0) hit = bytes.indexOf(key, hit + 1);',
    replace: '',
    tests: ['library/rows/shared-keys'],
  },
  {
    id: 'new-key-twice-missed',
    file: 'src/library/rows/shared-keys.ts',
    find: 'return fresh > 2 && isAnyTwice(',
    replace: 'return fresh > 6 && isAnyTwice(',
    tests: ['library/rows/shared-keys'],
  },
  {
    id: 'self-shared-missed',
    file: 'src/library/rows/shared-keys.ts',
    find: 'shared[owner - 1] = 1;',
    replace: 'if (owner - 1 !== file) shared[owner - 1] = 1;\n          if (owner - 1 === file) continue;',
    tests,
  },
  {
    id: 'joined-ids-of-the-first',
    file: 'src/library/rows/packed-rows.ts',
    find: '+ heapTo) >>> 0',
    replace: '+ 0) >>> 0',
    tests: ['library/rows/packed-rows'],
  },
  {
    id: 'long-line-lost',
    file: scanner,
    find: 'lines.memory.copyWithin(windowAt, scanned, end);',
    replace: ';',
    tests: ['library/rows/row-scanner'],
  },
  {
    id: 'full-rows-lost',
    file: scanner,
    find: 'if (lines.isFull) {\n        this.#takeRows();',
    replace: 'if (lines.isFull) {\n        lines.clearRows();',
    tests: ['library/rows/row-scanner'],
  },
  {
    id: 'long-ids-cut',
    file: scanner,
    find: 'if (textBytesOf(line) > maxTextBytes) throw',
    replace: 'if (textBytesOf(line) < 0) throw',
    tests: ['library/rows/row-scanner'],
  },
];
