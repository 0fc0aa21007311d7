// Searches all sessions, or one session, and returns each match with its excerpt and line.
import type { IndexHandle } from '../../../library/index/index.ts';
import {
  type SearchResult,
  type SearchQuery as SearchText,
  type SessionHits,
  search,
} from '../../../library/search/index.ts';
import { agentIdOf } from '../../../store/index.ts';
import type { SearchAnswer, SearchQuery } from '../../wire/index.ts';
import { finite } from './listed-row.ts';

/** The session as its path; the server replaces paths by keys. */
export type SearchAsked = Omit<SearchQuery, 'session'> & { readonly path?: string };
export type SearchFound = Omit<SearchAnswer, 'sessions'> & {
  readonly sessions: readonly (Omit<SearchAnswer['sessions'][number], 'key' | 'person'> & { readonly path: string })[];
};

/** Among so many of the best matches the sessions are counted and paged. */
const bestMatches = 2_000;

export function searchSessions(index: IndexHandle, roots: readonly string[], asked: SearchAsked): SearchFound {
  const { path, project } = asked;
  const found = index.ask((database) =>
    search(database, {
      roots,
      ...textQuery(asked),
      ...(path === undefined ? {} : { session: path }),
      ...(project === undefined ? {} : { isOfProject: (of) => (of.cwd ?? of.project) === project }),
    }),
  );
  return searchFound(found, asked, ({ session }) => session.path);
}

/** What is searched for, and when it was said. */
export function textQuery(asked: SearchAsked): Omit<SearchText, 'roots'> {
  const { text, mode = 'words', kind, tool, since, until, offset = 0, limit = 20, perSession = 3 } = asked;
  return {
    text,
    mode,
    limit: bestMatches,
    page: { offset, count: limit },
    perSession,
    ignoreCase: true,
    ...(kind === undefined ? {} : { kinds: [kind] }),
    ...(tool === undefined ? {} : { tool }),
    ...(since === undefined ? {} : { since: startOfDay(since) }),
    ...(until === undefined ? {} : { until: startOfDay(until, 1) }),
  };
}

export function searchFound<Hits extends SessionHits>(
  { total, sessionCount, sessions, tools }: Omit<SearchResult, 'sessions'> & { readonly sessions: readonly Hits[] },
  { offset = 0 }: SearchAsked,
  pathOf: (hits: Hits) => string,
): SearchFound {
  return {
    total,
    sessionCount,
    offset,
    tools: tools.slice(0, 50).map((name) => name.slice(0, 200)),
    sessions: sessions.map((found) => ({
      path: pathOf(found),
      id: found.session.sessionId,
      title: found.session.title?.slice(0, 300) ?? null,
      project: found.session.cwd ?? found.session.project,
      endedAt: finite(found.session.endedAt),
      hasMore: found.hasMore,
      hits: found.hits.map((hit) => ({
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
