// A session → a request of the Messages API: the model and the messages that Claude Code sends when it resumes the
// session, one JSON object on a line.
import { exitCodes, UserError } from '../base/errors/index.ts';
import { asObject, asString, type JsonObject, type JsonValue, jsonText } from '../base/json/index.ts';
import {
  type Block,
  blocksOf,
  isDocument,
  isImage,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
} from '../format/entry/index.ts';
import type { WireMessage } from '../session/resume/messages/index.ts';
import { requestMessages } from '../session/resume/request/index.ts';
import type { ExportSource } from './source/index.ts';

export interface ExportedRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
}

/** Yields a session as a request of the Messages API, in JSON. */
export function* exportAnthropic(source: ExportSource): Generator<string> {
  const { model, messages } = sentMessages(source);
  yield `{"model":${source.hide(jsonText(model))},"messages":[`;
  for (const [i, message] of messages.entries()) yield `${i === 0 ? '' : ','}${jsonText(message)}`;
  yield ']}\n';
}

/** What a resume sends before a new prompt; a session that it refuses has no request. */
function sentMessages({ session }: ExportSource): ExportedRequest {
  const request = requestMessages(session, undefined, { host: 'anthropic' });
  if ('refused' in request || request.messages.length === 0) {
    const why = 'refused' in request ? request.refused : 'it holds no message';
    throw new UserError(
      `there is nothing to send of ${session.id}: ${why}`,
      '`--format json` has what is in it',
      exitCodes.refused,
    );
  }
  return request;
}

/** Yields a session as a request of OpenAI's chat API, in JSON. */
export function* exportOpenai(source: ExportSource): Generator<string> {
  const { messages } = sentMessages(source);
  let isFirst = true;
  yield '{"messages":[';
  for (const message of chatMessages(messages)) {
    yield `${isFirst ? '' : ','}${jsonText(message)}`;
    isFirst = false;
  }
  yield ']}\n';
}

export function* chatMessages(messages: readonly WireMessage[]): Generator<JsonObject> {
  for (const [i, message] of messages.entries()) {
    const blocks = blocksOf(message.content);
    if (message.role !== 'assistant') yield* askedMessages(message.role, blocks);
    else yield* answerMessages(blocks, answeredIds(messages[i + 1]));
  }
}

/** Results first: they must follow the calls directly. Images in them come after, as a message of the user. */
function* askedMessages(role: string, blocks: readonly Block[]): Generator<JsonObject> {
  const results = blocks.filter(isToolResult);
  const shown: Block[] = [];
  for (const { tool_use_id, content } of results) {
    const inner = blocksOf(content);
    shown.push(...inner.filter(isImage));
    yield {
      role: 'tool',
      tool_call_id: tool_use_id,
      content: textParts(inner.filter((each) => !isImage(each))).join('\n'),
    };
  }
  const parts = [...shown, ...blocks.filter((block) => !isToolResult(block))].flatMap(contentParts);
  if (parts.length > 0) yield { role: role === 'system' ? 'system' : 'user', content: joined(parts) };
}

function* answerMessages(blocks: readonly Block[], answered: ReadonlySet<string>): Generator<JsonObject> {
  const text = textParts(blocks.filter((block) => !isToolUse(block) && !isThinking(block))).join('\n');
  // One without an answer would be rejected; a request that passes the Messages API has none.
  const calls = blocks.filter(isToolUse).filter(({ id }) => answered.has(id));
  if (text === '' && calls.length === 0) return;
  yield {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ id, name, input }) => chatCall(id, name, input)) }),
  };
}

function chatCall(id: string, name: string, input: JsonValue | undefined): JsonObject {
  return { id, type: 'function', function: { name, arguments: jsonText(asObject(input) ?? {}) } };
}

function answeredIds(next: WireMessage | undefined): ReadonlySet<string> {
  return new Set(
    blocksOf(next?.content)
      .filter(isToolResult)
      .map((block) => block.tool_use_id),
  );
}

type Part = JsonObject & { readonly type: 'text' | 'image_url' };

function contentParts(block: Block): readonly Part[] {
  if (!isImage(block)) return textParts([block]).map((text) => ({ type: 'text', text }));
  const { source } = block;
  const url =
    source.type === 'url'
      ? asString(source.url)
      : `data:${source.media_type ?? 'image/png'};base64,${source.data ?? ''}`;
  return url === undefined ? [] : [{ type: 'image_url', image_url: { url } }];
}

/** Text alone is a plain string, which every program reads. */
function joined(parts: readonly Part[]): JsonValue {
  const isPlain = parts.every((part) => part.type === 'text');
  return isPlain ? parts.map((part) => part.text).join('\n') : parts;
}

/** Blocks that the chat format has no place for leave their name. */
function textParts(blocks: readonly Block[]): readonly string[] {
  return blocks.map((block) => {
    if (isText(block)) return block.text;
    if (isDocument(block)) return `[document${block.title === undefined ? '' : `: ${block.title}`}]`;
    return `[${asString(block.type) ?? 'unknown block'}]`;
  });
}
