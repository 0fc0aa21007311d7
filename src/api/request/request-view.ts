// Prepares a request of any shape for the rules: messages, blocks and images with their places. A member of the wrong
// type is skipped; the rule for shapes reports it.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type ModelFacts, modelFactsOf } from '../../models/index.ts';

/** A request to check. It may consist of messages only; missing parts are not checked. */
export type CheckableRequest =
  | readonly unknown[]
  | {
      readonly messages: unknown;
      readonly model?: unknown;
      readonly system?: unknown;
      readonly tools?: unknown;
      readonly thinking?: unknown;
    };

/** A place in a request, as the API names it in its error messages. */
export interface Place {
  /** As the API names it: `messages.3.content.0`. */
  readonly path: string;
  readonly messageIndex?: number;
  readonly blockIndex?: number;
}

/** A content block of a request and its place. */
export interface BlockView {
  readonly place: Place;
  readonly block: JsonObject;
}

/** A message of a request and its place. */
export interface MessageView {
  readonly place: Place & { readonly messageIndex: number };
  /** `undefined` if the message is not an object. */
  readonly message: JsonObject | undefined;
  readonly role: JsonValue | undefined;
  readonly content: JsonValue | undefined;
  /** A string content is one text block at the place of the content. */
  readonly blocks: readonly BlockView[];
}

/** An image of a request and its place, in a message or inside a tool result. */
export interface ImageView {
  readonly place: Place;
  readonly mediaType: string | undefined;
  /** Base64, if the request contains the image. */
  readonly data: string | undefined;
}

/** A request, prepared for the rules. */
export interface RequestView {
  readonly raw: unknown;
  readonly model: string | undefined;
  readonly facts: ModelFacts | undefined;
  readonly messages: readonly MessageView[];
  /** The messages of the roles `user` and `assistant`; `system` reminders between them do not affect the order. */
  readonly turns: readonly MessageView[];
  readonly images: readonly ImageView[];
  readonly system: unknown;
  readonly tools: unknown;
  readonly thinking: JsonObject | undefined;
}

/** Prepares a request for the rules. */
export function viewRequest(request: CheckableRequest): RequestView {
  const raw: unknown = isArray(request) ? { messages: request } : request;
  const given = asObject(raw) ?? {};
  const model = asString(given.model);
  const messages = isArray(given.messages) ? given.messages.map(viewMessage) : [];
  return {
    raw,
    model,
    facts: model === undefined ? undefined : modelFactsOf(model),
    messages,
    turns: messages.filter((message) => message.role !== 'system'),
    images: messages.flatMap((message) => message.blocks.flatMap(imagesOf)),
    system: given.system,
    tools: given.tools,
    thinking: asObject(given.thinking),
  };
}

/** The blocks of these types. */
export function blocksOfType(message: MessageView | undefined, ...types: readonly string[]): BlockView[] {
  return (message?.blocks ?? []).filter(({ block }) => types.some((type) => block.type === type));
}

function viewMessage(value: JsonValue, messageIndex: number): MessageView {
  const place = { path: `messages.${messageIndex}`, messageIndex };
  const message = asObject(value);
  const content = message?.content;
  return { place, message, role: message?.role, content, blocks: viewBlocks(content, place) };
}

function viewBlocks(content: JsonValue | undefined, place: Place): BlockView[] {
  const path = `${place.path}.content`;
  if (typeof content === 'string') return [{ place: { ...place, path }, block: { type: 'text', text: content } }];
  if (!isArray(content)) return [];
  return content.flatMap((block, blockIndex) =>
    isObject(block) ? [{ place: { ...place, path: `${path}.${blockIndex}`, blockIndex }, block }] : [],
  );
}

function imagesOf({ place, block }: BlockView): ImageView[] {
  if (block.type === 'image') return [viewImage(block, place)];
  if (block.type !== 'tool_result' || !isArray(block.content)) return [];
  return block.content.flatMap((inner, i) =>
    isObject(inner) && inner.type === 'image'
      ? [viewImage(inner, { ...place, path: `${place.path}.tool_result.content.${i}` })]
      : [],
  );
}

function viewImage(block: JsonObject, place: Place): ImageView {
  const source = asObject(block.source);
  const isInline = source?.type === 'base64';
  return {
    place,
    mediaType: isInline ? (asString(source.media_type) ?? '') : undefined,
    data: isInline ? (asString(source.data) ?? '') : undefined,
  };
}
