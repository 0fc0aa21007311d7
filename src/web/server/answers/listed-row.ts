// The part of a session's row that depends only on its files. The server adds the rest (key, live, expiry).
import type { KnownSession, ListedSession } from '../../../library/index/index.ts';
import type { SessionRow } from '../../wire/index.ts';

export interface ListedRow
  extends Omit<SessionRow, 'key' | 'isLive' | 'isStarred' | 'archived' | 'isOnDisk' | 'expiresAt'> {
  readonly root: string;
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
  };
}

export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function shorten(text: string | undefined): string | null {
  const start = text?.slice(0, textChars * 4) ?? '';
  // Most texts need no change, and the test costs a tenth of the replacement; there are ten thousand rows.
  const plain = (/\s\s|[^\S ]/.test(start) ? start.replace(/\s+/g, ' ') : start).trim();
  return plain === '' ? null : plain.slice(0, textChars).toWellFormed();
}
