// When to compact a conversation, how to ask the model for a summary, and the text that replaces the history. Pure
// functions.
import type { ModelRequest } from '../../api/client/model.ts';
import { estimateTextTokens } from '../../api/request/json-size.ts';
import { isArray, type JsonObject } from '../../base/json/json.ts';
import { blocksOf, textOf } from '../../format/entry/block.ts';
import { withoutThinking } from '../session/thinking.ts';

type Messages = ModelRequest['messages'];

/** Reserved for the summary and one more answer. */
const reserveTokens = 33_000;
const reserveShare = 0.2;
export const summaryTokens = 16_000;

/** `usedTokens`: what the API counted for the last answer, not an estimate. */
export function isCompactionDue(usedTokens: number, windowTokens: number): boolean {
  return usedTokens > 0 && usedTokens >= windowTokens - Math.min(reserveTokens, windowTokens * reserveShare);
}

/**
 * Keeps the tools: the API requires them if the history has calls, and the prompt cache stays valid.
 * `budgetTokens` is set after the API found the history too long.
 */
export function summaryRequest(
  base: ModelRequest,
  focus: string | undefined,
  budgetTokens: number = Number.POSITIVE_INFINITY,
): ModelRequest {
  const { thinkingTokens: _, ...request } = base;
  const shorter = fitMessages(base.messages, budgetTokens);
  // The API refuses thinking after text that was cut.
  const { messages } = shorter === base.messages ? base : withoutThinking({ ...base, messages: shorter });
  return { ...request, messages: withQuestion(messages, summaryQuestion(focus)), maxTokens: summaryTokens };
}

export function summaryQuestion(focus: string | undefined): string {
  return [
    'The conversation has become too long and will go on from a summary alone. Write that summary now. Call no tool.',
    'Keep, each where there is something: what was asked for and why; decisions and their reasons; files that were read, changed or made, with what matters of their content; commands that matter and what they showed; errors and how they were solved; what was being done just now; what is still open, in order.',
    'Be exact with names, paths, numbers and quoted wishes of the user. Leave out what no longer matters.',
    ...(focus === undefined || focus.trim() === '' ? [] : [`The user asks to pay attention to: ${focus.trim()}`]),
    'Answer with the summary alone, in Markdown.',
  ].join('\n\n');
}

/** The text of an answer, or why it is not a summary. */
export function readSummary(
  blocks: readonly JsonObject[],
  stopReason: string | null,
): { readonly summary: string } | { readonly problem: string } {
  const summary = textOf(blocksOf(blocks)).trim();
  if (stopReason === 'max_tokens') return { problem: 'the summary was cut off at the output limit' };
  if (stopReason === 'refusal') return { problem: 'the model refused to summarise' };
  if (summary === '') return { problem: `the model gave no summary (${stopReason ?? 'no reason'})` };
  return { summary };
}

/** The text of the summary line: the last prompts of the user word for word, then the model's summary. */
export function summaryText(typed: readonly string[], summary: string, isTurnOpen: boolean): string {
  const prompts = lastPrompts(typed);
  return [
    'This conversation goes on from an earlier part that has become too long. This summary is all that is left of it.',
    ...(prompts.length === 0
      ? []
      : [`## The last things the user said, word for word\n\n${prompts.map((text) => `- ${text}`).join('\n')}`]),
    `## Summary\n\n${summary}`,
    ...(isTurnOpen
      ? [
          'The work was interrupted only by this summary. Go on with the next open step; do not ask again, do not repeat the summary.',
        ]
      : []),
  ].join('\n\n');
}

const keptPrompts = 6;
const keptPromptChars = 2000;

function lastPrompts(typed: readonly string[]): string[] {
  return typed
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(-keptPrompts)
    .map((text) => (text.length > keptPromptChars ? `${[...text].slice(0, keptPromptChars).join('')} […]` : text));
}

/** Appends to the last user message: the API would join two in a row. */
function withQuestion(messages: Messages, question: string): Messages {
  const block = { type: 'text', text: question };
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  const content = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content;
  return [...messages.slice(0, -1), { role: 'user', content: [...content, block] }];
}

/** Shortens tool results first: they are long, and the answers say what they showed. */
export function fitMessages(messages: Messages, budgetTokens: number): Messages {
  if (estimateTextTokens(messages) <= budgetTokens) return messages;
  for (const longest of [4000, 1000, 200]) {
    const shorter = messages.map(({ role, content }) => ({ role, content: shortenResults(content, longest) }));
    if (estimateTextTokens(shorter) <= budgetTokens) return shorter;
  }
  const shortest = messages.map(({ role, content }) => ({ role, content: shortenResults(content, 0) }));
  return dropOldest(shortest, budgetTokens);
}

function shortenResults(content: Messages[number]['content'], longest: number): Messages[number]['content'] {
  if (typeof content === 'string') return content;
  return content.map((block) => {
    if (block.type === 'image' || block.type === 'document') return { type: 'text', text: `[${block.type} left out]` };
    if (block.type !== 'tool_result') return block;
    const text = typeof block.content === 'string' ? block.content : textOf(blocksOf(block.content));
    const hasMore = isArray(block.content) && block.content.length > 0 && text === '';
    if (text.length <= longest && !hasMore) return { ...block, content: text };
    return { ...block, content: `${[...text.slice(0, longest * 2)].slice(0, longest).join('')} [cut for the summary]` };
  });
}

/** Cuts at a message of the user, so that no result loses its call. */
function dropOldest(messages: Messages, budgetTokens: number): Messages {
  let left = messages;
  while (left.length > 1 && estimateTextTokens(left) > budgetTokens) {
    const next = left.findIndex((message, i) => i > 0 && isOwnMessage(message));
    if (next < 0) break;
    left = left.slice(next);
  }
  return left;
}

function isOwnMessage({ role, content }: Messages[number]): boolean {
  return role === 'user' && (typeof content === 'string' || content.every((block) => block.type !== 'tool_result'));
}
