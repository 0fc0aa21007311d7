// Drafts → messages: attachments move to their places, and the lines of an assistant message or adjacent user lines are
// merged. (RESUME rules 50–56.)
import { asString, isArray, isObject, type JsonValue } from '../../../base/json/index.ts';
import { type ClientRules, currentRules, texts } from '../client/index.ts';
import { type Draft, isOwnReminder, madeDraft, ownReminder, textBlock, type WireBlock } from './draft.ts';
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
  let { content } = end;
  for (const block of reminders) if (!isOwnReminder(block)) content = fold(content, block);
  replaceEnd(message, { ...end, ...(content === undefined ? {} : { content }) });
}

function fold(content: JsonValue | undefined, block: WireBlock): JsonValue {
  const text = asString(block.text) ?? '';
  // The client trims a result that is one text.
  if (typeof content === 'string') return content.trim() === '' ? text : `${content.trim()}\n\n${text}`;
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

/** Rule 35: a conversation that ends with the user gets an answer, so that the prompt is a separate message. */
export function withAnsweredEnd(ended: readonly Draft[], rules: ClientRules = currentRules): Draft[] {
  const drafts = rules.has('closesOpenCalls') ? ended : withOpenTurnContinued(ended, rules);
  const lastMessage = drafts.findLastIndex((draft) => draft.source === 'message');
  const end = lastMessage < 0 ? drafts.length - 1 : lastMessage;
  const last = drafts[end];
  if (last === undefined || last.source === 'local-command') return [...drafts];
  if (last.role === 'user' ? endsInCommand(drafts, end) || isInterrupted(drafts, end) : !joinsBeforeNote(drafts, end))
    return [...drafts];
  let at = drafts.length;
  while (drafts[at - 1]?.source === 'local-command') at--;
  return [...drafts.slice(0, at), madeDraft('assistant', [textBlock(texts.noResponse)]), ...drafts.slice(at)];
}

/** Older clients: a turn that ended in a result or an attachment gets a text that asks the model to continue. */
function withOpenTurnContinued(drafts: readonly Draft[], rules: ClientRules): readonly Draft[] {
  const isSaid = ({ source, isApiError }: Draft): boolean => source === 'message' && !isApiError;
  const last = drafts.findLast((draft) => isSaid(draft) || draft.source === 'attachment');
  const said = drafts.findLast(isSaid);
  const isOpen =
    last?.source !== 'attachment'
      ? last?.role === 'user' && hasResult(last)
      : !rules.has('looksPastAttachments') || (said?.role === 'user' && !interruptions.has(firstText(said)));
  return isOpen ? [...drafts, { ...madeDraft('user', [textBlock(texts.goOn)]), source: 'message' }] : drafts;
}

/** Rule 37: not if the end is the output of a command that the user ran outside the conversation. */
function endsInCommand(drafts: readonly Draft[], end: number): boolean {
  let i = end;
  while (i >= 0 && drafts[i]?.role === 'user' && commandStart.test(firstText(drafts[i]))) i--;
  const before = drafts[i];
  return before?.isMeta === true && firstText(before).startsWith('<local-command-caveat>');
}

/** R8: not if the end is an interruption mark with an attachment below it. */
function isInterrupted(drafts: readonly Draft[], end: number): boolean {
  return interruptions.has(firstText(drafts[end])) && drafts[end + 1]?.source === 'attachment';
}

const interruptions: ReadonlySet<string> = new Set([
  '[Request interrupted by user]',
  '[Request interrupted by user for tool use]',
]);

/** Whether the last line joins a message before a result with an attachment; then the result is the end. */
function joinsBeforeNote(drafts: readonly Draft[], end: number): boolean {
  const id = drafts[end]?.id;
  if (id === undefined) return false;
  const start = drafts.findLastIndex((draft, i) => i < end && draft.id !== id && draft.role === 'assistant') + 1;
  const between = drafts.slice(start, end);
  const result = between.findLastIndex(hasResult);
  const isJoined = result >= 0 && between.slice(0, result).some((draft) => draft.id === id);
  return isJoined && between.slice(result + 1).some((draft) => draft.source === 'attachment');
}

const commandStart = /^<(local-command-stdout|local-command-stderr|command-name|command-message)>/;

function firstText(draft: Draft | undefined): string {
  const block = draft?.content[0];
  return block?.type === 'text' ? (asString(block.text) ?? '') : '';
}

/** Rules 51 and 68: the prompt and then the client's reminders, which `moveAttachmentsUp` places. */
export function withPrompt(drafts: readonly Draft[], prompt: string, hasReminders: boolean): Draft[] {
  const asked = [...drafts, madeDraft('user', [textBlock(prompt)])];
  if (!hasReminders) return asked;
  return [...asked, { ...madeDraft('user', [ownReminder]), source: 'attachment' }];
}
