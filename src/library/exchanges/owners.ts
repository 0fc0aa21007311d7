// A sub-agent's transcript → the exchange that started it: the index knows the result of the call that names the agent; where
// it does not, the exchange that was running at the time.
import type { Database } from '../index/index.ts';

export interface Owner {
  readonly file: number;
  readonly line: number;
}

export interface AgentFile {
  readonly session: number;
  readonly agent: string;
  readonly file: number;
}

/** What is known of the exchanges of a session. */
export interface ExchangeLines {
  /** The exchange that a line of a main transcript is in. */
  at(file: number, line: number): Owner | undefined;
  /** The exchange of the main transcript that was running when an agent's transcript began. */
  runningAtStartOf(agent: AgentFile): Owner | undefined;
}

export class OwnerFinder {
  readonly #database: Database;
  readonly #lines: ExchangeLines;
  readonly #known = new Map<number, Owner | undefined>();

  constructor(database: Database, lines: ExchangeLines = new IndexedLines(database)) {
    this.#database = database;
    this.#lines = lines;
  }

  ownerOf(agent: AgentFile): Owner | undefined {
    if (!this.#known.has(agent.file))
      this.#known.set(agent.file, this.#byCall(agent) ?? this.#lines.runningAtStartOf(agent));
    return this.#known.get(agent.file);
  }

  /** The call may itself be a sub-agent's. */
  #byCall({ session, agent }: AgentFile): Owner | undefined {
    const seen = new Set<string>();
    for (let id: string | undefined = agent; id !== undefined && !seen.has(id); ) {
      seen.add(id);
      const call = this.#database
        .prepare(
          `SELECT c.file, c.line, f.agent_id FROM files f JOIN tool_calls c ON c.file = f.id
           WHERE f.session = ? AND c.agent_id = ? LIMIT 1`,
        )
        .get(session, id);
      if (call === undefined) return undefined;
      if (call.agent_id === null) return this.#lines.at(Number(call.file), Number(call.line));
      id = String(call.agent_id);
    }
    return undefined;
  }
}

/** As the full text of the index has them. */
class IndexedLines implements ExchangeLines {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  at(file: number, line: number): Owner | undefined {
    const found = this.#database
      .prepare('SELECT max(line) AS line FROM exchanges WHERE file = ? AND line <= ?')
      .get(file, line)?.line;
    return typeof found === 'number' ? { file, line: found } : undefined;
  }

  runningAtStartOf({ session, file }: AgentFile): Owner | undefined {
    const row = this.#database
      .prepare(
        `SELECT e.file, e.line FROM files f JOIN exchanges e ON e.file = f.id
         WHERE f.session = ? AND f.agent_id IS NULL AND e.line > 0 AND e.time <=
           (SELECT time FROM exchanges WHERE file = ? AND time IS NOT NULL ORDER BY line, offset LIMIT 1)
         ORDER BY e.time DESC LIMIT 1`,
      )
      .get(session, file);
    return row === undefined ? undefined : { file: Number(row.file), line: Number(row.line) };
  }
}
