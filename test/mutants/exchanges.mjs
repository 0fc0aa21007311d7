// Guarantees of the index of exchanges and of its ranking.
const exchanges = ['library/exchanges/exchanges'];

export const mutants = [
  {
    id: 'append-starts-a-new-segment',
    file: 'src/library/search/text-indexer.ts',
    find: 'const isNext = file.offset === 0 || starts.has(file.line + 1);',
    replace: 'const isNext = true;',
    tests: exchanges,
  },
  {
    id: 'replaced-exchanges-stay',
    file: 'src/library/index/schema.ts',
    find: '  forgetExchanges(database, file);',
    replace: '',
    tests: exchanges,
  },
  {
    id: 'synonym-counts-as-the-word',
    file: 'src/library/exchanges/rank.ts',
    find: 'for (const [row, fit] of similar) add(row, fit * this.#tuned.synonyms);',
    replace: 'for (const [row, fit] of similar) add(row, fit * 3);',
    tests: exchanges,
  },
  {
    id: 'excluded-words-are-found',
    file: 'src/library/exchanges/rank.ts',
    find: '!excluded.has(key) && ',
    replace: '',
    tests: exchanges,
  },
];
