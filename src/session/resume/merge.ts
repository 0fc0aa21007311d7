// Drafts → messages: attachments move to their places, lines of one assistant message become one, neighbouring user
// lines become one. (RESUME rules 50–56.)
import { asString, isArray, isObject, type JsonValue } from '../../base/json.ts';
import type { Draft, WireBlock } from './draft.ts';
import { hasResult, isThinking } from './filter.ts';
import { isReminder } from './tail.ts';

export function mergeDrafts(drafts: readonly Draft[]): Draft[] {
  const sent = moveAttachmentsUp(drafts).filter(
    (draft) => !draft.isApiError && !(draft.source === 'attachment' && draft.content.length === 0),
  );
  const merged: Draft[] = [];
  for (const draft of sent) {
    if (draft.role === 'assistant') addAssistant(merged, draft);
    else addUser(merged, draft);
  }
  return merged;
}

/** Rule 50: past user lines, to just behind the assistant line, API error or result before them. */
export function moveAttachmentsUp(drafts: readonly Draft[]): Draft[] {
  const moved: Draft[] = [];
  for (const draft of drafts) {
    if (draft.source !== 'attachment') {
      moved.push(draft);
      continue;
    }
    let at = moved.length;
    while (at > 0 && isPassedOver(moved[at - 1])) at--;
    while (moved[at]?.source === 'attachment') at++;
    moved.splice(at, 0, draft);
  }
  return moved;
}

function isPassedOver(draft: Draft | undefined): boolean {
  return draft?.source === 'attachment' || (draft?.role === 'user' && !hasResult(draft));
}

/** Rules 52 and 53: to the message of the same id, looking back over results and other answers, not over a prompt. */
function addAssistant(merged: Draft[], draft: Draft): void {
  for (let i = merged.length - 1; i >= 0 && draft.id !== undefined; i--) {
    const earlier = merged[i] as Draft; // i is in range
    if (earlier.role === 'user') {
      if (!hasResult(earlier)) break;
    } else if (earlier.id === draft.id) {
      merged[i] = { ...earlier, content: [...earlier.content, ...draft.content] };
      return;
    }
  }
  merged.push(draft);
}

function addUser(merged: Draft[], draft: Draft): void {
  const last = merged.at(-1);
  if (last?.role !== 'user') {
    merged.push(draft);
    return;
  }
  const content =
    draft.source === 'attachment' && last.content.at(-1)?.type === 'tool_result'
      ? foldIntoResult(last.content, draft.content)
      : joinUserContent(last.content, draft);
  merged[merged.length - 1] = { ...last, content, isBareString: false };
}

/** Rule 54: two texts that meet get a newline between them, and results stand first. */
function joinUserContent(left: readonly WireBlock[], draft: Draft): readonly WireBlock[] {
  const last = left.at(-1);
  const meets = last?.type === 'text' && draft.content[0]?.type === 'text' && draft.source !== 'attachment';
  const all = meets ? [...left.slice(0, -1), withNewline(last), ...draft.content] : [...left, ...draft.content];
  const isResult = (block: WireBlock) => block.type === 'tool_result';
  return [...all.filter(isResult), ...all.filter((block) => !isResult(block))];
}

/** Rule 55: a reminder right behind a result becomes part of it. */
function foldIntoResult(left: readonly WireBlock[], reminders: readonly WireBlock[]): readonly WireBlock[] {
  const last = left.at(-1) as WireBlock; // the caller has seen that it is a result
  let content = last.content;
  for (const block of reminders) if (!isReminder(block)) content = fold(content, block);
  return [...left.slice(0, -1), { ...last, ...(content === undefined ? {} : { content }) }];
}

function fold(content: JsonValue | undefined, block: WireBlock): JsonValue {
  if (typeof content === 'string') return `${content}\n\n${asString(block.text) ?? ''}`;
  const items = isArray(content) ? content : [];
  const last = items.at(-1);
  if (!isObject(last)) return [...items, block];
  return [...items.slice(0, -1), last.type === 'text' ? withNewline(last) : last, block];
}

function withNewline(block: WireBlock): WireBlock {
  return { ...block, text: `${asString(block.text) ?? ''}\n` };
}

/** Rule 56: calls stand last, unless that would bring two thinking blocks together that only calls keep apart. */
export function callsLast(content: readonly WireBlock[]): readonly WireBlock[] {
  const isCall = (block: WireBlock | undefined) => block?.type === 'tool_use';
  for (const [i, block] of content.entries()) {
    if (!isThinking(block) || !isCall(content[i + 1])) continue;
    let next = i + 1;
    while (isCall(content[next])) next++;
    const behind = content[next];
    if (behind !== undefined && isThinking(behind)) return content;
  }
  return [...content.filter((block) => !isCall(block)), ...content.filter(isCall)];
}
