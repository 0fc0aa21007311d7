// A session as the store has it → the session of a list, as the local index has it.
import type { JsonObject } from '../../base/json/index.ts';
import type { ListedSession } from '../../library/index/index.ts';
import type { StoredFacts, StoredTitle } from '../contract/index.ts';

/** `titles` and `firstPrompt` are `undefined` below their levels. */
export interface ListedSource {
  /** The key in the store. */
  readonly storeId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly facts: StoredFacts;
  readonly titles:
    | {
        readonly title: string | undefined;
        readonly cwd: string | undefined;
        readonly path: string;
        readonly facts: StoredTitle;
      }
    | undefined;
  readonly firstPrompt: string | undefined;
}

const noCounts = { entries: 0, turns: 0, agents: 0, sizeBytes: 0, diagnostics: 0, damage: 0 };
const verdicts = ['fatal', 'loss', 'warn', 'info', 'sound'] as const;

/** Below the level of titles its texts are empty. */
export function listedSession({
  storeId,
  startedAt,
  endedAt,
  facts,
  titles,
  firstPrompt,
}: ListedSource): ListedSession {
  const named = titles?.facts;
  const text = (value: string | null | undefined): string | undefined => value ?? undefined;
  return {
    // The second session with one id has `@` and a hash of its folder after it.
    sessionId: named?.sessionId ?? storeId.replace(/@[0-9a-f]+$/, ''),
    path: titles?.path ?? '',
    cwd: named?.listedCwd === undefined ? titles?.cwd : text(named.listedCwd),
    title: titles?.title,
    startedAt,
    endedAt,
    ...(facts.counts ?? noCounts),
    mtimeMs: facts.mtimeMs ?? Number.NaN,
    model: text(facts.model),
    verdict: verdicts.find((each) => each === facts.verdict),
    project: named?.project ?? '',
    root: named?.root ?? '',
    tag: text(named?.tag),
    gitBranch: text(named?.gitBranch),
    forkedFrom: text(named?.forkedFrom),
    firstUuid: text(named?.firstUuid),
    firstPrompt,
    // As collected, apart from members that were `undefined`.
    worktree: named?.worktree ? worktreeOf(named.worktree) : undefined,
    pullRequests: (named?.pullRequests ?? []).map(pullRequestOf),
    origin: (named?.origin ?? {}) as ListedSession['origin'],
  };
}

type Worktree = NonNullable<ListedSession['worktree']>;
type PullRequest = ListedSession['pullRequests'][number];

function worktreeOf(stored: JsonObject): Worktree {
  const { path, repository, branch } = stored as unknown as Worktree;
  return { path, repository, branch };
}

function pullRequestOf(stored: JsonObject): PullRequest {
  const { url, number, repository } = stored as unknown as PullRequest;
  return { url, number, repository };
}
