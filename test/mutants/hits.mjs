// Guarantees of find in a session and of hits: every place is found once, in the order of the file, with its offset.
const find = ['export/page/find'];

export const mutants = [
  {
    id: 'hit-without-offset',
    file: 'src/export/page/find.ts',
    find: 'return { ...place, offset: mark[0], ...around, same };',
    replace: 'return { ...place, offset: 0, ...around, same };',
    tests: find,
  },
  {
    id: 'next-page-repeats-a-line',
    file: 'src/export/page/find.ts',
    find: 'const skipped = isAt(line, start) ? start.skip : 0;',
    replace: 'const skipped = 0;',
    tests: find,
  },
  {
    id: 'half-of-a-character',
    file: 'src/export/page/find.ts',
    find: 'return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;',
    replace: 'return at;',
    tests: find,
  },
  {
    id: 'part-of-a-word-is-marked',
    file: 'src/base/text/words.ts',
    find: "const before = isOwn ? '' :",
    replace: "const before = isOwn || !isOwn ? '' :",
    tests: find,
  },
];
