// A string with half a surrogate pair cannot be sent: no JSON reader outside JavaScript takes it.
import { hasLoneSurrogate, type JsonValue } from '../../base/json.ts';
import type { MessageView, Place } from '../request-view.ts';
import { type ApiRule, makeRule } from '../rule.ts';

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

/** One place a block; the message itself where it is in none of its blocks. */
function brokenPlaces({ message, place, blocks }: MessageView): Place[] {
  if (!isBroken(message)) return [];
  const inBlocks = blocks.filter(({ block }) => isBroken(block)).map((view) => view.place);
  return inBlocks.length > 0 ? inBlocks : [place];
}

function isBroken(value: unknown): boolean {
  return value !== undefined && hasLoneSurrogate(value as JsonValue); // parsed JSON, whatever its shape
}
