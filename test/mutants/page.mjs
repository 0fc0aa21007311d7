// The session page: what a view shows, which parts it asks for, and what is new in a live session.
const shown = 'src/web/app/session/view/shown.ts';
const stepping = 'src/web/app/session/view/stepping.ts';
const facts = 'src/export/page/part-facts.ts';
const list = 'src/web/server/http/session-list.ts';
const cache = 'src/web/server/answers/session-cache.ts';
const store = 'src/web/app/session/source/parts-store.ts';
const views = ['web/app/view-filter'];

export const mutants = [
  {
    id: 'errors-hidden',
    file: shown,
    find: " && item.tone === 'plain' && !isChosen",
    replace: ' && !isChosen',
    tests: views,
  },
  { id: 'chosen-files-hidden', file: shown, find: ' && !isChosen(item.label)', replace: '', tests: views },
  { id: 'unreadable-shown', file: shown, find: ' && item.text === null', replace: ' && false', tests: views },
  { id: 'filler-shown', file: shown, find: "item.label === 'client'", replace: "item.label === ''", tests: views },
  { id: 'every-call-an-error', file: shown, find: " && item.state === 'failed'", replace: '', tests: views },
  { id: 'empty-parts', file: shown, find: ' & ~partBits.context;', replace: ';', tests: views },
  {
    id: 'tools-ignored',
    file: shown,
    find: 'chosen !== null && !tools.some((tool) => chosen.has(tool))',
    replace: 'chosen !== null && tools.length === 0',
    tests: views,
  },
  { id: 'same-step', file: stepping, find: 'line > from.line', replace: 'line >= from.line', tests: views },
  { id: 'step-loads-all', file: stepping, find: '((held & bits) === 0 ? []', replace: '(held < 0 ? []', tests: views },
  {
    id: 'failed-calls',
    file: facts,
    find: 'if (isFailed(session, node, id, name)) tool.errors++;',
    replace: '',
    tests: views,
  },
  {
    id: 'results-are-new',
    file: facts,
    find: " || node.userKind === 'results') shownLines++",
    replace: ') shownLines++',
    tests: ['export/page/builders'],
  },
  { id: 'short-prefix', file: list, find: '{4,36}', replace: '{1,36}', tests: ['web/server/http/session-list'] },
  {
    id: 'first-of-many',
    file: list,
    find: 'ids.length === 1 ?',
    replace: 'ids.length >= 1 ?',
    tests: ['web/server/http/session-list'],
  },
  {
    id: 'replaced-unnoticed',
    file: cache,
    find: 'return transcript.sizeBytes >= sizeBytes && isSame(proof, transcript.path, sizeBytes);',
    replace: 'return transcript.sizeBytes >= sizeBytes;',
    tests: ['web/server/answers/tail-answers'],
  },
  {
    id: 'shorter-unnoticed',
    file: cache,
    find: 'transcript.sizeBytes >= sizeBytes && isSame(',
    replace: 'isSame(',
    tests: ['web/server/answers/tail-answers'],
    equivalent: 'the hashes of a shorter file differ',
  },
  {
    id: 'loads-between',
    file: store,
    find: '...this.#parts.slice(from, to),',
    replace: '...Array.from({ length: this.#to - this.#from }, (_, i) => this.#from + i),',
    tests: ['web/app/parts-store'],
  },
];
