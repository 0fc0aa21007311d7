// Checks a stripped session: resuming it must send what resuming the source sends, without the stripped parts. Compares the
// sent messages, independently of the edited lines.
import { asString, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import { isThinking, type ResumeMessage, type WireBlock } from '../../session/resume/messages/index.ts';
import { type Node, resultsOf } from '../../session/transcript/index.ts';
import { describeDifference, leanTrace, outlineOf, thinkingKey } from '../request/index.ts';
import { cutMark, imageMark, type StripOptions, toolMatcher } from './strip-options.ts';

export interface StripPromise {
  readonly options: StripOptions;
  readonly calls: ReadonlySet<string>;
  isOpen(node: Node): boolean;
  isOpenRound(node: Node): boolean;
}

/** Room for the note after a shortened text. */
const markChars = 512;

/** Returns the failed checks. */
export function checkStripped(before: Session, after: Session, promise: StripPromise): readonly string[] {
  const { truncateResults = 0, truncateInputs = 0 } = promise.options;
  const startChars = Math.max(truncateResults, truncateInputs) + markChars;
  const source = leanTrace(before, startChars);
  const result = leanTrace(after, startChars);
  if ('refused' in source) return [];
  if ('refused' in result) return [`Claude Code would refuse the result: ${result.refused}`];
  const loose = looseThinking(source.messages, promise.calls);
  const isOtherModel = source.model !== result.model;
  const skipsThinking = (block: WireBlock): boolean =>
    isThinking(block) && (isOtherModel || loose.has(thinkingKey(block) ?? ''));
  const forms = formsOf(before, promise);
  const expected = outlineOf(source.messages, {
    forms,
    skips: (block, message) => skipsThinking(block) || isTakenOut(block, message, promise),
  });
  const actual = outlineOf(result.messages, { forms, skips: skipsThinking });
  const difference = describeDifference(expected, actual);
  return [
    ...(difference === undefined ? [] : [`resuming would not send the rest unchanged: ${difference}`]),
    ...alteredThinking(source.messages, result.messages),
  ];
}

export function isTakenOut(
  block: WireBlock,
  message: ResumeMessage,
  { options, calls, isOpen, isOpenRound }: StripPromise,
): boolean {
  if (block.type === 'tool_use') return calls.has(asString(block.id) ?? '');
  if (block.type === 'tool_result') return calls.has(asString(block.tool_use_id) ?? '');
  if (!message.lines.every(isOpen)) return false;
  if (isThinking(block)) return options.thinking === true && !message.lines.some(isOpenRound);
  return options.tools !== undefined && servedCalls(message, options.tools).has(block.id ?? block.tool_use_id ?? null);
}

function servedCalls({ content }: ResumeMessage, tools: readonly string[]): ReadonlySet<JsonValue> {
  const isMatch = toolMatcher(tools);
  const calls = content.filter(({ type }) => type === 'server_tool_use' || type === 'mcp_tool_use');
  return new Set(calls.flatMap(({ id, name }) => (id !== undefined && isMatch(asString(name) ?? '') ? [id] : [])));
}

/** Thinking of messages that lose a call may be removed with it. */
function looseThinking(messages: readonly ResumeMessage[], calls: ReadonlySet<string>): ReadonlySet<string> {
  const losing = messages.filter(({ content }) =>
    content.some(({ type, id }) => type === 'tool_use' && calls.has(asString(id) ?? '')),
  );
  return new Set(losing.flatMap(({ content }) => content.flatMap((block) => thinkingKey(block) ?? [])));
}

function alteredThinking(before: readonly ResumeMessage[], after: readonly ResumeMessage[]): string[] {
  const known = new Set(before.flatMap(({ content }) => content.map(thinkingKey)));
  const isAltered = after.some(({ content }) =>
    content.some((block) => isThinking(block) && !known.has(thinkingKey(block))),
  );
  return isAltered && before.some(({ content }) => content.some(isThinking))
    ? ['a thinking block would be altered']
    : [];
}

/** Shortened texts are compared by their rest, images by their presence. */
function formsOf(before: Session, { options, isOpen }: StripPromise): (block: WireBlock) => WireBlock {
  const { truncateResults, truncateInputs, images } = options;
  const cut = new Set<string>();
  for (const node of before.transcript.nodes)
    if (isOpen(node)) for (const { toolUseId } of resultsOf(node)) cut.add(toolUseId);
  return (block) => {
    let form = images === true ? withImagesNamed(block) : block;
    if (truncateResults !== undefined && form.type === 'tool_result' && cut.has(asString(form.tool_use_id) ?? ''))
      form = { ...form, content: cutResult(form.content, truncateResults) };
    if (truncateInputs !== undefined && form.type === 'tool_use')
      form = { ...form, input: cutTexts(form.input, truncateInputs) };
    return form;
  };
}

function cutResult(content: JsonValue | undefined, keepChars: number): JsonValue {
  if (typeof content === 'string') return content.replace(cutMark, '').slice(0, Math.max(0, keepChars - 1));
  const items = isArray(content) ? content : [];
  const isText = (item: JsonValue) => isObject(item) && item.type === 'text';
  const text = items.map((item) =>
    isObject(item) && isText(item) ? (asString(item.text) ?? '').replace(cutMark, '') : '',
  );
  return [text.join('').slice(0, Math.max(0, keepChars - 1)), ...items.filter((item) => !isText(item))];
}

function cutTexts(value: JsonValue | undefined, keepChars: number): JsonValue {
  if (typeof value === 'string') return value.replace(cutMark, '').slice(0, Math.max(0, keepChars - 1));
  if (isArray(value)) return value.map((item) => cutTexts(item, keepChars));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutTexts(inner, keepChars)]));
}

function withImagesNamed(block: WireBlock): WireBlock {
  if (block.type === 'image' || (block.type === 'text' && asString(block.text)?.startsWith(imageMark)))
    return { type: 'image' };
  if (block.type !== 'tool_result' || !isArray(block.content)) return block;
  return { ...block, content: block.content.map((item) => (isObject(item) ? withImagesNamed(item) : item)) };
}
