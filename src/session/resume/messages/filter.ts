// Drafts → the drafts that a resume sends: unanswered calls are closed or dropped, and assistant lines without content
// are dropped. (RESUME rules 30, 31, 33, R10, R11.)
import { asString, type JsonValue } from '../../../base/json/index.ts';
import { type ClientRules, currentRules, texts } from '../client/index.ts';
import { type Draft, madeDraft, type WireBlock } from './draft.ts';

export function filterDrafts(drafts: readonly Draft[], rules: ClientRules = currentRules): Draft[] {
  const closed = rules.has('closesOpenCalls') ? withOpenCallsClosed(drafts) : drafts;
  return withoutFillers(withoutLoneThinking(withoutBlanks(withoutUnanswered(closed), rules)));
}

export function isThinking(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** The id in the block. A call without an id is answered by a result without one. */
export type CallId = JsonValue | undefined;

export function callIds(blocks: readonly WireBlock[]): CallId[] {
  return blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
}

export function resultFor(id: CallId, content: string): WireBlock {
  return { type: 'tool_result', ...(id === undefined ? {} : { tool_use_id: id }), content, is_error: true };
}

export function hasResult(draft: { readonly content: readonly WireBlock[] }): boolean {
  return draft.content.some((block) => block.type === 'tool_result');
}

/** Rules 30 and R11: open calls at the end get a result that says they were interrupted. */
export function withOpenCallsClosed(drafts: readonly Draft[]): Draft[] {
  const spoken = drafts.filter((draft) => draft.source === 'message' && !isIdle(draft));
  const answered = answeredIds(drafts);
  const open = openAtEnd(spoken, answered);
  if (open.length === 0) return [...drafts];
  const results = open.map((id) => resultFor(id, texts.interrupted));
  return [...drafts, { ...madeDraft('user', results), source: 'message' }];
}

/**
 * The open calls of the last message. If it has any and only calls follow the last result, or if a result is the end,
 * the open calls of all messages after the last prompt.
 */
function openAtEnd(spoken: readonly Draft[], answered: ReadonlySet<CallId>): readonly CallId[] {
  const last = spoken.at(-1);
  if (last === undefined || last.isApiError) return [];
  const stretch = spoken.slice(spoken.findLastIndex((draft) => !isAssistantOrResult(draft)) + 1);
  const openIn = (lines: readonly Draft[]): readonly CallId[] =>
    lines
      .flatMap((draft) => (draft.role === 'assistant' ? callIds(draft.content) : []))
      .filter((id) => !answered.has(id));
  if (hasResult(last)) return openIn(stretch);
  const open = openIn(lastMessage(stretch));
  const lastResult = stretch.findLastIndex(hasResult);
  const isCallsAlone =
    lastResult >= 0 && stretch.slice(lastResult + 1).every(({ content }) => callIds(content).length > 0);
  return open.length > 0 && isCallsAlone ? openIn(stretch) : open;
}

/** Lines join the first line of their message, so the last message is the one that starts last. */
function lastMessage(lines: readonly Draft[]): readonly Draft[] {
  const started = new Set<string>();
  let start: Draft | undefined;
  for (const line of lines.filter(({ role }) => role === 'assistant')) {
    if (line.id !== undefined && started.has(line.id)) continue;
    if (line.id !== undefined) started.add(line.id);
    start = line;
  }
  return lines.filter((line) => line === start || (line.id !== undefined && line.id === start?.id));
}

/** Rule 31: an assistant line is dropped if none of its calls has a result. */
export function withoutUnanswered(drafts: readonly Draft[]): Draft[] {
  const answered = answeredIds(drafts);
  return drafts.filter((draft) => {
    const calls = draft.role === 'assistant' ? callIds(draft.content) : [];
    return calls.length === 0 || calls.some((id) => answered.has(id));
  });
}

/** Rule 33 drops lines of white space, messages with only thinking, and messages with only "(no content)". */
export function withoutBlanks(drafts: readonly Draft[], rules: ClientRules = currentRules): Draft[] {
  if (rules.has('dropsBlankLines')) return drafts.filter((draft) => !isBlank(draft));
  // An empty text is kept next to other blocks of the answer; white space is not.
  const speaking = idsOf(drafts.filter((draft) => draft.role === 'assistant' && !isIdle(draft)));
  const isKept = ({ id, content }: Draft): boolean =>
    id !== undefined && speaking.has(id) && content.every((block) => block.text === '');
  return drafts.filter((draft) => !isBlank(draft) || isKept(draft));
}

export function withoutLoneThinking(drafts: readonly Draft[]): Draft[] {
  const speaking = idsOf(
    drafts.filter((draft) => draft.role === 'assistant' && draft.content.length > 0 && !isOnlyThinking(draft)),
  );
  return drafts.filter((draft) => !isOnlyThinking(draft) || (draft.id !== undefined && speaking.has(draft.id)));
}

export function withoutFillers(drafts: readonly Draft[]): Draft[] {
  const answering = idsOf(drafts.filter((draft) => !isFiller(draft) && !isOnlyThinking(draft)));
  const kept = drafts.filter((draft) => !isFiller(draft) || (draft.id !== undefined && answering.has(draft.id)));
  return withoutLoneThinking(kept);
}

function idsOf(drafts: readonly Draft[]): ReadonlySet<string | undefined> {
  return new Set(drafts.map((draft) => draft.id));
}

function answeredIds(drafts: readonly Draft[]): ReadonlySet<CallId> {
  const results = drafts.flatMap((draft) =>
    draft.role === 'user' ? draft.content.filter((block) => block.type === 'tool_result') : [],
  );
  return new Set(results.map((block) => block.tool_use_id));
}

function isAssistantOrResult(draft: Draft): boolean {
  return draft.role === 'assistant' || hasResult(draft);
}

function isIdle(draft: Draft): boolean {
  return isBlank(draft) || isFiller(draft) || isOnlyThinking(draft);
}

function everyBlock(draft: Draft, test: (block: WireBlock) => boolean): boolean {
  return draft.role === 'assistant' && draft.content.length > 0 && draft.content.every(test);
}

function isBlank(draft: Draft): boolean {
  return everyBlock(draft, isBlankText);
}

export function isBlankText(block: WireBlock): boolean {
  return block.type === 'text' && (asString(block.text) ?? '').trim() === '';
}

function isFiller(draft: Draft): boolean {
  return everyBlock(draft, (block) => block.type === 'text' && block.text === texts.noContent);
}

/** R10: blank text next to thinking does not count. */
function isOnlyThinking(draft: Draft): boolean {
  return draft.content.some(isThinking) && everyBlock(draft, (block) => isThinking(block) || isBlankText(block));
}
