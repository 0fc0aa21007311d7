// Content: every message has some, and a text is not empty. Others have measured which blank texts the API accepts
// (experientiallabs/experiential#804): one next to other blocks, but not one alone.
import { asString, hasLoneSurrogate, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { takesSystemRole } from '../../models/index.ts';
import { type BlockView, blocksOfType, type MessageView, type Place } from '../request/index.ts';
import { type ApiRule, makeRule, requestPlace } from './rule.ts';

export const contentRules: readonly ApiRule[] = [
  makeRule({
    code: 'content-shape',
    what: 'a content is a string or a list of objects',
    errorText: '{path}: Input should be a valid {kind}',
    find: ({ messages }) => messages.flatMap(misshapenPlaces),
  }),
  makeRule({
    code: 'empty-user',
    what: 'a user message has content',
    errorText: '{path}: user messages must have non-empty content',
    find: ({ turns }) => turns.filter((message) => message.role === 'user' && isEmpty(message)),
  }),
  makeRule({
    code: 'empty-assistant',
    what: 'an assistant message has content, unless it is the last',
    errorText: '{path}: all messages must have non-empty content except for the optional final assistant message',
    isFormer: true,
    find: ({ turns }) => turns.slice(0, -1).filter((message) => message.role === 'assistant' && isEmpty(message)),
  }),
  makeRule({
    code: 'empty-text',
    what: 'a text block is not empty',
    errorText: '{scope}: text content blocks must be non-empty',
    find: ({ messages, system }) => [
      ...emptySystemPlaces(system).map((place) => ({ place, values: { scope: 'system' } })),
      ...messages
        .filter(({ content }) => isArray(content))
        .flatMap((message) => blocksOfType(message, 'text'))
        .filter(({ block }) => block.text === '')
        .map(({ place }) => ({ place, values: { scope: 'messages' } })),
    ],
  }),
  makeRule({
    code: 'blank-text',
    what: 'a message or system prompt is not only white space',
    errorText: '{scope}: text content blocks must contain non-whitespace text',
    find: ({ messages, system }) => [
      ...(isBlankText(system) ? [{ place: { path: 'system' }, values: { scope: 'system' } }] : []),
      ...messages
        .filter(isBlank)
        .flatMap(({ blocks }) => blocks.slice(0, 1))
        .map(({ place }) => ({ place, values: { scope: 'messages' } })),
    ],
  }),
  makeRule({
    code: 'trailing-space',
    what: 'a last message from the assistant does not end in white space',
    errorText: 'messages: final assistant content cannot end with trailing whitespace',
    find: ({ turns, facts }) =>
      facts?.takesPrefill === false
        ? []
        : turns
            .slice(-1)
            .filter((message) => message.role === 'assistant' && !isBlank(message))
            .flatMap(({ blocks }) => blocks.slice(-1).filter(endsInSpace))
            .map(({ place }) => ({ place })),
  }),
];

function misshapenPlaces({ message, content, place }: MessageView) {
  const path = `${place.path}.content`;
  if (message === undefined || typeof content === 'string') return [];
  if (!isArray(content)) return [{ place: { ...place, path }, values: { kind: 'list' } }];
  return content.flatMap((block, blockIndex) =>
    isObject(block)
      ? []
      : [{ place: { ...place, path: `${path}.${blockIndex}`, blockIndex }, values: { kind: 'dictionary' } }],
  );
}

function isEmpty({ content }: MessageView): boolean {
  return content === '' || (isArray(content) && content.length === 0);
}

function emptySystemPlaces(system: unknown): Place[] {
  if (!isArray(system)) return [];
  return system.flatMap((block, i) =>
    isObject(block) && block.type === 'text' && block.text === '' ? [{ path: `system.${i}` }] : [],
  );
}

/** Only texts, none of them empty, all of them white space. */
function isBlank({ blocks }: MessageView): boolean {
  return blocks.length > 0 && blocks.every(({ block }) => block.type === 'text' && isBlankText(block.text));
}

function isBlankText(text: unknown): boolean {
  return typeof text === 'string' && text !== '' && text.trim() === '';
}

function endsInSpace({ block }: BlockView): boolean {
  return block.type === 'text' && /\s$/.test((asString(block.text) ?? '').slice(-1));
}

export const roleRules: readonly ApiRule[] = [
  makeRule({
    code: 'no-messages',
    what: 'there is at least one message',
    errorText: 'messages: at least one message is required',
    find: ({ messages }) => (messages.length === 0 ? [{ place: { ...requestPlace, path: 'messages' } }] : []),
  }),
  makeRule({
    code: 'unknown-role',
    what: 'a message is an object whose role is `user` or `assistant`',
    errorText: "{path}.role: Input should be 'user' or 'assistant'",
    find: ({ messages }) => messages.filter(({ role }) => role !== 'user' && role !== 'assistant' && role !== 'system'),
  }),
  makeRule({
    code: 'system-role',
    what: 'only models from Opus 4.8 on accept messages of the role `system`',
    errorText:
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    find: ({ messages, model }) =>
      model === undefined || takesSystemRole(model) ? [] : messages.filter(({ role }) => role === 'system'),
  }),
  makeRule({
    code: 'first-role',
    what: 'the first message is from the user',
    errorText: 'messages: first message must use the "user" role',
    // Accepted by Anthropic but not by Bedrock in 2024: anthropics/anthropic-sdk-typescript#622.
    isFormer: true,
    find: ({ turns }) => turns.slice(0, 1).filter(({ role }) => role === 'assistant'),
  }),
  makeRule({
    code: 'prefill',
    what: 'the last message is from the user, on models without prefill (4.6 and later)',
    errorText: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    find: ({ turns, facts }) =>
      facts === undefined || facts.takesPrefill ? [] : turns.slice(-1).filter(({ role }) => role === 'assistant'),
  }),
];

export const unicodeRules: readonly ApiRule[] = [
  makeRule({
    code: 'lone-surrogate',
    what: 'every string and key is valid Unicode',
    errorText: 'The request body is not valid JSON: no low surrogate in string',
    find: ({ messages, system, tools }) =>
      [
        ...(isBroken(tools) ? [{ path: 'tools' }] : []),
        ...(isBroken(system) ? [{ path: 'system' }] : []),
        ...messages.flatMap(brokenPlaces),
      ].map((place) => ({ place })),
  }),
];

/** One place per block, or the message if it is outside of its blocks. */
function brokenPlaces({ message, place, blocks }: MessageView): Place[] {
  if (!isBroken(message)) return [];
  const inBlocks = blocks.filter(({ block }) => isBroken(block)).map((view) => view.place);
  return inBlocks.length > 0 ? inBlocks : [place];
}

function isBroken(value: unknown): boolean {
  return value !== undefined && hasLoneSurrogate(value as JsonValue); // parsed JSON of any shape
}
