// A session → one line a turn; or the sessions of the project, one line each, the newest first.
import { isoDate } from '../../base/json/index.ts';
import type { ExportSource } from '../../export/source/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import { toolCallsOf, turnPromptText, turnsOf } from '../../session/turns/index.ts';
import type { OutlineQuestion } from '../questions/index.ts';
import { formatReference, referenceOf, sessionPart } from '../reference/index.ts';
import { Answer, type SecretFilter } from '../text/index.ts';

const promptChars = 110;
const titleChars = 90;

export function outlineTurns(
  { session, hide }: ExportSource,
  { tokens, from }: OutlineQuestion,
  secrets: SecretFilter,
): string {
  const turns = turnsOf(session);
  const answer = new Answer(tokens);
  answer.say(`${formatReference(sessionPart(session.id))} · ${turns.length} turns`);
  const title = titleOf(session);
  if (title !== undefined) answer.quoteLine(`title: ${secrets.line(hide(title.slice(0, longTitle)), titleChars)}`);
  for (const turn of turns.slice(from - 1)) {
    const prompt = secrets.line(turnPromptText(session, turn) ?? '', promptChars);
    const calls = toolCallsOf(session, turn).length;
    // The reference is ours, the rest of the line is recorded.
    const isSaid =
      answer.left > lineTokens &&
      answer.say(`${turn.index}. ${referenceOf(session.id, turn)}${calls === 0 ? '' : ` · ${calls} calls`}`) &&
      answer.quoteLine(prompt || '(no prompt)');
    if (!isSaid) return answer.end(`cut: list on with from ${turn.index}`);
  }
  return answer.end();
}

const longTitle = 4000;
/** More than any line and its reference have. */
const lineTokens = 160;

/** A session in the list of the project. */
export interface OutlinedSession {
  readonly sessionId: string;
  readonly endedAt: number;
  readonly title: string | undefined;
  /** `12 turns`. */
  readonly size: string;
}

export function outlineSessions(
  sessions: readonly OutlinedSession[],
  { tokens, from }: OutlineQuestion,
  secrets: SecretFilter,
): string {
  const answer = new Answer(tokens);
  answer.say(`${sessions.length} sessions, the newest first`);
  for (const [i, session] of sessions.entries()) {
    if (i + 1 < from) continue;
    const { sessionId, endedAt, title, size } = session;
    const day = isoDate(endedAt)?.slice(0, 10) ?? 'no date';
    const isSaid =
      answer.left > lineTokens &&
      answer.say(`${i + 1}. ${formatReference(sessionPart(sessionId))} · ${day} · ${size}`) &&
      answer.quoteLine(secrets.line(title ?? '', titleChars) || '(untitled)');
    if (!isSaid) return answer.end(`cut: list on with from ${i + 1}`);
  }
  return answer.end();
}
