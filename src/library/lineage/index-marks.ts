// The index as it is → the marks of all its sessions below some roots, for a command that reads one session and does not
// bring the index up to date.
import type { OriginFacts } from '../../session/facts/index.ts';
import { projectsFolders } from '../../store/index.ts';
import type { Database, SqlValue } from '../index/index.ts';
import type { MarkedSession } from './session-marks.ts';

export function markedSessions(database: Database, roots: readonly string[]): readonly MarkedSession[] {
  const names = projectsFolders(roots).map(({ root }) => root);
  const rows = database
    .prepare(
      `SELECT session_id, path, root, cwd, first_prompt, forked_from, first_uuid, origin, turns,
        coalesce(own_started_at, started_at) AS started_at, coalesce(own_ended_at, ended_at) AS ended_at
      FROM sessions WHERE is_foreign = 0 AND root IN (${names.map(() => '?').join(',')})`,
    )
    .all(...names);
  return rows.map((row) => ({
    sessionId: String(row.session_id),
    path: String(row.path),
    root: String(row.root),
    cwd: knownText(row.cwd),
    firstPrompt: knownText(row.first_prompt),
    forkedFrom: knownText(row.forked_from),
    firstUuid: knownText(row.first_uuid),
    origin: typeof row.origin === 'string' ? (JSON.parse(row.origin) as OriginFacts) : {}, // written by the index
    startedAt: knownNumber(row.started_at),
    endedAt: knownNumber(row.ended_at),
    turns: knownNumber(row.turns),
  }));
}

function knownText(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function knownNumber(value: SqlValue | undefined): number {
  return typeof value === 'number' ? value : Number.NaN;
}
