// clew find QUERY…: searches all sessions and prints the best hits first, each with the command that opens it.
import { exitCodes } from '../../base/errors/index.ts';
import { openPlaces } from '../../library/places/index.ts';
import { type SearchQuery, search } from '../../library/search/index.ts';
import { findSession } from '../../store/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { bringTextUpToDate, readLineage, rootsOf, withIndex } from '../input/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { answerJson, answerText, placedSession } from './answer.ts';
import { queryOf, refuseWrongFlags } from './query.ts';
import type { PlacedSession } from './render.ts';

/** Exits with 1 where nothing was found, as grep does. */
export async function run(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  refuseWrongFlags(input);
  const roots = rootsOf(input);
  const named = textFlag(flags, 'session');
  const session = named === undefined ? undefined : await findSession(named, roots, io.cwd);
  const query = queryOf(input, { roots, session });
  return withIndex(
    input,
    async (database) => {
      bringTextUpToDate(input, database);
      const result = search(database, query);
      const sessions: PlacedSession[] = [];
      const lineageOf = await readLineage(io);
      for (const found of result.sessions)
        sessions.push(placedSession(found, await openPlaces(database, found), lineageOf));
      const answer = { query, result, sessions };
      if (flags.json === true) await writeOut([answerJson(answer, input.unread.problems)], io);
      else if (result.total === 0) sayNothing(input, query);
      else await writeOut(answerText(database, answer, flags, io), { ...io, pager: true });
      return result.total === 0 ? exitCodes.failed : exitCodes.ok;
    },
    { mustBeOnDisk: true },
  );
}

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
