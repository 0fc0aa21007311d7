// A query → the exchanges that answer it best, at most 100 tokens each, with a reference that `read` takes.
import { isoDate } from '../../base/json/index.ts';
import { parseTime } from '../../base/time/index.ts';
import { type RecallHit, recall } from '../../library/exchanges/index.ts';
import type { Database } from '../../library/index/index.ts';
import type { SearchQuestion } from '../questions/index.ts';
import { formatReference, sessionPart, turnPart } from '../reference/index.ts';
import { Answer, type SecretFilter, tokensOf, withinTokens } from '../text/index.ts';
import type { VisibleSession } from './sessions.ts';

const hitTokens = 100;
const frameTokens = 150;

export async function searchAnswer(
  database: Database,
  sessions: readonly VisibleSession[],
  question: SearchQuestion,
  secrets: SecretFilter,
): Promise<string> {
  const { query, limit, since, file, tool, role } = question;
  const { hits, total } = await recall(database, {
    text: query,
    limit,
    sessions: sessions.map(({ row }) => row),
    withoutTurns: true,
    hide: (text) => secrets.clean(text).text,
    ...(since === undefined ? {} : { since: parseTime(since, 'since', false) }),
    ...(file === undefined ? {} : { file }),
    ...(tool === undefined ? {} : { tool }),
    ...(role === undefined ? {} : { role }),
  });
  const answer = new Answer(limit * hitTokens + frameTokens);
  answer.say(`${hits.length} of ${total} turns that match, in ${sessions.length} sessions`);
  for (const hit of hits) {
    const head = `${referenceOfHit(hit)} · ${isoDate(hit.time)?.slice(0, 10) ?? 'no date'}`;
    const left = hitTokens - tokensOf(head) - lineTokens;
    const text = hitText(hit, secrets);
    if (!answer.say(head)) break;
    answer.quoteLine(withinTokens(text, left));
  }
  return answer.end(hits.length === 0 ? 'nothing found: try other words, fewer words, or outline' : undefined);
}

/** The mark of a line and the ends of both lines. */
const lineTokens = 6;
const partChars = 160;

/** What was asked, and what of the rest matches. */
function hitText({ snippets, title }: RecallHit, secrets: SecretFilter): string {
  const { prompt, answer, error, commands, files } = snippets;
  const shown = (pieces: RecallHit['snippets']['prompt'] | undefined): string =>
    secrets.line((pieces ?? []).map(({ text }) => text).join(''), partChars);
  const asked = shown(prompt) || secrets.line(title ?? '', partChars);
  const found = [
    ['error', shown(error)],
    ['answer', shown(answer)],
    ['ran', shown(commands)],
    ['files', shown(files)],
  ].flatMap(([name, text]) => (text === '' ? [] : `${name}: ${text}`));
  return [asked, ...found].join(' → ');
}

function referenceOfHit({ session, promptUuid, path, line }: RecallHit): string {
  const id = sessionPart(session.sessionId);
  return formatReference(id, path === session.path ? turnPart({ uuid: promptUuid, line }) : undefined);
}
