// A session of a list; a test sets only the fields it needs.
import type { ListedSession } from '../../src/library/index/session-list.ts';

export function listedSession(more: Partial<ListedSession> = {}): ListedSession {
  return {
    sessionId: '3f2b8c1e-1111-4000-8000-000000000001',
    path: '/root/projects/-p/3f2b8c1e-1111-4000-8000-000000000001.jsonl',
    project: '-p',
    root: '/root',
    cwd: '/home/kim/light',
    title: 'Light the lamp',
    firstPrompt: undefined,
    startedAt: Date.UTC(2026, 2, 1, 10),
    endedAt: Date.UTC(2026, 2, 1, 11),
    entries: 10,
    turns: 3,
    agents: 0,
    sizeBytes: 2048,
    diagnostics: 0,
    damage: 0,
    mtimeMs: 0,
    tag: undefined,
    forkedFrom: undefined,
    firstUuid: undefined,
    origin: {},
    gitBranch: undefined,
    model: undefined,
    worktree: undefined,
    pullRequests: [],
    verdict: undefined,
    ...more,
  };
}
