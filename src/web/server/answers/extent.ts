// Finds the first part of a session that changed since a page last saw it.
import { branchNumbered, partsOf } from '../../../export/page/parts.ts';
import type { Session } from '../../../session/load/session.ts';
import type { CachedSession } from './session-cache.ts';

/** The state of a transcript that a page has seen. */
export interface Extent {
  readonly version: string;
  readonly nodes: number;
  readonly parts: number;
  readonly branchLines: number;
  readonly leafOffset: number;
}

export function extentOf({ session, version }: CachedSession): Extent {
  const branch = branchNumbered(session, 1);
  return {
    version,
    nodes: session.transcript.nodes.length,
    parts: partsOf(session, branch).all.length,
    branchLines: branch?.nodes.length ?? 0,
    leafOffset: branch?.leaf.offset ?? 0,
  };
}

/** The last known part, or an earlier one whose call has been answered since; 0 on another branch. */
export function firstChangedPart(session: Session, before: Extent): number {
  const branch = branchNumbered(session, 1);
  const isSameBranch = branch?.nodes[before.branchLines - 1]?.offset === before.leafOffset;
  if (branch === undefined || (before.branchLines > 0 && !isSameBranch)) return 0;
  const { partOf } = partsOf(session, branch);
  const last = before.parts - 1;
  const { nodes } = session.transcript;
  let first = last;
  for (let i = before.nodes; i < nodes.length; i++) first = Math.min(first, partOf(i) ?? last);
  return Math.max(0, first);
}
