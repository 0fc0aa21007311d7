// A reference → the exchange as the index has it, where the session has no turn for it: the lines of a sub-agent whose call is
// unknown, of a session without its main transcript, and of lines that no branch reaches.
import { exchangeTexts } from '../../library/exchanges/index.ts';
import type { Database } from '../../library/index/index.ts';
import type { LineText } from '../../library/text/index.ts';
import type { ReadPart, ReadQuestion } from '../questions/index.ts';
import { formatReference, type Reference, sessionPart } from '../reference/index.ts';
import { Answer, type SecretFilter } from '../text/index.ts';
import { quoteParts } from './parts.ts';
import type { VisibleSession } from './sessions.ts';

/** `undefined` if the index has no such exchange of the session. */
export function readExchange(
  database: Database,
  { row, sessionId }: VisibleSession,
  { turn: name }: Reference,
  question: ReadQuestion,
  secrets: SecretFilter,
): string | undefined {
  if (name !== undefined && 'number' in name) return undefined;
  const texts = exchangeTexts(database, row, name);
  if (texts === undefined) return undefined;
  const answer = new Answer(question.tokens);
  answer.say(`${formatReference(sessionPart(sessionId))} · recorded lines that belong to no turn`);
  return answer.end(quoteParts(answer, partsOf(texts, new Set(question.include)), question.from, secrets));
}

const shown: Readonly<Partial<Record<LineText['kind'], readonly [ReadPart, string]>>> = {
  prompt: ['prompt', 'user'],
  // The task of a sub-agent.
  note: ['prompt', 'note'],
  answer: ['answer', 'assistant'],
  thinking: ['thinking', 'thinking'],
  'tool-input': ['calls', 'call'],
  'tool-output': ['output', 'output'],
};

function* partsOf(texts: Iterable<LineText>, wanted: ReadonlySet<ReadPart>): Generator<() => string> {
  for (const { kind, text, tool } of texts) {
    const [part, label] = shown[kind] ?? [];
    if (part !== undefined && wanted.has(part)) yield () => `${tool ?? label}: ${text.trim()}`;
  }
}
