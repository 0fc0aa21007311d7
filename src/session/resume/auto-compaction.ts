// A session → whether the client compacts it before it takes up the prompt, and what of it is then left. (RESUME R15.)
import type { JsonObject } from '../../base/json.ts';
import { windowTokensOf } from '../../format/usage.ts';
import type { Node } from '../node.ts';
import { type Draft, draftLines } from './draft.ts';
import { filterDrafts } from './filter.ts';
import { requestModel } from './model.ts';
import { type ResumeSource, resumeLines } from './request.ts';

/** A compaction that the client makes before it sends the prompt. */
export interface AutoCompaction {
  /** What the conversation takes of the window, as the client counts it; about. */
  readonly tokens: number;
  /** Where the client begins to compact. */
  readonly limit: number;
}

/** What is sent after it, in words. */
export const leftAfterCompaction = 'a summary in its own words, the last answer and the prompt';

/** Returns whether a resume compacts the session first. `undefined`: it does not, or the client refuses the file. */
export function autoCompactionOf(session: { readonly transcript: ResumeSource }): AutoCompaction | undefined {
  const source = session.transcript;
  const resumed = resumeLines(source);
  if ('refused' in resumed) return undefined;
  return autoCompaction(resumed.lines, (node) => source.read(node));
}

function autoCompaction(lines: readonly Node[], read: (node: Node) => JsonObject): AutoCompaction | undefined {
  // The usage of the last answer decides: most sessions are far from the limit, and their lines need not be read.
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

/** What the client keeps free of the window, and what its reminders took when it was run in an empty folder. */
const keptFree = 33_000;
const ownReminderTokens = 2_400;
const smallestLimit = 200_000 - keptFree;

/** The 4.5 models and older ones are not compacted on a resume, whatever they hold. */
function limitOf(drafts: readonly Draft[], model: string): number | undefined {
  const isLong = drafts.some((draft) => /\[1m\]$/i.test(draft.model ?? ''));
  if (/claude-(opus|sonnet)-4-6/.test(model)) return (isLong ? 1_000_000 : 200_000) - keptFree;
  return /claude-(opus-4-[78]|(opus|sonnet|haiku|fable)-5)/.test(model) ? 1_000_000 - keptFree : undefined;
}
