// Finds the recorded message that answers a request, and the differences between the request and the recording. It uses
// the request alone, so that a client that retries, or runs sub-agents in parallel, gets the same answers.
import { asString, type JsonObject } from '../../base/json/index.ts';
import { texts as clientTexts } from '../../session/resume/client/index.ts';
import { type NormalMessage, normalise } from '../../session/resume/messages/index.ts';
import { viewRequest } from '../request/index.ts';
import { type Conversation, contentKey, type RecordedStep, type Recording, resultOf } from './recording.ts';

export interface Match {
  readonly conversation: Conversation;
  /** The index of the step to serve; the number of steps at the end of the recording. */
  readonly index: number;
  readonly mismatches: readonly Mismatch[];
}

/** The content of a request, read once. */
export interface RequestParts {
  readonly messages: readonly NormalMessage[];
  readonly answers: readonly NormalMessage[];
  /** The content after the last answer. */
  readonly newest: readonly JsonObject[];
}

export function readParts(body: JsonObject): RequestParts {
  const { messages: views } = viewRequest({ messages: body.messages });
  const messages = normalise(
    views.map(({ role, blocks }) => ({ role: asString(role) ?? '', content: blocks.map(({ block }) => block) })),
  );
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return {
    messages,
    answers: messages.filter((message) => message.role === 'assistant'),
    newest: messages.slice(last + 1).flatMap((message) => message.content),
  };
}

export class Matcher {
  readonly #recording: Recording;
  readonly #byCall = new Map<string, readonly [Conversation, number]>();
  readonly #byKey = new Map<Conversation, ReadonlyMap<string, readonly number[]>>();
  readonly #started = new Set<Conversation>();
  /** Served, although no later request shows it: it has nothing that a client sends back. */
  readonly #silent = new Set<RecordedStep>();

  constructor(recording: Recording) {
    this.#recording = recording;
    for (const conversation of [recording.main, ...recording.agents]) {
      const keys = new Map<string, number[]>();
      for (const [i, { callIds, key }] of conversation.steps.entries()) {
        for (const id of callIds) if (!this.#byCall.has(id)) this.#byCall.set(id, [conversation, i]);
        if (key === undefined) continue;
        const places = keys.get(key);
        if (places === undefined) keys.set(key, [i]);
        else places.push(i);
      }
      this.#byKey.set(conversation, keys);
    }
  }

  /** Whether the request begins with the prompt of a recorded sub-agent. */
  isOfAgent(parts: RequestParts): boolean {
    return this.#conversationOf(parts).agentId !== undefined;
  }

  match(parts: RequestParts): Match {
    const conversation = this.#conversationOf(parts);
    this.#started.add(conversation);
    const { at, mismatches } = this.#align(conversation, parts);
    let index = at + 1;
    for (let step = conversation.steps[index]; step !== undefined && this.#silent.has(step); ) {
      step = conversation.steps[++index];
    }
    const step = conversation.steps[index];
    if (step === undefined) {
      const over = makeMismatch('end', 'the recording has ended', '', textOfBlocks(parts.newest));
      return { conversation, index: conversation.steps.length, mismatches: [...mismatches, over] };
    }
    const differing = [...mismatches, ...comparePrompts(step, parts), ...compareResults(step, parts)];
    if (differing.some(({ kind }) => kind === 'prompt')) index = laterWithPrompt(conversation, index, parts);
    const served = conversation.steps[index];
    if (served !== undefined && served.key === undefined) this.#silent.add(served);
    return { conversation, index, mismatches: differing };
  }

  /** The summary of a compaction at this place of the conversation. */
  summaryFor(parts: RequestParts): string | undefined {
    const conversation = this.#conversationOf(parts);
    const { at } = this.#align(conversation, parts);
    return conversation.summaries.find(({ before }) => before > at)?.text;
  }

  /** By its calls; else by its first prompt, which only parallel sub-agents share. */
  #conversationOf({ answers, messages }: RequestParts): Conversation {
    for (const answer of answers.toReversed()) {
      for (const id of callIdsOf(answer)) {
        const known = this.#byCall.get(id);
        if (known !== undefined) return known[0];
      }
    }
    const { main, agents } = this.#recording;
    const opening = (messages[0]?.content ?? []).map((block) => asString(block.text)?.trim());
    if (opening.includes(main.opening.trim())) return main;
    const asked = agents.filter((agent) => agent.opening.trim() !== '' && opening.includes(agent.opening.trim()));
    return asked.find((agent) => answers.length > 0 || !this.#started.has(agent)) ?? asked[0] ?? main;
  }

  /** The step of the last answer in the request. */
  #align(conversation: Conversation, parts: RequestParts): { at: number; mismatches: Mismatch[] } {
    let at = startOf(conversation, parts);
    const mismatches: Mismatch[] = [];
    for (const answer of parts.answers) {
      const found = this.#stepOf(conversation, answer, at);
      if (found !== undefined) at = found;
      else if (isOfModel(answer)) {
        const expected = conversation.steps[at + 1];
        at = similarStep(conversation, answer, at) ?? at + 1;
        const recorded = textOfBlocks(expected?.readReply().blocks ?? []);
        mismatches.push(makeMismatch('answer', 'an earlier answer', recorded, textOfBlocks(answer.content)));
      }
    }
    return { at: Math.min(at, conversation.steps.length - 1), mismatches: mismatches.slice(-1) };
  }

  #stepOf(conversation: Conversation, answer: NormalMessage, at: number): number | undefined {
    for (const id of callIdsOf(answer)) {
      const known = this.#byCall.get(id);
      if (known?.[0] === conversation) return known[1];
    }
    const key = contentKey(answer.content);
    return key === undefined
      ? undefined
      : this.#byKey
          .get(conversation)
          ?.get(key)
          ?.find((place) => place > at);
  }
}

/** After a compaction the history begins with its summary. */
function startOf({ summaries }: Conversation, { messages }: RequestParts): number {
  if (summaries.length === 0) return -1;
  const opening = messages.filter(({ role }) => role === 'user').slice(0, 3);
  const text = opening.map(({ content }) => textOfBlocks(content)).join('\n');
  const found = summaries.findLast((summary) => summary.text !== '' && text.includes(summary.text.trim()));
  return (found?.before ?? 0) - 1;
}

/** Text that the client adds was never recorded as an answer. */
function isOfModel(answer: NormalMessage): boolean {
  return contentKey(answer.content) !== undefined && textOfBlocks(answer.content) !== clientTexts.noResponse;
}

const similarWithin = 50;

/** The next step with the same tools, if an agent has changed their inputs and ids. */
function similarStep({ steps }: Conversation, answer: NormalMessage, at: number): number | undefined {
  const names = answer.content.flatMap((block) => (block.type === 'tool_use' ? [asString(block.name) ?? ''] : []));
  if (names.length === 0) return undefined;
  const near = steps.slice(at + 1, at + 1 + similarWithin);
  const found = near.findIndex((step) => step.callNames.join() === names.join());
  return found < 0 ? undefined : at + 1 + found;
}

function comparePrompts(step: RecordedStep, parts: RequestParts): Mismatch[] {
  const sent = textOfBlocks(parts.newest);
  return step
    .readPrompts()
    .filter((prompt) => !sent.includes(prompt.trim()))
    .map((prompt) => makeMismatch('prompt', 'the prompt', prompt, sent));
}

/** Matches results by the ids of the calls, or in order if the client has its own ids. */
function compareResults(step: RecordedStep, parts: RequestParts): Mismatch[] {
  const sent = parts.newest.flatMap(resultOf);
  const byId = new Map(sent.map((result) => [result.toolUseId, result]));
  return step.readResults().flatMap((recorded, i) => {
    const result = byId.get(recorded.toolUseId) ?? (byId.size > 0 ? sent[i] : undefined);
    if (result?.text.trim() === recorded.text.trim()) return [];
    const what = `the result of ${recorded.toolUseId}`;
    return [makeMismatch('result', what, recorded.text, result === undefined ? '(none)' : result.text)];
  });
}

/** The user left out a prompt: the message after the typed one. */
function laterWithPrompt({ steps }: Conversation, index: number, parts: RequestParts): number {
  const sent = textOfBlocks(parts.newest);
  const later = steps.findIndex((step, i) => {
    const prompts = i > index ? step.readPrompts() : [];
    return prompts.some((prompt) => prompt.trim() !== '' && sent.includes(prompt.trim()));
  });
  return later < 0 ? index : later;
}

function callIdsOf(answer: NormalMessage): string[] {
  return answer.content.flatMap((block) => (block.type === 'tool_use' ? (asString(block.id) ?? []) : []));
}

export function textOfBlocks(blocks: readonly JsonObject[]): string {
  const texts = blocks.map((block) => (block.type === 'text' ? asString(block.text) : asString(block.name)));
  return texts.filter((text) => text !== undefined).join('\n');
}

/** A difference between a request and the recorded session. */
export interface Mismatch {
  /** `end`: nothing was recorded after this. */
  readonly kind: 'prompt' | 'result' | 'answer' | 'end';
  readonly what: string;
  readonly recorded: string;
  readonly sent: string;
}

const before = 20;
const shown = 120;

function makeMismatch(kind: Mismatch['kind'], what: string, recorded: string, sent: string): Mismatch {
  let same = 0;
  while (same < recorded.length && recorded[same] === sent[same]) same++;
  return { kind, what, recorded: excerpt(recorded, same), sent: excerpt(sent, same) };
}

function excerpt(text: string, at: number): string {
  const start = text.length <= shown ? 0 : Math.max(0, at - before);
  const end = start + shown;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`.toWellFormed();
}

/** `the prompt differs: recorded "fix it", sent "repair it"` */
export function mismatchText({ kind, what, recorded, sent }: Mismatch): string {
  if (kind === 'end') return what;
  return `${what} differs: recorded ${JSON.stringify(recorded)}, sent ${JSON.stringify(sent)}`;
}
