// Drafts → the drafts that a resume sends: calls that never got an answer are closed or dropped, and assistant lines
// that say nothing go. (RESUME rules 30, 31, 33.)
import { asString, type JsonValue } from '../../base/json.ts';
import { texts } from './client.ts';
import { type Draft, madeDraft, type WireBlock } from './draft.ts';

export function filterDrafts(drafts: readonly Draft[]): Draft[] {
  return withoutFillers(withoutLoneThinking(withoutBlanks(withoutUnanswered(withOpenCallsClosed(drafts)))));
}

export function isThinking(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** An id as it stands in the block. Where it is missing, a call without one is answered by a result without one. */
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

/** Rule 30: calls still open at the end get a result that says so. */
export function withOpenCallsClosed(drafts: readonly Draft[]): Draft[] {
  const spoken = drafts.filter((draft) => draft.source === 'message' && !isIdle(draft));
  const last = spoken.at(-1);
  if (last === undefined) return [...drafts];
  let from = spoken.length;
  if (last.role === 'user' && hasResult(last)) {
    while (from > 0 && isAssistantOrResult(spoken[from - 1])) from--;
  } else if (last.role === 'assistant' && !last.isApiError) {
    while (from > 0 && isOfMessage(spoken[from - 1], last)) from--;
  }
  const answered = answeredIds(drafts);
  const open = spoken
    .slice(from)
    .flatMap((draft) => (draft.role === 'assistant' ? callIds(draft.content) : []))
    .filter((id) => !answered.has(id));
  if (open.length === 0) return [...drafts];
  const results = open.map((id) => resultFor(id, texts.interrupted));
  return [...drafts, { ...madeDraft('user', results), source: 'message' }];
}

/** Rule 31: an assistant line none of whose calls has a result goes, with whatever else is on it. */
export function withoutUnanswered(drafts: readonly Draft[]): Draft[] {
  const answered = answeredIds(drafts);
  return drafts.filter((draft) => {
    const calls = draft.role === 'assistant' ? callIds(draft.content) : [];
    return calls.length === 0 || calls.some((id) => answered.has(id));
  });
}

/** Rule 33, in three steps: lines of white space, messages of thinking alone, messages that only say "(no content)". */
export function withoutBlanks(drafts: readonly Draft[]): Draft[] {
  return drafts.filter((draft) => !isBlank(draft));
}

export function withoutLoneThinking(drafts: readonly Draft[]): Draft[] {
  const speaking = idsOf(
    drafts.filter((draft) => draft.role === 'assistant' && draft.content.some((block) => !isThinking(block))),
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

function isAssistantOrResult(draft: Draft | undefined): boolean {
  return draft !== undefined && (draft.role === 'assistant' || hasResult(draft));
}

function isOfMessage(draft: Draft | undefined, message: Draft): boolean {
  if (draft === undefined) return false;
  return draft === message || (message.id !== undefined && draft.id === message.id) || hasResult(draft);
}

function isIdle(draft: Draft): boolean {
  return isBlank(draft) || isFiller(draft) || isOnlyThinking(draft);
}

function everyBlock(draft: Draft, test: (block: WireBlock) => boolean): boolean {
  return draft.role === 'assistant' && draft.content.length > 0 && draft.content.every(test);
}

function isBlank(draft: Draft): boolean {
  return everyBlock(draft, (block) => block.type === 'text' && (asString(block.text) ?? '').trim() === '');
}

function isFiller(draft: Draft): boolean {
  return everyBlock(draft, (block) => block.type === 'text' && block.text === texts.noContent);
}

function isOnlyThinking(draft: Draft): boolean {
  return everyBlock(draft, isThinking);
}
