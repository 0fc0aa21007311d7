// Counting: each message once, in the session that had it first.
const lineage = 'src/library/usage/lineage.ts';
const usage = 'src/session/usage/usage.ts';
const tests = ['library/usage/lineage'];

export const mutants = [
  {
    id: 'marks-on-lines-ignored',
    file: usage,
    find: 'const first = lines.find((line) => !line.isCopy) ?? lines[0];',
    replace: 'const first = lines[0];',
    tests,
  },
  { id: 'empty-copy-counts', file: usage, find: 'if (lines.every(isEmptyCopy)) {', replace: 'if (false) {', tests },
  {
    id: 'no-generations',
    file: lineage,
    find: 'generationOf(a) - generationOf(b) ||',
    replace: '',
    tests,
  },
  {
    id: 'no-start',
    file: lineage,
    find: 'compareTimes(a.startedAt, b.startedAt) ||',
    replace: '',
    tests,
  },
  { id: 'no-first-line', file: lineage, find: 'compareTimes(a.firstAt, b.firstAt) ||', replace: '', tests },
  { id: 'no-birth', file: lineage, find: 'compareTimes(a.madeAt, b.madeAt) ||', replace: '', tests },
  { id: 'no-end', file: lineage, find: 'compareTimes(a.endedAt, b.endedAt) ||', replace: '', tests },
  {
    id: 'cycles-counted',
    file: lineage,
    find: 'if (!reachable(each, origins).has(sessionId)) count++;',
    replace: 'count++;',
    tests,
  },
  {
    id: 'session-ids-ignored',
    file: 'src/library/rows/usage-reader.ts',
    find: 'const origin = marked ?? this.#otherSession(stringField(bytes, field.sessionId));',
    replace: 'const origin = marked;',
    tests: ['library/rows/row-scanner'],
  },
  {
    id: 'copy-flag-lost',
    file: 'src/library/rows/row-writer.ts',
    find: '(isCopy ? rowFlags.copy : 0) |',
    replace: '',
    tests: ['library/rows/packed-rows'],
  },
  {
    id: 'queue-found-twice',
    file: 'src/library/search/text-indexer.ts',
    find: "else if (kind === 'prompt') this.#queued.drop(this.#database, file, text);",
    replace: '',
    tests: ['library/search/search'],
  },
  {
    id: 'scattered-words-first',
    file: 'src/library/search/search.ts',
    find: 'rows: [...(yield* order.sort(weigh(literal, nowMs))), ...(yield* order.sort(weigh(scattered, nowMs)))],',
    replace: 'rows: [...(yield* order.sort(weigh(scattered, nowMs))), ...(yield* order.sort(weigh(literal, nowMs)))],',
    tests: ['library/search/search'],
  },
];
