// Guarantees of the search: what is found in bytes, and the places of hits.
const lines = ['library/search/line-search'];
const judge = ['library/search/judge-line'];
const places = ['library/search/hit-place'];

export const mutants = [
  {
    id: 'match-cut-in-two',
    file: 'src/base/bytes/byte-search.ts',
    find: 'this.overlap = Math.max(bytes.length, escapeBytes) - 1;',
    replace: 'this.overlap = 0;',
    tests: lines,
  },
  {
    id: 'escapes-not-searched',
    file: 'src/base/bytes/byte-search.ts',
    find: '(memory[at] as number) | (1 << (code & 7))',
    replace: '0',
    tests: ['base/bytes/byte-search', ...lines],
  },
  {
    id: 'search-outside-the-buffer',
    file: 'src/base/bytes/byte-search.ts',
    find: 'if (!(from >= 0 && from <= to && to <= this.buffer.length))',
    replace: 'if (from > to)',
    tests: ['base/bytes/byte-search'],
  },
  {
    id: 'line-found-twice',
    file: 'src/library/search/line-search.ts',
    find: 'if (offset !== foundOffset) yield',
    replace: 'yield',
    tests: lines,
  },
  {
    id: 'line-of-the-wrong-buffer',
    file: 'src/library/search/line-search.ts',
    find: 'if (lastLine >= 0) lineOffset = start + lastLine;',
    replace: '',
    tests: lines,
  },
  {
    id: 'lines-after-the-index',
    file: 'src/library/search/line-search.ts',
    find: 'Math.min(buffer.length - kept, endOffset - start - kept)',
    replace: 'buffer.length - kept',
    tests: lines,
  },
  {
    id: 'half-an-escape-matches',
    file: 'src/library/search/judge-line.ts',
    find: 'if (!text.subarray(Math.max(0, at - longestEscape), at).includes(backslash)) return true;',
    replace: 'return true;',
    tests: judge,
  },
  {
    id: 'escaped-text-not-decoded',
    file: 'src/library/search/judge-line.ts',
    find: "text.includes('\\\\u') || text.includes(plain) ? 'unsure' : false",
    replace: 'false',
    tests: judge,
  },
  {
    id: 'second-record-ignored',
    file: 'src/library/search/judge-line.ts',
    find: 'if (record === undefined || skipWhitespace(line, record.end) !== line.length) return undefined;',
    replace: 'if (record === undefined) return undefined;',
    tests: judge,
  },
  {
    id: 'first-of-repeated-keys',
    file: 'src/library/search/judge-line.ts',
    find: 'if (number >= 0) found[number] = { start, end };',
    replace: 'if (number >= 0) found[number] ??= { start, end };',
    tests: judge,
  },
  {
    id: 'second-block-ignored',
    file: 'src/library/search/judge-line.ts',
    find: 'if (block === undefined || skipWhitespace(line, block.end) !== content.end - 1) return undefined;',
    replace: 'if (block === undefined) return undefined;',
    tests: judge,
  },
  {
    id: 'escaped-part-needed',
    file: 'src/library/search/judge-line.ts',
    find: "&& !line.includes('\\\\u')) return none;",
    replace: ') return none;',
    tests: judge,
  },
  {
    id: 'places-of-changed-files',
    file: 'src/library/places/hit-place.ts',
    find: "[version, ...files, ...sideState(file)].join('\\n')",
    replace: 'version',
    tests: places,
  },
  {
    id: 'places-without-side-files',
    file: 'src/library/places/hit-place.ts',
    find: '...files, ...sideState(file)]',
    replace: '...files]',
    tests: places,
  },
  {
    id: 'places-not-kept',
    file: 'src/library/places/hit-place.ts',
    find: 'savePlaces(database, [{ ...key, table }]);',
    replace: '',
    tests: places,
  },
];
