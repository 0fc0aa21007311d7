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

export function searchSessions(index: IndexHandle, roots: readonly string[], asked: SearchAsked): SearchFound {
  const { path, project, text, mode = 'words', limit = 60, perSession = 3 } = asked;
  const { total, sessions } = index.ask((database) =>
    search(database, {
      roots,
      text,
      mode,
      limit,
      perSession,
      ignoreCase: true,
      ...(path === undefined ? {} : { session: path }),
      ...(project === undefined ? {} : { isOfProject: (of) => (of.cwd ?? of.project) === project }),
    }),
  );
  return {
    total,
    sessions: sessions.map(({ session, hits, hasMore }) => ({
      path: session.path,
      id: session.sessionId,
      title: session.title?.slice(0, 300) ?? null,
      project: session.cwd ?? session.project,
      hasMore,
      hits: hits.map((hit) => ({
        line: hit.line,
        agentId: agentIdOf(hit.path) ?? null,
        uuid: hit.uuid ?? null,
        kind: hit.kind,
        tool: hit.tool ?? null,
        time: finite(hit.time),
        snippet: hit.snippet,
      })),
    })),
  };
}
