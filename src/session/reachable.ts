// A session → how much of its conversation a resume takes up: "41 of 812 messages", counted in lines.
import { isBoundary, isMessage, type Node } from './node.ts';
import { resumeLines } from './resume/request.ts';
import type { Session } from './session.ts';

export interface Reachable {
  /** Lines that a resume takes up. */
  readonly loaded: number;
  /** Lines that the active branch has, as a person reads it, since its last compaction. */
  readonly of: number;
}

export function countReachable(session: Session): Reachable {
  const resumed = resumeLines(session.transcript);
  const loaded = new Set('refused' in resumed ? [] : resumed.lines.filter(isSpoken));
  const all = new Set(loaded);
  for (const node of currentLines(session)) if (isSpoken(node)) all.add(node);
  return { loaded: loaded.size, of: all.size };
}

/** The lines of the active branch that no compaction has summarised yet, with those beside it. */
export function currentLines(session: Session): readonly Node[] {
  const [branch] = session.branches;
  if (branch === undefined) return [];
  const from = branch.nodes.findLastIndex(isBoundary);
  return branch.nodes.slice(from + 1).flatMap((node) => [node, ...(branch.beside.get(node) ?? [])]);
}

/** Whether a line is part of what was said: no note, and no API error, which the client never sends again. */
function isSpoken(node: Node): boolean {
  return isMessage(node) && node.hasContent && !node.isApiError;
}
