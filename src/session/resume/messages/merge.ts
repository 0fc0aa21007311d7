// Drafts → messages: attachments move to their places, and the lines of an assistant message or adjacent user lines are
// merged. (RESUME rules 50–56.)
import { asString, isArray, isObject, type JsonValue } from '../../../base/json/json.ts';
import { type ClientRules, currentRules } from '../client/client-rules.ts';
import { type Draft, isOwnReminder, type WireBlock } from './draft.ts';
import { hasResult, isBlankText, isThinking } from './filter.ts';

export function mergeDrafts(drafts: readonly Draft[], rules: ClientRules = currentRules): Draft[] {
  const merging: Merging = { rules, messages: [], lastOfId: new Map(), prompts: [] };
  for (const draft of moveAttachmentsUp(drafts)) {
    if (draft.isApiError || (draft.role === 'user' && draft.content.length === 0)) continue;
    if (draft.role === 'assistant') addAssistant(merging, draft);
    else addUser(merging, draft);
  }
  return merging.messages.map((message) => ({
    ...message.first,
    content: contentOf(message, rules),
    isBareString: message.first.isBareString && message.drafts.length === 1,
    lines: message.drafts.flatMap(({ lines }) => lines),
  }));
}

/** White space is sent only in an answer of one line. */
function contentOf({ first, drafts, isJoined, results, blocks }: Growing, rules: ClientRules): readonly WireBlock[] {
  if (first.role === 'user') return isJoined ? [...results, ...blocks] : blocks;
  return drafts.length > 1 && rules.has('dropsBlankLines') ? blocks.filter((block) => !isBlankText(block)) : blocks;
}

/** Rule 50: over user lines, to directly after the assistant line, API error or result before them. */
export function moveAttachmentsUp(drafts: readonly Draft[]): Draft[] {
  const moved: Draft[] = [];
  let passed: Draft[] = [];
  for (const draft of drafts) {
    if (draft.source === 'attachment') moved.push(draft);
    else if (draft.role === 'user' && !hasResult(draft)) passed.push(draft);
    else {
      moved.push(...passed, draft);
      passed = [];
    }
  }
  return [...moved, ...passed];
}

interface Merging {
  readonly rules: ClientRules;
  readonly messages: Growing[];
  /** The place of the last message with this id. */
  readonly lastOfId: Map<string, number>;
  /** The places of the prompts, which merging does not cross: user messages with more than attachments, no result. */
  readonly prompts: number[];
}

/** A message under construction. */
interface Growing {
  readonly first: Draft;
  readonly drafts: Draft[];
  /** Set for more than one user line: then results are separate, because they come first. */
  isJoined: boolean;
  hasResult: boolean;
  readonly results: WireBlock[];
  readonly blocks: WireBlock[];
}

function startMessage({ messages }: Merging, first: Draft): void {
  const blocks = [...first.content];
  messages.push({ first, drafts: [first], isJoined: false, hasResult: hasResult(first), results: [], blocks });
}

/** Rules 52 and 53: merges into the message of the same id, across results, notes and answers, but not a prompt. */
function addAssistant(merging: Merging, draft: Draft): void {
  const { messages, lastOfId, prompts } = merging;
  const at = draft.id === undefined ? undefined : lastOfId.get(draft.id);
  if (at !== undefined && at > (prompts.at(-1) ?? -1)) {
    messages[at]?.blocks.push(...draft.content);
    messages[at]?.drafts.push(draft);
    return;
  }
  if (draft.id !== undefined) lastOfId.set(draft.id, messages.length);
  startMessage(merging, draft);
}

function addUser(merging: Merging, draft: Draft): void {
  const { messages, prompts, rules } = merging;
  const last = messages.at(-1);
  if (last?.first.role !== 'user' || isNextText(last, draft)) {
    startMessage(merging, draft);
    if (isPrompt(draft)) prompts.push(messages.length - 1);
    return;
  }
  last.drafts.push(draft);
  const isFolded = draft.source === 'attachment' && endOf(last)?.type === 'tool_result';
  // R6: an image is user content, not part of a reminder.
  if (isFolded && draft.content.every((block) => block.type === 'text')) foldIntoResult(last, draft.content);
  else joinUserLine(last, draft, rules);
  const isKnownPrompt = prompts.at(-1) === messages.length - 1;
  if (hasResult(draft)) {
    last.hasResult = true;
    if (isKnownPrompt) prompts.pop();
  } else if (isPrompt(draft) && !last.hasResult && !isKnownPrompt) prompts.push(messages.length - 1);
}

function isPrompt(draft: Draft): boolean {
  return draft.source !== 'attachment' && !hasResult(draft);
}

/** Texts of an attachment that do not join a user message become separate messages. */
function isNextText({ first, drafts }: Growing, draft: Draft): boolean {
  return (
    draft.source === 'attachment' && drafts.length === 1 && first.lines[0] === draft.lines[0] && draft.lines.length > 0
  );
}

/** Rule 54: adjacent texts get a newline between them, and results come first. */
function joinUserLine(message: Growing, draft: Draft, rules: ClientRules): void {
  const end = endOf(message);
  const meets = end?.type === 'text' && draft.content[0]?.type === 'text' && draft.source !== 'attachment';
  if (meets && rules.has('joinsWithNewline')) replaceEnd(message, withNewline(end));
  const added = message.isJoined ? draft.content : [...message.blocks.splice(0), ...draft.content];
  message.isJoined = true;
  for (const block of added) (block.type === 'tool_result' ? message.results : message.blocks).push(block);
}

function endOf({ blocks, results }: Growing): WireBlock | undefined {
  return blocks.at(-1) ?? results.at(-1);
}

function replaceEnd({ blocks, results }: Growing, end: WireBlock): void {
  const list = blocks.length > 0 ? blocks : results;
  list[list.length - 1] = end;
}

/** Rule 55: a reminder directly after a result becomes part of it. */
function foldIntoResult(message: Growing, reminders: readonly WireBlock[]): void {
  const end = endOf(message) as WireBlock; // the caller has seen that it is a result
  let content = end.content;
  for (const block of reminders) if (!isOwnReminder(block)) content = fold(content, block);
  replaceEnd(message, { ...end, ...(content === undefined ? {} : { content }) });
}

function fold(content: JsonValue | undefined, block: WireBlock): JsonValue {
  const text = asString(block.text) ?? '';
  if (typeof content === 'string') return content === '' ? text : `${content}\n\n${text}`;
  const items = isArray(content) ? content : [];
  const last = items.at(-1);
  if (!isObject(last)) return [...items, block];
  return [...items.slice(0, -1), last.type === 'text' ? withNewline(last) : last, block];
}

function withNewline(block: WireBlock): WireBlock {
  return { ...block, text: `${asString(block.text) ?? ''}\n` };
}

/** Rule 56: calls come last, unless only calls separate two thinking blocks. */
export function callsLast(content: readonly WireBlock[]): readonly WireBlock[] {
  const isCall = (block: WireBlock | undefined) => block?.type === 'tool_use';
  for (const [i, block] of content.entries()) {
    if (!isThinking(block) || !isCall(content[i + 1])) continue;
    let next = i + 1;
    while (isCall(content[next])) next++;
    const following = content[next];
    if (following !== undefined && isThinking(following)) return content;
  }
  return [...content.filter((block) => !isCall(block)), ...content.filter(isCall)];
}
