// clew find QUERY… --store: searches the team's store instead of the sessions of this machine, and prints the same.
import { exitCodes } from '../../base/errors/index.ts';
import { connect, storeError } from '../../team/database/index.ts';
import { type StoreQuery, type StoreSessionHits, searchStore } from '../../team/search/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { refuseWithStore, type StoreChoice } from '../input/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { answerJson, answerText, placedSession } from './answer.ts';
import { queryOf } from './query.ts';
import type { Answer, PlacedSession } from './render.ts';

export async function runInStore(input: CommandInput, { address, people }: StoreChoice): Promise<number> {
  const { flags, io } = input;
  refuseWithStore(input, { deleted: 'the store has only what was pushed' });
  const named = textFlag(flags, 'session');
  const { roots: _, session: __, ...query } = queryOf(input, { roots: [], session: named });
  const answer = await find(address, { ...query, people, ...(named === undefined ? {} : { sessionId: named }) });
  if (flags.json === true) await writeOut([answerJson(answer, [])], io);
  else if (answer.total === 0) writeNotice(io.stderr, `nothing found for ${query.text} in the store`);
  else {
    const { storeFlagText } = await import('../input/store/store-flag-text.ts');
    const showFlags = ` ${storeFlagText(flags)}`;
    const ids = answer.sessions.map(({ session }) => session.sessionId);
    await writeOut(answerText(ids, answer, flags, io, showFlags), { ...io, pager: true });
  }
  return answer.total === 0 ? exitCodes.failed : exitCodes.ok;
}

async function find(address: string, query: StoreQuery): Promise<Answer> {
  const sql = await connect(address);
  try {
    const result = await searchStore(sql, query);
    const isMine = query.people.kind === 'me';
    const sessions = result.sessions.map((found) => placedInStore(found, isMine));
    return { query: { ...query, roots: [] }, result, sessions, gone: [], total: result.total };
  } catch (error) {
    throw storeError(error, address);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function placedInStore(found: StoreSessionHits, isMine: boolean): PlacedSession {
  const { person, places, madeBy, ...hits } = found;
  const placed = placedSession(hits, places, ({ sessionId, forkedFrom }) => {
    if (madeBy !== undefined) return madeBy;
    return forkedFrom === undefined || forkedFrom === sessionId ? undefined : { operation: 'fork', from: [forkedFrom] };
  });
  return isMine ? placed : { ...placed, person };
}
