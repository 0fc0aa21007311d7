// The state file of cc-langfuse (seed 002, §8). It is read once for each session that Clew has not traced yet, so that a
// user who switches does not send the history twice, and written if both are used in parallel.
import { homedir } from 'node:os';
import path from 'node:path';
import { asObject, parseJson } from '../../base/json/index.ts';
import { readLineBatches, readText, withLock, writeDurably } from '../../store/index.ts';
import type { TraceCursor } from '../read/index.ts';
import type { CompatEntry } from '../state/index.ts';

export function compatFile(env: NodeJS.ProcessEnv): string {
  return path.join(
    env.CLAUDE_CONFIG_DIR || path.join(env.HOME || homedir(), '.claude'),
    'state',
    'cc-langfuse_state.json',
  );
}

export function readCompat(file: string, sessionId: string): CompatEntry | undefined {
  const entry = asObject(asObject(parseJson(readText(file) ?? ''))?.[sessionId]);
  const [lastLine, turnCount] = [entry?.last_line, entry?.turn_count];
  const isWhole = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value > 0;
  return isWhole(lastLine) && isWhole(turnCount) ? { lastLine, turnCount } : undefined;
}

/** The cursor after the lines that cc-langfuse has sent; `undefined` if the file is shorter. */
export function cursorAtLine(
  file: string,
  sessionId: string,
  { lastLine, turnCount }: CompatEntry,
): TraceCursor | undefined {
  for (const batch of readLineBatches(file)) {
    const last = batch.find((line) => line.number === lastLine && line.terminated);
    if (last !== undefined)
      return {
        offset: last.offset + last.length + 1,
        line: lastLine,
        turnCount,
        sessionId,
        seen: [],
        running: [],
        agentRuns: [],
      };
  }
  return undefined;
}

/** cc-langfuse takes no lock; this one protects our own processes from each other. */
export async function writeCompat(file: string, sessionId: string, entry: CompatEntry, nowMs: number): Promise<void> {
  const folder = path.dirname(file);
  await withLock(
    folder,
    { name: 'cc-langfuse_state.lock', what: 'writing the state of cc-langfuse', waitMs: 5_000, pollMs: 10 },
    async () => {
      const before = asObject(parseJson(readText(file) ?? '{}'));
      // Do not overwrite an unreadable file: it is not ours.
      if (before === undefined) return;
      const own = { last_line: entry.lastLine, turn_count: entry.turnCount, updated: new Date(nowMs).toISOString() };
      writeDurably(file, `${JSON.stringify({ ...before, [sessionId]: own }, null, 2)}\n`);
    },
  );
}
