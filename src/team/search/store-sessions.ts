// Sessions of the store → what a search shows of them: title, folder, transcripts, and who pushed them.
import path from 'node:path';
import type { JsonObject } from '../../base/json/index.ts';
import type { HitSession } from '../../library/text/index.ts';
import { agentIdOf } from '../../store/index.ts';
import type { TransactionSql } from '../database/index.ts';
import {
  columnsOf,
  type FileKey,
  fileHandles,
  type Handles,
  type RowKey,
  type SessionKey,
  sessionHandles,
  sessionName,
} from './handles.ts';

export interface StoredSession {
  readonly key: SessionKey;
  /** Of the main transcript, on its machine. */
  readonly path: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly endedAt: number;
  /** `titles.facts`. */
  readonly facts: JsonObject;
}

interface SessionColumns {
  readonly person: number;
  readonly session_id: string;
  readonly ended_at: number | null;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly path: string;
  readonly facts: JsonObject;
}

/** Knows the sessions of a search, each read once. */
export class StoreSessions {
  readonly handles: Handles<SessionKey> = sessionHandles();
  readonly files: Handles<FileKey> = fileHandles();
  readonly #sql: TransactionSql;
  readonly #known = new Map<string, StoredSession>();
  readonly #agentPaths = new Map<string, readonly string[]>();

  constructor(sql: TransactionSql) {
    this.#sql = sql;
  }

  /** All sessions with text of some people. */
  async all(people: readonly number[]): Promise<readonly StoredSession[]> {
    const rows = await this.#sql<SessionColumns[]>`
      SELECT s.person, s.session_id, (extract(epoch FROM s.ended_at) * 1000)::bigint AS ended_at, t.title, t.cwd, t.path, t.facts
      FROM clew.sessions s JOIN clew.titles t USING (tenant, person, month, session_id)
      WHERE s.person = ANY(${people as number[]}::integer[]) AND s.level >= 3 ORDER BY s.person, s.session_id`;
    return rows.map((row) => this.#keep(row));
  }

  /** By their ids, or by keys of their rows: most rows are in the month of their session. */
  async load(keys: readonly (SessionKey | RowKey)[]): Promise<void> {
    const rows = this.#missing(keys).filter((key): key is RowKey => 'month' in key);
    if (rows.length > 0) await this.#loadOfMonths(rows);
    const others = this.#missing(keys);
    if (others.length > 0) await this.#loadByIds(others);
  }

  #missing<K extends SessionKey>(keys: readonly K[]): readonly K[] {
    const missing = new Map(keys.map((key) => [sessionName(key), key]));
    for (const name of missing.keys()) if (this.#known.has(name)) missing.delete(name);
    return [...missing.values()];
  }

  async #loadOfMonths(wanted: readonly RowKey[]): Promise<void> {
    const { people, sessions, months } = columnsOf(wanted);
    const rows = await this.#sql<SessionColumns[]>`
      SELECT s.person, s.session_id, (extract(epoch FROM s.ended_at) * 1000)::bigint AS ended_at, t.title, t.cwd, t.path, t.facts
      FROM unnest(${people}::integer[], ${months}::date[], ${sessions}::text[]) AS k (person, month, session_id)
      JOIN clew.sessions s ON s.tenant = (SELECT clew.my_tenant()) AND s.person = k.person AND s.month = k.month
        AND s.session_id = k.session_id
      JOIN clew.titles t ON t.tenant = (SELECT clew.my_tenant()) AND t.person = k.person AND t.month = k.month
        AND t.session_id = k.session_id`;
    for (const row of rows) this.#keep(row);
  }

  async #loadByIds(wanted: readonly SessionKey[]): Promise<void> {
    const rows = await this.#sql<SessionColumns[]>`
      SELECT s.person, s.session_id, (extract(epoch FROM s.ended_at) * 1000)::bigint AS ended_at, t.title, t.cwd, t.path, t.facts
      FROM unnest(${wanted.map(({ person }) => person)}::integer[], ${wanted.map(({ sessionId }) => sessionId)}::text[])
        AS k (person, session_id)
      JOIN clew.sessions s ON s.tenant = (SELECT clew.my_tenant()) AND s.person = k.person AND s.session_id = k.session_id
      JOIN clew.titles t ON t.tenant = s.tenant AND t.person = s.person AND t.month = s.month AND t.session_id = s.session_id`;
    for (const row of rows) this.#keep(row);
  }

  #keep(row: SessionColumns): StoredSession {
    const key = { person: row.person, sessionId: row.session_id };
    const session = {
      key,
      path: row.path,
      cwd: row.cwd ?? undefined,
      title: row.title ?? undefined,
      endedAt: row.ended_at ?? Number.NaN,
      facts: row.facts,
    };
    this.#known.set(sessionName(key), session);
    return session;
  }

  /** Of a session that was loaded. */
  sessionOf(key: SessionKey): StoredSession | undefined {
    return this.#known.get(sessionName(key));
  }

  hitSession(number: number): HitSession | undefined {
    const session = this.sessionOf(this.handles.keyOf(number));
    if (session === undefined) return undefined;
    const { cwd, title, endedAt, facts } = session;
    const project = typeof facts.project === 'string' ? facts.project : path.basename(path.dirname(session.path));
    return {
      id: number,
      sessionId: path.basename(session.path, '.jsonl'),
      path: session.path,
      cwd,
      project,
      title,
      endedAt,
    };
  }

  /** The names of the files of sessions with sub-agents. */
  async loadAgents(keys: readonly SessionKey[]): Promise<void> {
    const missing = new Map(keys.map((key) => [sessionName(key), key]));
    for (const name of missing.keys()) if (this.#agentPaths.has(name)) missing.delete(name);
    if (missing.size === 0) return;
    const wanted = [...missing.values()];
    const rows = await this.#sql<{ person: number; session_id: string; names: readonly string[] }[]>`
      SELECT p.person, p.session_id, array_agg(p.name) AS names
      FROM unnest(${wanted.map(({ person }) => person)}::integer[], ${wanted.map(({ sessionId }) => sessionId)}::text[])
        AS k (person, session_id)
      JOIN clew.sessions s ON s.tenant = (SELECT clew.my_tenant()) AND s.person = k.person AND s.session_id = k.session_id
      JOIN clew.packs p ON p.tenant = s.tenant AND p.person = s.person AND p.month = s.month AND p.session_id = s.session_id
        AND NOT p.is_original AND p.chunk = 0
      GROUP BY p.person, p.session_id`;
    for (const key of wanted) this.#agentPaths.set(sessionName(key), []);
    for (const row of rows)
      this.#agentPaths.set(sessionName({ person: row.person, sessionId: row.session_id }), row.names);
  }

  /** The transcript of a session or of one of its sub-agents, on the machine that pushed it. */
  pathOf(key: SessionKey, agent: string): string {
    const main = this.sessionOf(key)?.path ?? '';
    if (agent === '') return main;
    const name = this.#agentPaths
      .get(sessionName(key))
      ?.find((each) => each === agent || agentIdOf(path.posix.basename(each)) === agent);
    if (name !== undefined) return path.join(path.dirname(main), name);
    return path.join(main.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`);
  }
}
