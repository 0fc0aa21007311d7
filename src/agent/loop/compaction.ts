// When to compact a conversation, how to ask the model for a summary, and the text that replaces the history. Pure
// functions.

import { randomUUID } from 'node:crypto';
import { isPromptTooLong, type ModelRequest } from '../../api/client/index.ts';
import { estimateTextTokens } from '../../api/request/index.ts';
import { isArray, type JsonObject } from '../../base/json/index.ts';
import { blocksOf, textOf } from '../../format/entry/index.ts';
import { typedPrompts, withoutThinking } from '../session/index.ts';
import type { AgentContext } from './context.ts';
import { collectAnswer, makeRequest } from './request.ts';

type Messages = ModelRequest['messages'];

/** Reserved for the summary and one more answer. */
const reserveTokens = 33_000;
const reserveShare = 0.2;
export const summaryTokens = 16_000;

/** `usedTokens`: what the API counted for the last answer, not an estimate. */
export function isCompactionDue(usedTokens: number, windowTokens: number): boolean {
  return usedTokens > 0 && usedTokens >= windowTokens - compactionReserve(windowTokens);
}

/** The part of the window that stays free for the summary. */
export function compactionReserve(windowTokens: number): number {
  return Math.min(reserveTokens, windowTokens * reserveShare);
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
  const { thinking: _, ...request } = base;
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
function readSummary(
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

export interface CompactionWish {
  readonly trigger: 'auto' | 'manual';
  readonly focus?: string;
  /** In the middle of a turn; the summary then asks the model to continue. */
  readonly isTurnOpen: boolean;
}

/** Shares of the context window that the history is cut to; several, because estimates are too low. */
const shares = [undefined, 0.6, 0.3] as const;

/** Resolves to the model's summary; `undefined` if nothing changed. */
export async function compactConversation(
  wish: CompactionWish,
  context: AgentContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { emit } = context;
  const { trigger } = wish;
  const preTokens = context.meter.contextTokens();
  await emit({ type: 'compacting', trigger, preTokens });
  const base = await makeRequest(context);
  const found = await findSummary(base, wish, context, signal);
  if ('problem' in found) {
    await emit({ type: 'compacted', trigger, preTokens, result: found });
    return undefined;
  }
  const summary = summaryText(await typedPrompts(context.session()), found.summary, wish.isTurnOpen);
  const result = { boundaryUuid: randomUUID(), summaryUuid: randomUUID(), summary };
  await emit({ type: 'compacted', trigger, preTokens, result });
  return found.summary;
}

async function findSummary(
  base: ModelRequest,
  { trigger, focus }: CompactionWish,
  context: AgentContext,
  signal: AbortSignal,
): Promise<{ readonly summary: string } | { readonly problem: string }> {
  if (base.messages.length === 0) return { problem: 'there is nothing to summarise yet' };
  const verdict = await context.hooks.run(
    'PreCompact',
    trigger,
    { trigger, custom_instructions: focus ?? null },
    signal,
  );
  const blocked = verdict.blocked ?? verdict.stop;
  if (blocked !== undefined) return { problem: `a hook blocked it: ${blocked}` };
  for (const share of shares) {
    const budget = share === undefined ? undefined : context.meter.windowOf(context.model()) * share;
    const answer = await collectAnswer(summaryRequest(base, focus, budget), context, signal);
    if (answer.kind === 'answered') return readSummary(answer.blocks, answer.stopReason);
    if (answer.kind === 'interrupted') return { problem: 'it was interrupted' };
    if (!isPromptTooLong(answer.failure)) return { problem: answer.failure.message };
  }
  return { problem: 'the history is too long to be summarised; start a new session' };
}
