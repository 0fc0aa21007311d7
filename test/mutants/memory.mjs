// Memory: what an agent may see of past sessions, and how much of it.
const scope = 'src/memory/scope/project-scope.ts';
const calling = 'src/memory/scope/calling-session.ts';
const text = 'src/memory/text/recorded-text.ts';
const answer = 'src/memory/text/answer.ts';
const memory = 'src/memory/answers/memory.ts';
const sessions = 'src/memory/answers/sessions.ts';
const turns = 'src/memory/reference/session-turns.ts';
const transport = 'src/memory/server/line-transport.ts';
const hostile = ['memory/hostile'];
const server = ['memory/server'];

export const mutants = [
  {
    id: 'every-project',
    file: memory,
    find: 'this.#options.isAllProjects ? undefined : new ProjectScope(folders)',
    replace: 'undefined',
    tests: hostile,
  },
  {
    id: 'own-session',
    file: sessions,
    find: '!own.has(sessionId.toLowerCase())',
    replace: 'own !== undefined',
    tests: hostile,
  },
  {
    id: 'own-by-call',
    file: calling,
    find: 'const called = toolUseId === undefined ? [] : sessionsOfCall(database, toolUseId);',
    replace: 'const called: readonly string[] = [];',
    tests: hostile,
  },
  {
    id: 'own-by-running-client',
    file: calling,
    find: 'this.#runningSession() ?? []',
    replace: '[]',
    tests: hostile,
  },
  {
    id: 'gone-worktree',
    file: scope,
    find: 'return repository !== undefined && isFolder(repository)',
    replace: 'return false && isFolder(repository as string)',
    tests: hostile,
  },
  {
    id: 'links-followed',
    file: scope,
    find: 'const real = realPath(folder).normalize',
    replace: 'const real = folder.normalize',
    tests: hostile,
  },
  { id: 'slug-collision', file: scope, find: '!others.has(slug) && ', replace: '', tests: hostile },
  {
    id: 'controls',
    file: text,
    find: 'return neutralise(text.replace',
    replace: 'return (text.replace',
    tests: hostile,
  },
  { id: 'invisible', file: text, find: ".replace(invisible, '')", replace: '', tests: hostile },
  { id: 'line-breaks', file: text, find: ".replace(lineBreaks, '\\n')", replace: '', tests: hostile },
  {
    id: 'secrets',
    file: text,
    find: 'const redacted = redactText(plainRecorded(start), this.#known, this.#rules).text;',
    replace: 'const redacted = plainRecorded(start);',
    tests: hostile,
  },
  {
    id: 'secrets-before-the-stretch',
    file: 'src/library/exchanges/found-reader.ts',
    find: 'const shown = hide(text.slice(start, end));',
    replace: 'const shown = text.slice(start, end);',
    tests: hostile,
  },
  {
    id: 'secrets-of-the-session',
    file: memory,
    find: 'return exportSource(source.session, redactorFor([source], this.#rules));',
    replace: 'return exportSource(source.session);',
    tests: hostile,
  },
  { id: 'marked-lines', file: answer, find: "const mark = '| ';", replace: "const mark = '';", tests: hostile },
  { id: 'budget', file: answer, find: 'if (tokens > this.left) return false;', replace: '', tests: server },
  {
    id: 'turns-of-other-branches',
    file: turns,
    find: 'session.branches.flatMap((branch)',
    replace: 'session.branches.slice(0, 1).flatMap((branch)',
    tests: hostile,
  },
  {
    id: 'longest-line',
    file: transport,
    find: 'if (this.#bytes <= longestLine) {',
    replace: 'if (true) {',
    tests: server,
  },
  {
    id: 'archived-copies-removed',
    file: 'src/memory/gone/archived-sessions.ts',
    find: 'for (const folder of this.#restored) rmSync(folder, { recursive: true, force: true });',
    replace: '',
    tests: ['memory/gone'],
  },
  {
    id: 'archive-forgotten',
    file: 'src/memory/gone/archived-sessions.ts',
    find: 'if (!wanted.has(file)) this.#forget(database, file);',
    replace: 'if (false) this.#forget(database, file);',
    tests: ['memory/gone'],
  },
];
