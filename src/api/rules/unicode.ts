// A string with a lone surrogate cannot be sent: only JavaScript parses such JSON.
import { hasLoneSurrogate, type JsonValue } from '../../base/json/json.ts';
import type { MessageView, Place } from '../request/request-view.ts';
import { type ApiRule, makeRule } from './rule.ts';

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
