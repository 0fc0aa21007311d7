// The part of a session's row that depends only on its files. The server adds the rest (key, live, forks, expiry).
import type { KnownSession, ListedSession } from '../../../library/index/index.ts';
import { shortModelName } from '../../../models/index.ts';
import type { OriginFacts } from '../../../session/facts/index.ts';
import type { PullRequestLink, SessionRow } from '../../wire/index.ts';

type ServerFields =
  | ('key' | 'isLive' | 'isStarred' | 'archived' | 'isOnDisk' | 'expiresAt')
  | ('repository' | 'forkedFrom' | 'forks' | 'forksUsedAt' | 'isBelow');

export interface ListedRow extends Omit<SessionRow, ServerFields> {
  readonly root: string;
  /** Which sessions belong together; not sent to the page. */
  readonly lineage: RowLineage;
}

export interface RowLineage {
  /** The id of the session that its lines say it is a copy of. */
  readonly forkedFrom: string | null;
  /** The uuid of its first message: copies have the same. */
  readonly firstUuid: string | null;
  /** What else its lines say about where it came from. */
  readonly origin: OriginFacts;
  /** The last worktree that it entered, and the repository of that. */
  readonly worktree: { readonly path: string; readonly repository: string } | null;
}

export type SessionCost = Pick<SessionRow, 'costMicroUsd' | 'costIsPart'>;

/** A title or a prompt may be pages long. */
const textChars = 300;

export function rowOfListed(session: ListedSession, cost: SessionCost | undefined): ListedRow {
  const { entries, turns, agents, damage } = session;
  return rowOfKnown({ ...session, counts: { entries, turns, agents, damage } }, cost);
}

export function rowOfKnown(session: KnownSession, cost: SessionCost | undefined): ListedRow {
  const { sessionId, path, cwd, project, root, counts } = session;
  return {
    id: sessionId,
    path,
    root,
    title: shorten(session.title),
    firstPrompt: shorten(session.firstPrompt),
    project: cwd ?? project,
    cwd: cwd ?? null,
    gitBranch: names.shorten(session.gitBranch),
    model: names.shorten(session.model),
    modelName: session.model === undefined ? null : modelNames.shorten(session.model),
    tag: shorten(session.tag),
    pullRequests: session.pullRequests.map(({ url, number, repository }): PullRequestLink => {
      return { url: secureUrl(url), number: number ?? null, repository: shorten(repository) };
    }),
    lineage: lineageOf(session),
    startedAt: finite(session.startedAt),
    endedAt: finite(session.endedAt),
    changedAt: Math.round(session.mtimeMs),
    sizeBytes: session.sizeBytes,
    turns: counts?.turns ?? null,
    entries: counts?.entries ?? null,
    agents: counts?.agents ?? null,
    damage: counts?.damage ?? null,
    severity: session.verdict ?? null,
    costMicroUsd: cost?.costMicroUsd ?? null,
    costIsPart: cost?.costIsPart ?? false,
    left: null,
    person: null,
    shared: null,
  };
}

function lineageOf({ forkedFrom, firstUuid, origin, worktree }: KnownSession): RowLineage {
  return {
    forkedFrom: forkedFrom ?? null,
    firstUuid: firstUuid ?? null,
    origin,
    worktree: worktree === undefined ? null : { path: worktree.path, repository: worktree.repository },
  };
}

/** A transcript may contain any address; only https becomes a link. */
function secureUrl(url: string): string | null {
  const parsed = parseUrl(url);
  return parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '' ? parsed.href : null;
}

function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Names that many rows have in common: made once, and the same string in all rows. */
class CommonNames {
  readonly #known = new Map<string, string | null>();
  readonly #nameOf: (text: string) => string;

  constructor(nameOf: (text: string) => string) {
    this.#nameOf = nameOf;
  }

  shorten(text: string | undefined): string | null {
    if (text === undefined) return null;
    let name = this.#known.get(text);
    if (name !== undefined) return name;
    name = shorten(this.#nameOf(text));
    if (this.#known.size >= mostNames) this.#known.clear();
    this.#known.set(text, name);
    return name;
  }
}

const mostNames = 500;
const names = new CommonNames((text) => text);
const modelNames = new CommonNames(shortModelName);

function shorten(text: string | undefined): string | null {
  const start = text?.slice(0, textChars * 4) ?? '';
  // Most texts need no change, and the test costs a tenth of the replacement; there are ten thousand rows.
  const plain = (/\s\s|[^\S ]/.test(start) ? start.replace(/\s+/g, ' ') : start).trim();
  return plain === '' ? null : plain.slice(0, textChars).toWellFormed();
}
