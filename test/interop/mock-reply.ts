// Which scripted reply a request to the mock gets. Stateless: the newest user text that holds a marker `[[name]]`
// chooses the script, the number of assistant messages after it chooses the step, so a client that retries,
// resumes or runs sub-agents in parallel always gets the same answers.
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';

export interface ScriptBlock extends JsonObject {
  readonly type: string;
}

export interface Answer {
  readonly blocks: readonly ScriptBlock[];
  readonly stopReason?: string;
  /** Replaces counts of the usage, also the ones at the start of the stream. */
  readonly usage?: JsonObject;
  /** Pause before each block and before the end. */
  readonly delayMs?: number;
  /** Never finish: stop sending after this many blocks, or inside the last of them. */
  readonly stall?: { readonly afterBlocks: number; readonly insideBlock: boolean };
}

export interface Failure {
  readonly status: number;
  readonly errorType: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Reply = Answer | Failure;
export type Step = Reply | ((request: JsonObject) => Reply);
export type Scripts = Readonly<Record<string, readonly Step[]>>;

export interface ChosenReply {
  /** Why this reply: `compact`, `title`, `side`, `default`, or script and step as in `tools#2`. */
  readonly kind: string;
  readonly reply: Reply;
}

export function chooseReply(request: JsonObject, scripts: Scripts): ChosenReply {
  const messages = isArray(request.messages) ? request.messages : [];
  if (asksForSummary(textsOf(messages.at(-1)).join('\n'))) return { kind: 'compact', reply: answer(summary) };
  if (!isArray(request.tools) || request.tools.length === 0) return sideReply(request);

  const marker = newestMarker(messages, scripts);
  if (marker === undefined) return { kind: 'default', reply: answer('MOCK-REPLY') };
  const answered = messages
    .slice(marker.index + 1)
    .filter((message) => isObject(message) && message.role === 'assistant');
  const step = marker.steps[Math.min(answered.length, marker.steps.length - 1)];
  if (step === undefined) throw new Error(`the script ${marker.name} has no steps`);
  return { kind: `${marker.name}#${answered.length}`, reply: typeof step === 'function' ? step(request) : step };
}

const summary = `<analysis>Mock analysis of the chat.</analysis>

<summary>
1. Primary Request: MOCK-SUMMARY of everything so far.
2. Pending: none.
</summary>`;

function answer(text: string): Answer {
  return { blocks: [{ type: 'text', text }] };
}

function asksForSummary(text: string): boolean {
  return /detailed summary of (the|this) (conversation|RECENT|portion)|summary of the (recent )?portion/i.test(text);
}

/** Requests without tools are the client's own: titles, topic detection, the quota probe (one token). */
function sideReply(request: JsonObject): ChosenReply {
  const schema = JSON.stringify(request.output_config ?? request.output_format ?? {});
  if (schema.includes('title')) return { kind: 'title', reply: answer('{"title":"Mock widget session"}') };
  return { kind: 'side', reply: answer(request.max_tokens === 1 ? '#' : 'Mock side answer') };
}

interface Marker {
  readonly index: number;
  readonly name: string;
  readonly steps: readonly Step[];
}

function newestMarker(messages: readonly JsonValue[], scripts: Scripts): Marker | undefined {
  for (const [index, message] of [...messages.entries()].reverse()) {
    if (!isObject(message) || message.role !== 'user') continue;
    for (const text of textsOf(message).reverse()) {
      const name = [...text.matchAll(/\[\[([a-z0-9-]+)\]\]/g)].at(-1)?.[1];
      const steps = name === undefined ? undefined : scripts[name];
      if (name !== undefined && steps !== undefined) return { index, name, steps };
    }
  }
  return undefined;
}

function textsOf(message: JsonValue | undefined): string[] {
  if (!isObject(message)) return [];
  if (typeof message.content === 'string') return [message.content];
  if (!isArray(message.content)) return [];
  return message.content.flatMap((block) => {
    const text = isObject(block) && block.type === 'text' ? asString(block.text) : undefined;
    return text === undefined ? [] : [text];
  });
}
