// The filters of a recall → conditions for the ranking, and a check of the exchanges that it returns: which file a call
// touched is only known by its line.
import path from 'node:path';
import { slugMatches } from '../../store/index.ts';
import type { Database, Row, SqlValue } from '../index/index.ts';
import { touchedCondition } from '../text/index.ts';
import type { Field } from './builder.ts';
import { OwnerFinder } from './owners.ts';
import type { ExchangeScope, RankedExchange } from './rank.ts';

/** Which exchanges a recall covers. */
export interface RecallFilter {
  /** Sessions below these roots only; all of the index by default. */
  readonly roots?: readonly string[];
  /** Sessions that ran in one of these folders or below it. */
  readonly projects?: readonly string[];
  /** Milliseconds since 1970; `since` is included, `until` is not. */
  readonly since?: number;
  readonly until?: number;
  /** Exchanges with a call that touched this file: its path, the end of its path, or a pattern with `*` and `?`. */
  readonly file?: string;
  /** Exchanges with a call of this tool. */
  readonly tool?: string;
  /** Look only in what the user said, or only in what the model said and did. */
  readonly role?: 'user' | 'assistant';
  /** Ids of sessions that are left out. */
  readonly excludeSessions?: readonly string[];
  /** Only these sessions, by the ids of their rows; the other filters of sessions do not apply then. */
  readonly sessions?: readonly number[];
}

const fieldsOfRole: Readonly<Record<'user' | 'assistant', readonly Field[]>> = {
  user: ['prompt'],
  assistant: ['answer', 'files', 'commands', 'errors'],
};

export interface RecallScope {
  readonly scope: ExchangeScope;
  readonly isWanted: (exchange: RankedExchange) => boolean;
}

export function recallScope(database: Database, filter: RecallFilter): RecallScope {
  const conditions: [string, SqlValue][] = [];
  const wanted = exchangesWithCall(database, filter);
  const sessions = sessionsInScope(database, filter, wanted);
  if (sessions !== 'all') conditions.push(['f.session IN (SELECT value FROM json_each(?))', JSON.stringify(sessions)]);
  if (filter.since !== undefined) conditions.push(['e.time >= ?', filter.since]);
  if (filter.until !== undefined) conditions.push(['e.time < ?', filter.until]);
  return {
    scope: {
      where: conditions.map(([condition]) => ` AND ${condition}`).join(''),
      values: conditions.map(([, value]) => value),
      ...(filter.role === undefined ? {} : { fields: fieldsOfRole[filter.role] }),
    },
    isWanted: ({ file, line }) => wanted?.keys.has(`${file} ${line}`) ?? true,
  };
}

function sessionsInScope(
  database: Database,
  filter: RecallFilter,
  wanted: CalledExchanges | undefined,
): readonly number[] | 'all' {
  const { roots, projects, excludeSessions, sessions } = filter;
  if (sessions !== undefined) return wanted === undefined ? sessions : sessions.filter((id) => wanted.sessions.has(id));
  if ([roots, projects, excludeSessions, wanted].every((each) => each === undefined)) return 'all';
  const below = roots?.map((root) => `${path.resolve(root)}${path.sep}`);
  const folders = projects?.map((folder) => path.resolve(folder));
  const excluded = new Set(excludeSessions);
  const rows = database.prepare('SELECT id, path, session_id, cwd, slug FROM sessions').all();
  const left = rows.filter(
    (row) =>
      !excluded.has(String(row.session_id)) &&
      (below === undefined || below.some((root) => String(row.path).startsWith(root))) &&
      (folders === undefined || folders.some((folder) => isInFolder(row, folder))) &&
      (wanted === undefined || wanted.sessions.has(Number(row.id))),
  );
  return left.length === rows.length ? 'all' : left.map((row) => Number(row.id));
}

function isInFolder({ cwd, slug }: Row, folder: string): boolean {
  if (typeof cwd !== 'string') return slugMatches(String(slug), folder);
  return cwd === folder || cwd.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

interface CalledExchanges {
  /** File and line of each. */
  readonly keys: ReadonlySet<string>;
  readonly sessions: ReadonlySet<number>;
}

/** `undefined` if the filter does not ask for a call. */
function exchangesWithCall(database: Database, { file, tool }: RecallFilter): CalledExchanges | undefined {
  if (file === undefined && tool === undefined) return undefined;
  const [touched, values] = file === undefined ? ['true', []] : touchedCondition(file);
  const named = tool === undefined ? 'true' : 'c.name = ? COLLATE NOCASE';
  const rows = database
    .prepare(
      `SELECT DISTINCT c.file, f.session, f.agent_id,
         coalesce((SELECT max(e.line) FROM exchanges e WHERE e.file = c.file AND e.line <= c.line), 0) AS line
       FROM tool_calls c JOIN files f ON f.id = c.file WHERE (${touched}) AND ${named}`,
    )
    .all(...values, ...(tool === undefined ? [] : [tool]));
  const owners = new OwnerFinder(database);
  const keys = new Set<string>();
  const sessions = new Set<number>();
  for (const row of rows) {
    const [session, own] = [Number(row.session), Number(row.file)];
    const agent = row.agent_id === null ? undefined : String(row.agent_id);
    const owner = agent === undefined ? undefined : owners.ownerOf({ session, agent, file: own });
    keys.add(`${owner?.file ?? own} ${owner?.line ?? Number(row.line)}`);
    sessions.add(session);
  }
  return { keys, sessions };
}
