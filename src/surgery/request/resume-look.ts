// Everything a proof needs to know about the request that resuming a session sends. Computed once per session, because it
// is the most expensive part of a proof.
import { createHash } from 'node:crypto';
import { checkRequest, type Violation } from '../../api/rules/index.ts';
import { collectGarbage } from '../../base/process/index.ts';
import type { Session } from '../../session/load/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
import type { ResumeRequest } from '../../session/resume/request/index.ts';
import { isMessage } from '../../session/transcript/index.ts';
import { leanTrace } from './request.ts';

/** A summary of what resuming a session sends. */
export interface ResumeLook {
  /** Why Claude Code would not resume it. */
  readonly refused: string | undefined;
  /** The same for sessions that send the same messages. */
  readonly digest: string;
  /** The same digest, ignoring the folder of large outputs. */
  readonly placelessDigest: string;
  /** Tool calls, and how many of them have exactly one result. */
  readonly pairs: { readonly calls: number; readonly answered: number };
  readonly violations: readonly Violation[];
  /** The number of thinking blocks. */
  readonly thinking: number;
  /** The numbers of the lines that are sent. */
  readonly sentLines: ReadonlySet<number>;
}

const collectedBytes = 32 * 1024 * 1024;

const looks = new WeakMap<Session['transcript'], ResumeLook>();

export function lookAtResume({ transcript }: Pick<Session, 'transcript'>): ResumeLook {
  const known = looks.get(transcript);
  if (known !== undefined) return known;
  // Frees the memory of the previous request, which the engine would keep.
  if (transcript.sizeBytes > collectedBytes) collectGarbage();
  const traced = leanTrace({ transcript }, undefined, 'go on');
  const request: ResumeRequest =
    'refused' in traced
      ? traced
      : { model: traced.model, messages: traced.messages.map(({ role, content }) => ({ role, content })) };
  const messages = 'refused' in request ? [request] : request.messages;
  const sent = 'refused' in traced ? [] : traced.messages.flatMap(({ lines }) => lines);
  const digests = digestsOf(messages);
  const look = {
    refused: 'refused' in request ? request.refused : undefined,
    ...digests,
    ...judge(request, digests.digest),
    thinking: messages.flatMap((message) => ('content' in message ? message.content.filter(isThinking) : [])).length,
    sentLines: new Set(sent.filter(isMessage).map(({ line }) => line)),
  };
  looks.set(transcript, look);
  return look;
}

type Judgement = Pick<ResumeLook, 'pairs' | 'violations'>;

/** Of the last request: an operation compares two sessions, and most send the same. */
let judged: ({ readonly key: string } & Judgement) | undefined;

function judge(request: ResumeRequest, digest: string): Judgement {
  const key = 'refused' in request ? '' : `${digest} ${request.model}`;
  if (judged?.key !== key || key === '') {
    const violations = 'refused' in request ? [] : checkRequest(request);
    judged = { key, pairs: countPairs(request), violations };
  }
  const { pairs, violations } = judged;
  return { pairs, violations };
}

/** Message by message, to save memory. */
function digestsOf(messages: readonly object[]): Pick<ResumeLook, 'digest' | 'placelessDigest'> {
  const [all, placeless] = [createHash('sha256'), createHash('sha256')];
  for (const message of messages) {
    const json = JSON.stringify(message);
    all.update(`${json}\n`);
    // Hardly any message has such a text.
    const isPlaced = json.includes(persistedOutput);
    placeless.update(isPlaced ? `${JSON.stringify(message, withoutFolder)}\n` : `${json}\n`);
  }
  return { digest: all.digest('hex'), placelessDigest: placeless.digest('hex') };
}

const persistedOutput = '<persisted-output>';

function withoutFolder(_: string, text: unknown): unknown {
  if (typeof text !== 'string' || !text.startsWith(persistedOutput)) return text;
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
