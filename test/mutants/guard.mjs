// Who may ask a local server, what leaves the house, and what hostile input may cost.
const guard = ['web/server/guard'];
const localGuard = 'src/base/local-guard.ts';

export const mutants = [
  {
    id: 'any-name',
    file: localGuard,
    find: "return 'name';",
    replace: 'return undefined;',
    tests: guard,
  },
  {
    id: 'any-origin',
    file: localGuard,
    find: 'if (origin !== undefined && ',
    replace: 'if (origin === host && ',
    tests: guard,
  },
  {
    id: 'site-not-looked-at',
    file: localGuard,
    find: "return opensPage && isNavigation ? undefined : 'site';",
    replace: 'return undefined;',
    tests: guard,
  },
  {
    id: 'secret-by-length',
    file: localGuard,
    find: 'bytes.length === wanted.length && timingSafeEqual(bytes, wanted)',
    replace: 'bytes.length === wanted.length',
    tests: guard,
  },
  {
    id: 'data-without-token',
    file: 'src/web/server/guard.ts',
    find: "(method !== 'POST' && !isData(url)) ||",
    replace: "method !== 'POST' ||",
    tests: guard,
  },
  {
    id: 'tab-gets-json',
    file: 'src/web/server/refused.ts',
    find: "mode === 'navigate'",
    replace: 'false',
    tests: guard,
  },
  {
    id: 'replay-without-key',
    file: 'src/api/server/replay-server.ts',
    find: '    ...options,\n    apiKey,',
    replace: '    ...options,',
    tests: ['api/server/replay-server'],
  },
  {
    id: 'replay-for-web-sites',
    file: 'src/api/server/messages-server.ts',
    find: 'return stranger ?? (',
    replace: 'return (',
    tests: ['api/server/replay-server'],
  },
  {
    id: 'copy-with-secrets',
    file: 'src/web/server/session-answers.ts',
    find: 'exportSubject(session, await this.#redactorOf(query.path))',
    replace: 'exportSubject(session)',
    tests: ['web/server/copied-markdown'],
  },
  {
    id: 'copy-without-own-rules',
    file: 'src/web/server/session-answers.ts',
    find: 'redactorFor([await loadSource(path, { isOnlyRead: true })], usualRuleSet(this.#state))',
    replace: 'redactorFor([await loadSource(path, { isOnlyRead: true })])',
    tests: ['web/server/copied-markdown'],
  },
  {
    id: 'all-is-markdown',
    file: 'src/base/markdown-bounds.ts',
    find: 'if (text.length <= maxChars) return',
    replace: 'if (text.length >= 0) return',
    tests: ['base/markdown-bounds'],
  },
  {
    id: 'all-is-wrapped',
    file: 'src/cli/terminal/wrap.ts',
    find: 'maxWrappedChars = 1_000_000',
    replace: 'maxWrappedChars = 1_000_000_000',
    tests: ['cli/terminal/markdown'],
  },
  {
    id: 'devices-are-files',
    file: 'src/base/regular-file.ts',
    find: 'if (!stats.isFile()) throw',
    replace: 'if (stats.isFIFO()) throw',
    tests: ['base/regular-file'],
  },
  {
    id: 'size-not-looked-at',
    file: 'src/base/regular-file.ts',
    find: 'if (total > maxBytes) throw tooLarge(file, maxBytes);',
    replace: '',
    tests: ['base/regular-file'],
  },
];
