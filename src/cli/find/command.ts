// clew find QUERY…: searches all sessions and prints the best hits first, each with the command that opens it.
import { exitCodes } from '../../base/errors/index.ts';
import { openPlaces } from '../../library/places/index.ts';
import { type SearchQuery, type SearchResult, search } from '../../library/search/index.ts';
import { sessionIds } from '../../library/text/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { bringTextUpToDate, findNamedSession, readLineage, rootsOf, storeChoice, withIndex } from '../input/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { answerJson, answerText, placedSession } from './answer.ts';
import { findGone, limitBeside, withGone } from './deleted.ts';
import { queryOf, refuseWrongFlags } from './query.ts';
import type { PlacedSession } from './render.ts';

/** Exits with 1 where nothing was found, as grep does. */
export async function run(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  refuseWrongFlags(input);
  const store = await storeChoice(input);
  if (store !== undefined) {
    const { runInStore } = await import('./store.ts');
    return runInStore(input, store);
  }
  const roots = rootsOf(input);
  const named = textFlag(flags, 'session');
  if (flags.deleted === true) return findOnlyDeleted(input, queryOf(input, { roots, session: undefined }));
  const session = named === undefined ? undefined : await findNamedSession(named, input);
  const query = queryOf(input, { roots, session });
  const gone = findGone(query, io.env);
  return withIndex(
    input,
    async (database) => {
      bringTextUpToDate(input, database);
      const result = search(database, { ...query, limit: limitBeside(gone, query) });
      const sessions: PlacedSession[] = [];
      const lineageOf = await readLineage(io);
      for (const found of result.sessions)
        sessions.push(placedSession(found, await openPlaces(database, found), lineageOf));
      const answer = withGone({ query, result, sessions }, gone);
      if (flags.json === true) await writeOut([answerJson(answer, input.unread.problems)], io);
      else if (answer.total === 0) sayNothing(input, query);
      else await writeOut(answerText(sessionIds(database, query.roots), answer, flags, io), { ...io, pager: true });
      return answer.total === 0 ? exitCodes.failed : exitCodes.ok;
    },
    { mustBeOnDisk: true },
  );
}

async function findOnlyDeleted(input: CommandInput, query: SearchQuery): Promise<number> {
  const { flags, io } = input;
  const answer = withGone(
    { query, result: nothingFound, sessions: [] },
    findGone(query, io.env, textFlag(flags, 'session')),
  );
  if (flags.json === true) await writeOut([answerJson(answer, input.unread.problems)], io);
  else if (answer.total === 0) sayNothing(input, query);
  else await writeOut(answerText([], answer, flags, io), { ...io, pager: true });
  return answer.total === 0 ? exitCodes.failed : exitCodes.ok;
}

const nothingFound: SearchResult = { total: 0, sessionCount: 0, sessions: [], tools: [] };

function sayNothing(input: CommandInput, { text, mode }: SearchQuery): void {
  const isNarrowed = ['project', 'since', 'until', 'role', 'tool', 'file', 'session'].some(
    (name) => input.flags[name] !== undefined,
  );
  const wider = isNarrowed
    ? 'search without the filters'
    : mode === 'words'
      ? 'try beginnings*, or --exact for parts of words'
      : 'try without --exact or --regex';
  writeNotice(input.io.stderr, `nothing found for ${text}; ${wider}`);
}
