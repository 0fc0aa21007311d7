// What doctor said of sessions, kept in the index with the state of the files it looked at: a verdict holds until one of
// them changes, or another version of Clew looks. What depends on the day or on other folders is not part of it.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../base/version/version.ts';
import { type Database, insertMany, type SqlValue } from './database.ts';

/** The worst finding in the files of a session. */
export type Verdict = 'fatal' | 'loss' | 'warn' | 'info' | 'sound';

export interface JudgedSession {
  readonly path: string;
  /** `verdictState` of the session, taken before it was read. */
  readonly state: string;
  readonly verdict: Verdict;
}

export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

export const verdictTables: string = `
CREATE TABLE verdicts (
  path TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  verdict TEXT NOT NULL
) WITHOUT ROWID;
`;

/** What a verdict depends on; `undefined` where there is no such file. */
export function verdictState(main: string): string | undefined {
  try {
    const stats = statSync(main, { throwIfNoEntry: false });
    return stats === undefined ? undefined : verdictStateOf(main, stats);
  } catch {
    return undefined; // cannot be read: then there is no verdict either
  }
}

export function verdictStateOf(main: string, { dev, ino, size, mtimeMs }: FileIdentity): string {
  const agents = path.join(main.slice(0, -'.jsonl'.length), 'subagents');
  return [version, dev, ino, size, mtimeMs, ...changesIn(agents)].join(' ');
}

export function saveVerdicts(database: Database, judged: readonly JudgedSession[]): void {
  const rows = judged.map(({ path: main, state, verdict }): SqlValue[] => [main, state, verdict]);
  database.transaction(() => insertMany(database, 'INSERT OR REPLACE INTO verdicts', 3, rows));
}

/** `undefined`: not examined since its files last changed. */
export function verdictIn(
  row: { readonly verdict?: SqlValue; readonly verdict_state?: SqlValue },
  main: string,
  file: FileIdentity,
): Verdict | undefined {
  const { verdict, verdict_state: state } = row;
  if (typeof verdict !== 'string' || state !== verdictStateOf(main, file)) return undefined;
  return verdicts.find((each) => each === verdict);
}

const verdicts: readonly Verdict[] = ['fatal', 'loss', 'warn', 'info', 'sound'];

/** When each file of a folder was last changed. */
function changesIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map((name) => statSync(path.join(folder, name)).mtimeMs);
  } catch {
    return []; // there are no sub-agents
  }
}
