// Which session calls: its id in the environment, the client's list of running sessions, and the session whose transcript has
// the call itself. The environment is of the time when the server was started: after `/clear` or `/resume` in the same client
// only the other two are right.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import type { Database } from '../../library/index/index.ts';
import { projectsFolders } from '../../store/index.ts';

export interface CallEvidence {
  /** The id of the tool call that the client runs. */
  readonly toolUseId?: string | undefined;
}

export interface CallingSessionOptions {
  readonly roots: readonly string[];
  readonly env: Environment;
  /** The processes that this one was started by, the nearest first. */
  readonly ancestors: readonly number[];
}

/** What clients name the id of their session; the first is of 2.1.325. */
const variables = ['CLAUDE_CODE_SESSION_ID', 'CLAUDE_SESSION_ID', 'CLEW_SESSION_ID'];

export class CallingSession {
  readonly #options: CallingSessionOptions;
  /** By an earlier call: requests for resources and prompts do not say which call they belong to. */
  #seen: readonly string[] = [];

  constructor(options: CallingSessionOptions) {
    this.#options = options;
  }

  /** The ids of the sessions to leave out: more than one where the evidence disagrees. */
  ids(database: Database, { toolUseId }: CallEvidence = {}): ReadonlySet<string> {
    const called = toolUseId === undefined ? [] : sessionsOfCall(database, toolUseId);
    if (called.length > 0) this.#seen = called;
    const { env } = this.#options;
    const named = called.length > 0 ? [] : variables.flatMap((name) => env[name]?.trim() || []);
    const all = [...this.#seen, this.#runningSession() ?? [], ...named].flat();
    return new Set(all.map((id) => id.toLowerCase()));
  }

  /** The client keeps `sessions/PID.json` next to its projects while it runs. */
  #runningSession(): string | undefined {
    const { roots, ancestors } = this.#options;
    for (const pid of ancestors) {
      for (const { projects } of projectsFolders(roots)) {
        const id = sessionIn(path.join(path.dirname(projects), 'sessions', `${pid}.json`), pid);
        if (id !== undefined) return id;
      }
    }
    return undefined;
  }
}

function sessionIn(file: string, pid: number): string | undefined {
  try {
    const state = asObject(parseJson(readRegularText(file)));
    const started = asString(state?.procStart);
    // A process of the past may have had the same number.
    const isOther = started !== undefined && /^\d+$/.test(started) && (statOf(pid)?.started ?? started) !== started;
    return isOther ? undefined : asString(state?.sessionId);
  } catch {
    return undefined;
  }
}

const newestFiles = 32;

/** The client writes the call before it runs it, so its transcript is among those that changed last. */
function sessionsOfCall(database: Database, toolUseId: string): readonly string[] {
  const rows = database
    .prepare(
      `SELECT DISTINCT s.session_id FROM (SELECT id, session FROM files ORDER BY mtime_ms DESC LIMIT ?) f
       JOIN tool_calls c ON c.file = f.id AND c.tool_use_id = ? JOIN sessions s ON s.id = f.session`,
    )
    .all(newestFiles, toolUseId);
  return rows.map((row) => String(row.session_id));
}

const mostAncestors = 12;

/** The process and those that started it; elsewhere than on Linux, the first only. */
export function ancestorsOf(pid: number): readonly number[] {
  const found: number[] = [];
  for (let at = pid; at > 1 && found.length < mostAncestors; ) {
    found.push(at);
    const parent = statOf(at)?.parent;
    if (parent === undefined) break;
    at = parent;
  }
  return found;
}

/** From /proc: the name of a process may contain spaces and parentheses. */
function statOf(pid: number): { readonly parent: number; readonly started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
