// Searches all sessions, or one session, and returns each match with its excerpt and line.
import type { IndexHandle } from '../../../library/index/index.ts';
import { search } from '../../../library/search/index.ts';
import { agentIdOf } from '../../../store/index.ts';
import type { SearchAnswer, SearchQuery } from '../../wire/index.ts';
import { finite } from './listed-row.ts';

/** The session as its path; the server replaces paths by keys. */
export type SearchAsked = Omit<SearchQuery, 'session'> & { readonly path?: string };
export type SearchFound = Omit<SearchAnswer, 'sessions'> & {
  readonly sessions: readonly (Omit<SearchAnswer['sessions'][number], 'key'> & { readonly path: string })[];
};

/** Among so many of the best matches the sessions are counted and paged. */
const bestMatches = 2_000;

export function searchSessions(index: IndexHandle, roots: readonly string[], asked: SearchAsked): SearchFound {
  const { path, project, text, mode = 'words', kind, tool, since, until } = asked;
  const { offset = 0, limit = 20, perSession = 3 } = asked;
  const { total, sessionCount, sessions, tools } = index.ask((database) =>
    search(database, {
      roots,
      text,
      mode,
      limit: bestMatches,
      page: { offset, count: limit },
      perSession,
      ignoreCase: true,
      ...(path === undefined ? {} : { session: path }),
      ...(project === undefined ? {} : { isOfProject: (of) => (of.cwd ?? of.project) === project }),
      ...(kind === undefined ? {} : { kinds: [kind] }),
      ...(tool === undefined ? {} : { tool }),
      ...(since === undefined ? {} : { since: startOfDay(since) }),
      ...(until === undefined ? {} : { until: startOfDay(until, 1) }),
    }),
  );
  return {
    total,
    sessionCount,
    offset,
    tools: tools.slice(0, 50).map((name) => name.slice(0, 200)),
    sessions: sessions.map(({ session, hits, hasMore }) => ({
      path: session.path,
      id: session.sessionId,
      title: session.title?.slice(0, 300) ?? null,
      project: session.cwd ?? session.project,
      endedAt: finite(session.endedAt),
      hasMore,
      hits: hits.map((hit) => ({
        line: hit.line,
        agentId: agentIdOf(hit.path) ?? null,
        uuid: hit.uuid ?? null,
        kind: hit.kind,
        nth: hit.nth,
        offset: hit.offset,
        tool: hit.tool ?? null,
        time: finite(hit.time),
        snippet: hit.snippet,
      })),
    })),
  };
}

/** In the zone of this computer; `2026-02-28` or `20260228`. */
function startOfDay(day: string, later = 0): number {
  const [, year, month, date] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(day) ?? [];
  return new Date(Number(year), Number(month) - 1, Number(date) + later).getTime();
}
