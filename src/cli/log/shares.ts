// The files of a commit → how many of its added lines each turn wrote.
import type { FileAnswer, LineAnswer } from '../../authorship/answer/index.ts';

export interface TurnShare {
  readonly edit: NonNullable<LineAnswer['edit']>;
  readonly lines: number;
  readonly files: number;
}

export interface CommitShares {
  readonly total: number;
  readonly byAgents: number;
  readonly notByAgents: number;
  readonly unknown: number;
  /** The largest first. */
  readonly turns: readonly TurnShare[];
}

export function sharesOf(files: readonly FileAnswer[]): CommitShares {
  const added = files.flatMap((file) => file.lines.filter((_, i) => file.added.has(i)).map((line) => ({ file, line })));
  const turns = new Map<string, { edit: NonNullable<LineAnswer['edit']>; lines: number; files: Set<string> }>();
  for (const { file, line } of added) {
    if (line.verdict !== 'agent' || line.edit === undefined) continue;
    const { sessionId, turn, branch } = line.edit.author;
    const key = `${sessionId} ${turn} ${branch}`;
    const share = turns.get(key) ?? { edit: line.edit, lines: 0, files: new Set<string>() };
    share.lines++;
    share.files.add(file.path);
    turns.set(key, share);
  }
  const count = (verdict: LineAnswer['verdict']): number => added.filter(({ line }) => line.verdict === verdict).length;
  return {
    total: added.length,
    byAgents: count('agent'),
    notByAgents: count('not-agent'),
    unknown: count('unknown'),
    turns: [...turns.values()]
      .map(({ edit, lines, files: names }) => ({ edit, lines, files: names.size }))
      .sort((a, b) => b.lines - a.lines),
  };
}
