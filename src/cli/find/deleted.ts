// Prompts of deleted sessions in the answer of `clew find`: they come after the living sessions, and the two share the limit.
import { UserError } from '../../base/errors/index.ts';
import { type DeletedHit, type DeletedResult, searchDeleted } from '../../library/deleted/index.ts';
import type { SearchQuery } from '../../library/search/index.ts';
import type { CommandIo } from '../command/index.ts';
import type { Answer, GoneSession } from './render.ts';

/** `id`: the beginning of the id of the only session to search. */
export function findGone(query: SearchQuery, env: CommandIo['env'], id?: string): DeletedResult {
  if (query.session !== undefined) return { total: 0, sessions: [] };
  const result = searchDeleted({ roots: query.roots, env }, query);
  if (id === undefined) return result;
  const sessions = result.sessions.filter(({ session }) => session.id.toLowerCase().startsWith(id.toLowerCase()));
  if (sessions.length > 1)
    throw new UserError(`"${id}" fits ${sessions.length} deleted sessions`, 'give more of the id');
  return { total: sessions.reduce((sum, { hits }) => sum + hits.length, 0), sessions };
}

/** Deleted sessions get up to a quarter of the limit, or all that the living leave. */
export function limitBeside({ total }: DeletedResult, { limit }: SearchQuery): number {
  return Math.max(1, limit - Math.min(total, Math.floor(limit / 4)));
}

export function withGone(found: Omit<Answer, 'gone' | 'total'>, { total, sessions }: DeletedResult): Answer {
  const { query, result } = found;
  const shown = found.sessions.reduce((sum, { hits }) => sum + hits.length, 0);
  let room = query.limit - shown;
  const gone = sessions.flatMap(({ session, hits }): GoneSession[] => {
    const own = hits.slice(0, Math.max(0, Math.min(room, query.perSession ?? room)));
    room -= own.length;
    return own.length === 0 ? [] : [{ session, hits: own, hasMore: own.length < hits.length }];
  });
  return { ...found, gone, total: result.total + total };
}

/** The text of a hit without its marks. */
export function snippetText({ snippet }: DeletedHit): string {
  return snippet.map(({ text }) => text).join('');
}
