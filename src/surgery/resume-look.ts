// A session → all that a proof has to know of what a resume of it sends. Worked out once for each session: the request of
// a long one is the dearest thing in a proof.
import { createHash } from 'node:crypto';
import { checkRequest } from '../api/check-request.ts';
import type { Violation } from '../api/rule.ts';
import { collectGarbage } from '../base/memory.ts';
import { isMessage } from '../session/node.ts';
import { isThinking } from '../session/resume/filter.ts';
import type { ResumeRequest } from '../session/resume/request.ts';
import type { Session } from '../session/session.ts';
import { leanTrace } from './lean-request.ts';

/** What a resume of a session would send, in short. */
export interface ResumeLook {
  /** Why Claude Code would not resume it. */
  readonly refused: string | undefined;
  /** Equal for sessions that send the same. */
  readonly digest: string;
  /** The same, whatever folder the large outputs lie in that it names. */
  readonly placelessDigest: string;
  /** Tool calls in what is sent, and how many of them have exactly one result. */
  readonly pairs: { readonly calls: number; readonly answered: number };
  /** What the API would say to it. */
  readonly violations: readonly Violation[];
  /** How many thinking blocks it sends. */
  readonly thinking: number;
  /** The lines of the conversation that it sends, by their numbers. */
  readonly sentLines: ReadonlySet<number>;
}

const collectedBytes = 32 * 1024 * 1024;

const looks = new WeakMap<Session['transcript'], ResumeLook>();

/** With a prompt: a resume always comes with one. */
export function lookAtResume({ transcript }: Pick<Session, 'transcript'>): ResumeLook {
  const known = looks.get(transcript);
  if (known !== undefined) return known;
  // What was read to make the last one is still there otherwise, and the engine is in no hurry.
  if (transcript.sizeBytes > collectedBytes) collectGarbage();
  const traced = leanTrace({ transcript }, undefined, 'go on');
  const request: ResumeRequest =
    'refused' in traced
      ? traced
      : { model: traced.model, messages: traced.messages.map(({ role, content }) => ({ role, content })) };
  const messages = 'refused' in request ? [request] : request.messages;
  const sent = 'refused' in traced ? [] : traced.messages.flatMap(({ lines }) => lines);
  const look = {
    refused: 'refused' in request ? request.refused : undefined,
    digest: digestOf(messages),
    placelessDigest: digestOf(messages, withoutPlace),
    pairs: countPairs(request),
    violations: 'refused' in request ? [] : checkRequest(request),
    thinking: messages.flatMap((message) => ('content' in message ? message.content.filter(isThinking) : [])).length,
    sentLines: new Set(sent.filter(isMessage).map(({ line }) => line)),
  };
  looks.set(transcript, look);
  return look;
}

/** `form`: another form of a text, to be compared instead. Message by message, because all of it is too much at once. */
export function digestOf(messages: readonly object[], form?: (text: string) => string): string {
  const hash = createHash('sha256');
  const inForm = (_: string, value: unknown): unknown =>
    typeof value === 'string' && form !== undefined ? form(value) : value;
  for (const message of messages) hash.update(`${JSON.stringify(message, inForm)}\n`);
  return hash.digest('hex');
}

function withoutPlace(text: string): string {
  if (!text.startsWith('<persisted-output>')) return text;
  return text.replace(/(Full output saved to: ).*[\\/]tool-results[\\/]/, '$1');
}

function countPairs(request: ResumeRequest): ResumeLook['pairs'] {
  const calls: unknown[] = [];
  const results = new Map<unknown, number>();
  for (const block of 'refused' in request ? [] : request.messages.flatMap(({ content }) => content)) {
    if (block.type === 'tool_use') calls.push(block.id);
    if (block.type === 'tool_result') results.set(block.tool_use_id, (results.get(block.tool_use_id) ?? 0) + 1);
  }
  return { calls: calls.length, answered: calls.filter((id) => results.get(id) === 1).length };
}
