// A fake API with the published rules of preserved thinking: answers have thinking blocks whose signatures contain
// hashes of everything before them, and a request with a block that no longer fits gets the error of the API. It is built
// from the documentation and from error texts that users quote, independently of the code.
import { createHash } from 'node:crypto';
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import type { Failure, ScriptBlock, Step } from './mock-reply.ts';

interface Made {
  readonly model: JsonValue;
  readonly system: string;
  readonly tools: string;
  /** One hash for each message before it. */
  readonly before: readonly string[];
  readonly previous: string | null;
}

export interface RefusedBlock {
  readonly place: string;
  readonly why: 'signature' | 'system' | 'tools' | 'content' | 'hole';
}

interface Message {
  readonly role: JsonValue | undefined;
  readonly blocks: readonly JsonObject[];
}

/** Models that check everything before a block. */
const checks = /fable-5-[12]|opus-5-5|sonnet-5-5|haiku-5-5/;

const isThought = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking';

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);
}

/** Without cache marks, keys in order. */
function canonical(value: JsonValue | undefined): JsonValue {
  if (isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value ?? null;
  const keys = Object.keys(value).filter((key) => key !== 'cache_control');
  return Object.fromEntries(keys.sort().map((key) => [key, canonical(value[key])]));
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return isArray(content) ? content.filter(isObject) : [];
}

function canonicalBlock(block: JsonObject): JsonValue {
  return canonical(block.type === 'tool_result' ? { ...block, content: [...blocksOf(block.content)] } : block);
}

function messagesOf(request: JsonObject): readonly Message[] {
  const messages = isArray(request.messages) ? request.messages.filter(isObject) : [];
  return messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) }));
}

/** The client's first block differs from request to request. */
function systemHash(request: JsonObject): string {
  const texts = blocksOf(request.system).map(({ text }) => String(text));
  return hash(texts.filter((text) => !text.startsWith('x-anthropic-billing-header')).join('\n'));
}

function toolsHash(request: JsonObject): string {
  const tools = isArray(request.tools) ? request.tools.filter(isObject) : [];
  const counted = tools.filter((tool) => tool.defer_loading !== true).map(canonical);
  return hash(counted.map((tool) => JSON.stringify(tool)).sort());
}

function hashesBefore(messages: readonly Message[], at: number, block: number): readonly string[] {
  return messages.slice(0, at + 1).flatMap(({ role, blocks }, i) => {
    const said = (i === at ? blocks.slice(0, block) : blocks).filter((each) => !isThought(each)).map(canonicalBlock);
    return i === at && said.length === 0 ? [] : hash([role, said]);
  });
}

function idOf(block: JsonObject): string {
  return hash(block.signature ?? block.data);
}

/** A thinking block that `request` is answered with first. */
export function signedThinking(request: JsonObject, name: string): ScriptBlock {
  const messages = [...messagesOf(request), { role: 'assistant', blocks: [] }];
  const earlier = messages.flatMap(({ blocks }) => blocks).findLast(isThought);
  const made: Made = {
    model: request.model ?? '',
    system: systemHash(request),
    tools: toolsHash(request),
    before: hashesBefore(messages, messages.length - 1, 0),
    previous: earlier === undefined ? null : idOf(earlier),
  };
  return {
    type: 'thinking',
    thinking: name,
    signature: `BIND${Buffer.from(JSON.stringify(made)).toString('base64')}`,
  };
}

function readSignature(block: JsonObject): Made | undefined {
  const text = Buffer.from(String(block.signature).replace(/^BIND/, ''), 'base64').toString();
  return parseJson(text) as Made | undefined;
}

/** The thinking blocks that a request sends, and those that the API would refuse. */
export function judgeRequest(request: JsonObject): {
  readonly sent: number;
  readonly refused: readonly RefusedBlock[];
} {
  const messages = messagesOf(request);
  const refused: RefusedBlock[] = [];
  let sent = 0;
  let previous: string | null = null;
  for (const [i, { blocks }] of messages.entries()) {
    for (const [j, block] of blocks.entries()) {
      if (!isThought(block)) continue;
      sent++;
      const made = readSignature(block);
      const why = made === undefined ? 'signature' : whyRefused(request, messages, i, j, made, previous);
      if (why !== undefined) refused.push({ place: `messages.${i}.content.${j}`, why });
      previous = idOf(block);
    }
  }
  return { sent, refused };
}

function whyRefused(
  request: JsonObject,
  messages: readonly Message[],
  at: number,
  block: number,
  made: Made,
  previous: string | null,
): RefusedBlock['why'] | undefined {
  if (!checks.test(String(request.model)) || made.model !== request.model) return undefined;
  if (made.system !== systemHash(request)) return 'system';
  if (made.tools !== toolsHash(request)) return 'tools';
  if (JSON.stringify(made.before) !== JSON.stringify(hashesBefore(messages, at, block))) return 'content';
  return previous !== null && made.previous !== previous ? 'hole' : undefined;
}

/** What the API answers to an account that it enforces the check for. */
export function refusalOf(request: JsonObject): Failure | undefined {
  const [first] = judgeRequest(request).refused;
  if (first === undefined) return undefined;
  const bound = first.why === 'signature' ? '' : '. The block is bound to a different conversation. Remove the block.';
  const message = `${first.place}: Invalid \`signature\` in \`thinking\` block${bound}`;
  return { status: 400, errorType: 'invalid_request_error', message };
}

/** A step that refuses what no longer fits, and else answers with signed thinking and these blocks. */
export function bound(name: string, ...blocks: readonly ScriptBlock[]): Step {
  return (request) => refusalOf(request) ?? { blocks: [signedThinking(request, name), ...blocks] };
}
