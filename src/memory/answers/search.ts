// A query → the turns that answer it best, at most 100 tokens each, with a reference that `read` takes.
import { isoDate } from '../../base/json/index.ts';
import { parseTime } from '../../base/time/index.ts';
import type { Database } from '../../library/index/index.ts';
import { openPlaces } from '../../library/places/index.ts';
import { type Hit, type SessionHits, search } from '../../library/search/index.ts';
import type { SearchQuestion } from '../questions/index.ts';
import { formatReference, sessionPart, turnPart } from '../reference/index.ts';
import { Answer, type SecretFilter, tokensOf, withinTokens } from '../text/index.ts';
import type { VisibleSession } from './sessions.ts';

const hitTokens = 100;
const frameTokens = 150;

export async function searchAnswer(
  database: Database,
  roots: readonly string[],
  sessions: readonly VisibleSession[],
  question: SearchQuestion,
  secrets: SecretFilter,
): Promise<string> {
  const { query, limit, since, file, tool, role } = question;
  const visible = new Set(sessions.map((session) => session.path));
  const result = search(database, {
    text: query,
    mode: 'words',
    roots,
    limit,
    perSession: 3,
    isOfProject: ({ path }) => visible.has(path),
    ...(since === undefined ? {} : { since: parseTime(since, 'since', false) }),
    ...(file === undefined ? {} : { file }),
    ...(tool === undefined ? {} : { tool }),
    ...(role === undefined ? {} : { role }),
  });
  const answer = new Answer(limit * hitTokens + frameTokens);
  const found = result.sessions.flatMap((each) => each.hits.map((hit) => ({ each, hit })));
  answer.say(`${found.length} of ${result.total} hits in ${sessions.length} sessions`);
  for (const { each, hit } of found) {
    const head = `${await referenceOfHit(database, each, hit)} · ${isoDate(hit.time)?.slice(0, 10) ?? 'no date'} · ${hit.kind}`;
    const text = secrets.line(hit.snippet.map(({ text }) => text).join(''), 400);
    if (!answer.say(head)) break;
    answer.quoteLine(withinTokens(text, hitTokens - tokensOf(head) - 8));
  }
  return answer.end(found.length === 0 ? undefined : 'read takes these references');
}

async function referenceOfHit(database: Database, found: SessionHits, hit: Hit): Promise<string> {
  const session = sessionPart(found.session.sessionId);
  if (hit.path === found.session.path)
    return formatReference(session, hit.uuid === undefined ? undefined : turnPart({ uuid: hit.uuid, line: hit.line }));
  const turn = (await openPlaces(database, found))?.placeOf(hit.path, hit.line).turn;
  return formatReference(session, turn === undefined ? undefined : String(turn));
}
