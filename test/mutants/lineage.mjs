// What a list says about where the work of a session was done, and which sessions and folders belong together.

const work = 'src/session/facts/work-facts.ts';
const families = 'src/web/server/http/families.ts';
const origins = 'src/library/lineage/find-origin.ts';
const relations = 'src/library/lineage/relations.ts';
const repositories = 'src/library/lineage/repositories.ts';
const messages = 'src/session/transcript/session-message.ts';
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
    file: origins,
    find: 'each.sessionId !== session.sessionId && isEarlier(each, session)',
    replace: 'each !== session && isEarlier(each, session)',
    tests: ['web/server/http/families'],
  },
  {
    id: 'same-uuids',
    file: origins,
    find: `\`\${firstUuid} \${firstPrompt ?? ''}\``,
    replace: 'firstUuid',
    tests: ['web/server/http/families'],
  },
  {
    id: 'reopened-by-chance',
    file: origins,
    find: "if (found === undefined || another !== undefined) return undefined;\n    return originFrom(found, 'reopened-from', undefined, 'content');",
    replace:
      "if (found === undefined) return undefined;\n    return originFrom(found, 'reopened-from', undefined, 'content');",
    tests: ['library/lineage/relations'],
  },
  {
    id: 'reopened-in-the-foreground',
    file: origins,
    find: 'origin.isBackground === true && turns <= 1',
    replace: 'turns <= 1',
    tests: ['library/lineage/relations'],
  },
  {
    id: 'job-named-after-its-first-session',
    file: origins,
    find: 'isFirst ? [first, ...named] : named',
    replace: 'named',
    tests: ['library/lineage/relations'],
  },
  {
    id: 'a-summary-names-itself',
    file: 'src/session/facts/origin-facts.ts',
    find: ' || id === sessionId) return undefined;\n  return { sessionId: id, isSummary',
    replace: ') return undefined;\n  return { sessionId: id, isSummary',
    tests: ['library/lineage/relations'],
  },
  {
    id: 'cycle',
    file: relations,
    find: 'if (leadsTo(origin.session, session, parents)) continue;',
    replace: '',
    tests: ['library/lineage/relations'],
  },
  {
    id: 'unknown-id-on-lines',
    file: origins,
    find: 'return found.session === undefined ? undefined : found;',
    replace: 'return found;',
    tests: ['library/lineage/relations'],
  },
  {
    id: 'moved-to-the-background',
    file: origins,
    find: "kind === 'fork-of' && isMoved ? 'background-of' : kind",
    replace: 'kind',
    tests: ['library/lineage/relations'],
  },
  {
    id: 'message-is-a-prompt',
    file: messages,
    find: 'return wrapped.test(text) || (isMeta && announced.test(text));',
    replace: 'return isMeta && announced.test(text);',
    tests: ['session/transcript/session-message'],
  },
  {
    id: 'message-as-title',
    file: 'src/session/facts/titles.ts',
    find: 'beginsAsSessionMessage(text) || ',
    replace: '',
    tests: ['session/transcript/session-message'],
  },
  {
    id: 'worktree-by-path',
    file: repositories,
    find: 'worktrees.get(folder) ?? repositoryInPath(folder)',
    replace: 'worktrees.get(folder) ?? null',
    tests: ['web/server/http/families'],
  },
  {
    id: 'worktree-by-session',
    file: repositories,
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
