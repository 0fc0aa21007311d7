// The input and output of a generation as messages in OpenAI's chat format, which Langfuse and Phoenix show as a
// conversation. The content mode applies; every text is redacted and cut.
import { asString, isArray, isObject } from '../../base/json/index.ts';
import {
  type ContentRules,
  defaultMaxChars,
  type GenerationDetail,
  type GenerationResult,
  type ImagePlaceholder,
  isAllowed,
  jsonContent,
  textContent,
} from '../span/index.ts';
import { originOf } from './profile.ts';

export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ChatCall[];
}

interface ChatCall {
  readonly id: string;
  readonly type: 'function';
  /** `arguments` is JSON in a string; without tool content it is left out. */
  readonly function: { readonly name: string; readonly arguments?: string };
}

/** The prompt in the first generation of a turn, and the tool results since the previous generation. */
export function inputMessages(detail: GenerationDetail, rules: ContentRules): readonly ChatMessage[] {
  const { input, images, results } = detail;
  const hasPrompt = input !== undefined && isAllowed(originOf(detail), rules.mode);
  const prompt: readonly ChatMessage[] = hasPrompt ? [{ role: 'user', content: withImages(input, images) }] : [];
  return [...prompt, ...toolMessages(results, rules)];
}

function toolMessages(results: readonly GenerationResult[], rules: ContentRules): readonly ChatMessage[] {
  return resultTexts(results, rules).map(([id, content]) => ({ role: 'tool', tool_call_id: id, content }));
}

/** The results as texts by the id of their call. They share the limit of one text, so that none is lost. */
export function resultTexts(
  results: readonly GenerationResult[],
  rules: ContentRules,
): readonly (readonly [toolUseId: string, text: string])[] {
  const maxChars = Math.ceil((rules.maxChars ?? defaultMaxChars) / Math.max(1, results.length));
  return results.flatMap(({ toolUseId, content }) => {
    const text = resultText(content, { ...rules, maxChars });
    return text === undefined ? [] : [[toolUseId, text] as const];
  });
}

function resultText(content: unknown, rules: ContentRules): string | undefined {
  if (content === undefined || content === null) return textContent('', 'tool', rules);
  const texts = isArray(content) ? content.map((block) => (isObject(block) ? asString(block.text) : undefined)) : [];
  if (texts.length > 0 && texts.every((text) => text !== undefined))
    return textContent(texts.join('\n'), 'tool', rules);
  return typeof content === 'string' ? textContent(content, 'tool', rules) : jsonContent(content, 'tool', rules);
}

/** The reply with its tool calls; `undefined` if the mode excludes it. */
export function outputMessage(detail: GenerationDetail, rules: ContentRules): ChatMessage | undefined {
  if (!isAllowed(originOf(detail), rules.mode)) return undefined;
  const reply = { role: 'assistant', content: detail.output } as const;
  return detail.toolCalls.length === 0 ? reply : { ...reply, tool_calls: chatCalls(detail, rules) };
}

function chatCalls({ toolCalls }: GenerationDetail, rules: ContentRules): readonly ChatCall[] {
  return toolCalls.map(({ id, name, input }) => {
    const text = jsonContent(input ?? {}, 'tool', rules);
    return { id, type: 'function', function: { name, ...(text === undefined ? {} : { arguments: text }) } };
  });
}

export function withImages(text: string, images: readonly ImagePlaceholder[]): unknown {
  return images.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text', text }]), ...images];
}
