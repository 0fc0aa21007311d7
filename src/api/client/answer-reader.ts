// Converts the events of a streamed answer to the events of the agent: parts as they arrive, finished blocks, and the
// end with the final usage. An invalid event ends the stream with a failure.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/json/index.ts';
import { failureOfEvent, type ModelEvent, streamFailure } from './model.ts';

export class AnswerReader {
  readonly #requestId: string | undefined;
  readonly #open = new Map<number, OpenBlock>();
  #usage: JsonObject = {};
  #stopReason: string | null = null;
  #isStarted = false;

  constructor(requestId: string | undefined) {
    this.#requestId = requestId;
  }

  read(event: JsonObject): readonly ModelEvent[] {
    switch (event.type) {
      case 'message_start':
        return [...this.#start(asObject(event.message) ?? {}), wholeMessage(event)];
      case 'content_block_start':
        return this.#openBlock(event);
      case 'content_block_delta':
        return this.#grow(event);
      case 'content_block_stop':
        return this.#close(event);
      case 'message_delta':
        this.#usage = withUsage(this.#usage, event.usage);
        this.#stopReason = asString(asObject(event.delta)?.stop_reason) ?? this.#stopReason;
        return this.#isStarted ? [wholeMessage(event)] : [];
      case 'message_stop':
        return this.#isStarted
          ? [wholeMessage(event), { type: 'end', stopReason: this.#stopReason, usage: this.#usage }]
          : [this.#broken('it ended before message_start')];
      case 'error':
        return [{ type: 'failed', failure: failureOfEvent(event, this.#requestId) }];
      default:
        return []; // ping, and events that the API may add
    }
  }

  #start(message: JsonObject): readonly ModelEvent[] {
    const id = asString(message.id);
    if (id === undefined || this.#isStarted) return [this.#broken('message_start is invalid')];
    this.#isStarted = true;
    this.#usage = asObject(message.usage) ?? {};
    const model = asString(message.model) ?? '';
    const reported = message.input_transformations;
    const transformations = isArray(reported) ? { transformations: reported.filter(isObject) } : {};
    return [{ type: 'start', id, model, requestId: this.#requestId, usage: this.#usage, ...transformations }];
  }

  #openBlock(event: JsonObject): readonly ModelEvent[] {
    const block = asObject(event.content_block);
    const { index } = event;
    if (!this.#isStarted || typeof index !== 'number' || block === undefined)
      return [this.#broken('a block has no index')];
    this.#open.set(index, { block, texts: [], json: [], thinking: [], citations: [] });
    return [{ type: 'part', index, kind: 'other', text: '', raw: event }];
  }

  #grow(event: JsonObject): readonly ModelEvent[] {
    const { index } = event;
    const open = typeof index === 'number' ? this.#open.get(index) : undefined;
    const delta = asObject(event.delta);
    if (typeof index !== 'number' || open === undefined || delta === undefined)
      return [this.#broken('a delta has no block')];
    const [kind, text] = addDelta(open, delta);
    return [{ type: 'part', index, kind, text, raw: event }];
  }

  #close(event: JsonObject): readonly ModelEvent[] {
    const { index } = event;
    const open = typeof index === 'number' ? this.#open.get(index) : undefined;
    if (typeof index !== 'number' || open === undefined) return [this.#broken('a block ended that never started')];
    this.#open.delete(index);
    return [
      { type: 'part', index, kind: 'other', text: '', raw: event },
      { type: 'block', index, ...finished(open) },
    ];
  }

  #broken(why: string): ModelEvent {
    return {
      type: 'failed',
      failure: streamFailure('malformed_stream', `the answer is malformed: ${why}`, this.#requestId),
    };
  }
}

/** A part without a block, for readers of the raw stream. */
function wholeMessage(raw: JsonObject): ModelEvent {
  return { type: 'part', index: -1, kind: 'other', text: '', raw };
}

interface OpenBlock {
  readonly block: JsonObject;
  readonly texts: string[];
  readonly json: string[];
  readonly thinking: string[];
  readonly citations: JsonValue[];
  signature?: string;
}

type PartKind = Extract<ModelEvent, { readonly type: 'part' }>['kind'];

function addDelta(open: OpenBlock, delta: JsonObject): readonly [PartKind, string] {
  switch (delta.type) {
    case 'text_delta':
      return ['text', added(open.texts, delta.text)];
    case 'input_json_delta':
      return ['input', added(open.json, delta.partial_json)];
    case 'thinking_delta':
      return ['thinking', added(open.thinking, delta.thinking)];
    case 'signature_delta':
      open.signature = (open.signature ?? '') + (asString(delta.signature) ?? '');
      return ['other', ''];
    case 'citations_delta':
      if (delta.citation !== undefined) open.citations.push(delta.citation);
      return ['other', ''];
    default:
      return ['other', ''];
  }
}

function added(pieces: string[], value: JsonValue | undefined): string {
  const text = asString(value) ?? '';
  pieces.push(text);
  return text;
}

function finished(open: OpenBlock): { readonly block: JsonObject; readonly inputProblem?: string } {
  const { block } = open;
  switch (block.type) {
    case 'text':
      return { block: { ...block, text: whole(block.text, open.texts), ...citationsOf(open) } };
    case 'thinking':
      return {
        block: {
          ...block,
          thinking: whole(block.thinking, open.thinking),
          signature: open.signature ?? asString(block.signature) ?? '',
        },
      };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return finishedCall(open);
    default:
      return { block };
  }
}

function finishedCall({ block, json }: OpenBlock): { readonly block: JsonObject; readonly inputProblem?: string } {
  const text = json.join('');
  if (text === '') return { block: { ...block, input: asObject(block.input) ?? {} } };
  const input = parseJson(text);
  if (isObject(input)) return { block: { ...block, input } };
  const problem =
    input === undefined ? 'The input of this call is not complete JSON.' : 'The input of this call is not an object.';
  return { block: { ...block, input: {} }, inputProblem: problem };
}

function whole(first: JsonValue | undefined, pieces: readonly string[]): string {
  return (asString(first) ?? '') + pieces.join('');
}

function citationsOf({ block, citations }: OpenBlock): JsonObject {
  if (citations.length === 0) return {};
  return { citations: [...(isArray(block.citations) ? block.citations : []), ...citations] };
}

/** The counts at the end are cumulative, and omit unknown ones. */
function withUsage(before: JsonObject, given: JsonValue | undefined): JsonObject {
  const known = Object.entries(asObject(given) ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(known) };
}
