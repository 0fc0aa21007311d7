// Content: every message has some, and a text is not empty. Others have measured which blank texts the API accepts
// (experientiallabs/experiential#804): one next to other blocks, but not one alone.
import { asString, isArray, isObject } from '../../base/json/json.ts';
import { type BlockView, blocksOfType, type MessageView, type Place } from '../request/request-view.ts';
import { type ApiRule, makeRule } from './rule.ts';

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
