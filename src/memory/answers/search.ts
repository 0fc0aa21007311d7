// A query → the exchanges that answer it best, at most 100 tokens each, with a reference that `read` takes.
import path from 'node:path';
import { isoDate } from '../../base/json/index.ts';
import { parseTime } from '../../base/time/index.ts';
import { type RecallHit, type RecallQuery, recall } from '../../library/exchanges/index.ts';
import type { Database } from '../../library/index/index.ts';
import type { ArchivedSessions, FoundPrompt } from '../gone/index.ts';
import type { SearchQuestion } from '../questions/index.ts';
import { agentPart, formatReference, sessionPart, turnPart } from '../reference/index.ts';
import { Answer, type SecretFilter, tokensOf, withinTokens } from '../text/index.ts';
import type { VisibleSession } from './sessions.ts';

const hitTokens = 100;
const frameTokens = 150;

export interface Searched {
  readonly database: Database;
  readonly sessions: readonly VisibleSession[];
  readonly archived: ArchivedSessions;
  /** Prompts of sessions without a transcript, the best first. */
  readonly deleted: (since: number | undefined) => readonly FoundPrompt[];
}

/** Of a session without a transcript only the prompts are known: they come last, and are few. */
const mostDeleted = 3;

export async function searchAnswer(
  { database, sessions, archived, deleted }: Searched,
  question: SearchQuestion,
  secrets: SecretFilter,
): Promise<string> {
  const { query: text, limit, file, tool, role } = question;
  const since = question.since === undefined ? undefined : parseTime(question.since, 'since', false);
  const query: RecallQuery = {
    text,
    limit,
    sessions: sessions.map(({ row }) => row),
    withoutTurns: true,
    hide: (text) => secrets.clean(text).text,
    ...(since === undefined ? {} : { since }),
    ...(file === undefined ? {} : { file }),
    ...(tool === undefined ? {} : { tool }),
    ...(role === undefined ? {} : { role }),
  };
  const first = await recall(database, query);
  // The texts of archived sessions are not on the disk.
  const isRestored = await archived.restore(first.hits.map(({ session }) => session.path));
  const { hits, total } = isRestored ? await recall(database, query) : first;
  const isOnlyWords = file === undefined && tool === undefined && role !== 'assistant';
  const prompts = isOnlyWords ? deleted(since).slice(0, mostDeleted) : [];
  const shown = hits.slice(0, Math.max(limit - prompts.length, Math.ceil(limit / 2)));
  const answer = new Answer(limit * hitTokens + frameTokens);
  answer.say(`${shown.length} of ${total} turns that match, in ${sessions.length} sessions`);
  for (const hit of shown) {
    const head = `${referenceOfHit(hit)} · ${isoDate(hit.time)?.slice(0, 10) ?? 'no date'}`;
    const left = hitTokens - tokensOf(head) - lineTokens;
    const text = hitText(hit, secrets);
    if (!answer.say(head)) break;
    answer.quoteLine(withinTokens(text, left));
  }
  for (const { session, prompt } of prompts.slice(0, limit - shown.length)) {
    const name = formatReference(sessionPart(session.id), `L${prompt.line}`);
    const head = `${name} · ${isoDate(prompt.time)?.slice(0, 10) ?? 'no date'} · only prompts are left`;
    if (!answer.say(head)) break;
    answer.quoteLine(withinTokens(secrets.line(prompt.text, partChars), hitTokens - tokensOf(head) - lineTokens));
  }
  return answer.end(
    shown.length + prompts.length === 0 ? 'nothing found: try other words, fewer words, or outline' : undefined,
  );
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

/** A hit in a sub-agent's transcript has no turn if nothing says which call started it. */
function referenceOfHit({ session, promptUuid, path: file, line }: RecallHit): string {
  const id = sessionPart(session.sessionId);
  const isMain = file === session.path;
  return formatReference(id, isMain ? turnPart({ uuid: promptUuid, line }) : agentPart(path.basename(file, '.jsonl')));
}
