// Whether the client compacts a session before it sends the prompt, and what remains. (RESUME R15.)
import type { JsonObject } from '../../../base/json/json.ts';
import { windowTokensOf } from '../../../format/entry/usage.ts';
import type { Node } from '../../transcript/node.ts';
import { type Draft, draftLines } from '../messages/draft.ts';
import { filterDrafts } from '../messages/filter.ts';
import { requestModel } from '../messages/model.ts';
import { type ResumeSource, resumeLines } from './request.ts';

/** A compaction before the prompt. */
export interface AutoCompaction {
  /** The approximate size of the conversation, as the client counts it. */
  readonly tokens: number;
  /** The client compacts above this size. */
  readonly limit: number;
}

/** A description of what is sent afterwards. */
export const leftAfterCompaction = 'a summary in its own words, the last answer and the prompt';

/** Returns whether a resume compacts the session first. `undefined`: it does not, or the client refuses the file. */
export function autoCompactionOf(session: { readonly transcript: ResumeSource }): AutoCompaction | undefined {
  const source = session.transcript;
  const resumed = resumeLines(source);
  if ('refused' in resumed) return undefined;
  return autoCompaction(resumed.lines, (node) => source.read(node));
}

function autoCompaction(lines: readonly Node[], read: (node: Node) => JsonObject): AutoCompaction | undefined {
  // The usage of the last answer decides in most cases, without reading the lines.
  const last = lines.findLastIndex((node) => countedTokens(node) > 0);
  const counted = lines[last];
  if (counted === undefined || countedTokens(counted) < smallestLimit / 2) return undefined;
  const drafts = filterDrafts(draftLines(lines, read));
  const limit = limitOf(drafts, requestModel(drafts));
  if (limit === undefined) return undefined;
  const later = new Set(lines.slice(last + 1));
  const chars = drafts
    .filter((draft) => draft.lines.some((line) => later.has(line)))
    .reduce((sum, draft) => sum + JSON.stringify(draft.content).length, 0);
  const tokens = countedTokens(counted) + Math.round(chars / 4) + ownReminderTokens;
  return tokens < limit ? undefined : { tokens, limit };
}

function countedTokens({ type, message }: Node): number {
  return type === 'assistant' && message?.usage !== undefined ? windowTokensOf(message.usage) : 0;
}

/** The reserve of the client, and the size of its reminders, measured in an empty folder. */
const keptFree = 33_000;
const ownReminderTokens = 2_400;
const smallestLimit = 200_000 - keptFree;

/** Sessions of the 4.5 models and older ones are never compacted on resume. */
function limitOf(drafts: readonly Draft[], model: string): number | undefined {
  const isLong = drafts.some((draft) => /\[1m\]$/i.test(draft.model ?? ''));
  if (/claude-(opus|sonnet)-4-6/.test(model)) return (isLong ? 1_000_000 : 200_000) - keptFree;
  return /claude-(opus-4-[78]|(opus|sonnet|haiku|fable)-5)/.test(model) ? 1_000_000 - keptFree : undefined;
}
