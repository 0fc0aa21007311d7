// Lines of live sessions as they are heard, each once: what the page asked for and what it was told may overlap.
import type { LiveLine } from '../../wire.ts';

export type LiveLines = ReadonlyMap<string, readonly LiveLine[]>;

const keptLines = 200;

export function addLines(known: LiveLines, key: string, lines: readonly LiveLine[]): LiveLines {
  const before = known.get(key) ?? [];
  const seen = new Set(before.map(nameOf));
  const added = lines.filter((line) => !seen.has(nameOf(line)));
  return added.length === 0 ? known : new Map(known).set(key, [...before, ...added].slice(-keptLines));
}

function nameOf({ line, agentId, kind, tool, text }: LiveLine): string {
  return JSON.stringify([agentId, line, kind, tool, text]);
}
