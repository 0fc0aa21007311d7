// The lines of live sessions without duplicates: the first answer and the events may overlap.
import type { LiveLine } from '../../wire/index.ts';

export type LiveLines = ReadonlyMap<string, readonly LiveLine[]>;

const keptLines = 200;

export function addLines(known: LiveLines, key: string, lines: readonly LiveLine[]): LiveLines {
  const before = known.get(key) ?? [];
  const seen = new Set(before.map(lineKey));
  const added = lines.filter((line) => !seen.has(lineKey(line)));
  return added.length === 0 ? known : new Map(known).set(key, [...before, ...added].slice(-keptLines));
}

export function lineKey({ line, agentId, kind, tool, text }: LiveLine): string {
  return JSON.stringify([agentId, line, kind, tool, text]);
}
