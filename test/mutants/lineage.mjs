// What a list says about where the work of a session was done, and which sessions and folders belong together.

const work = 'src/session/facts/work-facts.ts';
const families = 'src/web/server/http/families.ts';
const list = 'src/web/server/http/session-list.ts';
const groups = 'src/web/server/http/date-groups.ts';

export const mutants = [
  {
    id: 'model-of-the-client',
    file: work,
    find: 'return name === synthetic ? undefined : name;',
    replace: 'return name;',
    tests: ['session/facts/summary'],
  },
  {
    id: 'branch-of-a-sub-agent',
    file: work,
    find: 'findLast((node) => isMessage(node) && !node.isSidechain)',
    replace: 'findLast((node) => isMessage(node))',
    tests: ['library/index/work-facts', 'session/facts/continue-summary'],
  },
  {
    id: 'left-worktree',
    file: work,
    find: 'if (worktree !== undefined) return worktree;',
    replace: 'return worktree;',
    tests: ['session/facts/summary'],
  },
  {
    id: 'pull-request-twice',
    file: work,
    find: 'known.filter((each) => each.url !== url)',
    replace: 'known',
    tests: ['session/facts/summary'],
  },
  {
    id: 'continued-branch',
    file: 'src/session/facts/continue-summary.ts',
    find: '    more.endBatch();\n',
    replace: '',
    tests: ['session/facts/continue-summary'],
  },
  {
    id: 'continued-pull-request',
    file: 'src/session/facts/continue-summary.ts',
    find: 'this.#pullRequests = withPullRequest(this.#pullRequests, read(bytes))',
    replace: 'this.#pullRequests = withPullRequest([], read(bytes))',
    tests: ['session/facts/continue-summary'],
  },
  {
    id: 'copy-of-a-folder',
    file: families,
    find: 'origin !== undefined && origin.id !== row.id',
    replace: 'origin !== undefined && origin.path !== row.path',
    tests: ['web/server/http/families'],
  },
  {
    id: 'same-uuids',
    file: families,
    find: ` \${firstPrompt ?? ''}\`;`,
    replace: '`;',
    tests: ['web/server/http/families'],
  },
  {
    id: 'origin-not-looked-at',
    file: families,
    find: ' || named.has(id)',
    replace: '',
    tests: ['web/server/http/families'],
  },
  {
    id: 'same-beginning-not-looked-at',
    file: families,
    find: ' || shared.has(lineage.firstUuid)',
    replace: '',
    tests: ['web/server/http/families'],
  },
  {
    id: 'worktree-by-path',
    file: families,
    find: 'worktrees.get(folder) ?? repositoryInPath(folder)',
    replace: 'worktrees.get(folder) ?? null',
    tests: ['web/server/http/families'],
  },
  {
    id: 'worktree-by-session',
    file: families,
    find: 'worktrees.get(folder) ?? repositoryInPath(folder)',
    replace: 'repositoryInPath(folder)',
    tests: ['web/server/http/families'],
  },
  {
    id: 'folded-match',
    file: families,
    find: 'listed.get(families.rootOf(row.path)) ?? row',
    replace: 'row',
    tests: ['web/server/http/families'],
  },
  {
    id: 'newest-fork-decides',
    file: list,
    find: 'time: lastUse(entry.first)',
    replace: 'time: lastUse(entry.row)',
    tests: ['web/server/http/families'],
  },
  {
    id: 'https-only',
    file: 'src/web/server/answers/listed-row.ts',
    find: "parsed?.protocol === 'https:'",
    replace: 'parsed != null',
    tests: ['web/server/answers/listed-row'],
  },
  {
    id: 'week-from-monday',
    file: groups,
    find: "return day >= week ? 'week'",
    replace: "return day > week ? 'week'",
    tests: ['web/server/http/families'],
  },
];
