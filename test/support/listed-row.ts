// A row of the server's session list; a test sets only the fields it needs.
import type { ListedRow } from '../../src/web/server/answers/listed-row.ts';

/** `session`: its number, which is also its time. */
export function listedRow(session: number, more: Partial<ListedRow> = {}): ListedRow {
  return {
    id: `s${session}`,
    path: `/root/projects/p/s${session}.jsonl`,
    root: '/root',
    sizeBytes: 1,
    title: `session ${session}`,
    firstPrompt: null,
    project: more.cwd ?? '/home/ada',
    cwd: '/home/ada',
    gitBranch: null,
    model: null,
    modelName: null,
    tag: null,
    pullRequests: [],
    lineage: { forkedFrom: null, firstUuid: null, worktree: null, origin: {} },
    startedAt: session,
    endedAt: session,
    changedAt: session,
    turns: null,
    entries: null,
    agents: null,
    damage: null,
    severity: null,
    costMicroUsd: null,
    costIsPart: false,
    left: null,
    person: null,
    shared: null,
    ...more,
  };
}
