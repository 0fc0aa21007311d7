// One turn → its lines in the terminal: the prompt, the answers as Markdown, the calls, and marks where prompts were
// typed in between, the history was compacted, or a branch leaves.

import { formatCount } from '../base/human.ts';
import { oneLine } from '../base/terminal-text.ts';
import { isImage, isText, isThinking, isToolUse } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import type { Node } from '../session/node.ts';
import { promptText } from '../session/prompt-text.ts';
import { deliveredAt, type QueuedPrompt, typedDuring } from '../session/queue.ts';
import { readEntry } from '../session/session.ts';
import { type ToolCall, toolCallsOf } from '../session/tool-calls.ts';
import { turnUsage } from '../session/turn-usage.ts';
import type { Turn } from '../session/turns.ts';
import { renderCall } from './show-call.ts';
import type { Fork, ShowContext } from './show-context.ts';
import { renderNote } from './show-note.ts';
import { renderMarkdown } from './terminal/markdown.ts';
import { barred, hanging, quoted, rule } from './terminal-lines.ts';
import { counted, localTime, usageText } from './wording.ts';

export async function* renderTurn(context: ShowContext, turn: Turn): AsyncGenerator<string> {
  const calls = callsById(context, turn);
  const typed = [...typedDuring(context.queued, turn.nodes)];
  yield `${turnRule(context, turn)}\n`;
  for (const node of turn.nodes) {
    while (typed[0] !== undefined && deliveredAt(typed[0]) < node.index) yield typedText(context, typed.shift());
    if (node === turn.prompt) yield promptLines(context, turn, node);
    else yield* renderNode(context, node, calls);
    for (const fork of context.forks.get(node) ?? []) yield forkLines(context, fork);
  }
  for (const prompt of typed) yield typedText(context, prompt);
}

export async function* renderNode(
  context: ShowContext,
  node: Node,
  calls: ReadonlyMap<string, ToolCall>,
): AsyncGenerator<string> {
  if (node.type === 'assistant') yield* renderAnswer(context, node, calls);
  else yield* renderNote(context, node);
}

export function callsById({ session }: ShowContext, turn: Turn): ReadonlyMap<string, ToolCall> {
  return new Map(toolCallsOf(session, turn).map((call) => [call.id, call]));
}

function turnRule({ session, style, width }: ShowContext, turn: Turn): string {
  const usage = turnUsage(session, turn);
  const facts = [
    String(turn.index),
    localTime(turn.nodes[0]?.time ?? Number.NaN),
    usage.messages === 0 ? '' : usageText(usage),
  ];
  const told = facts.filter((fact) => fact !== '');
  return style.muted(rule('─', told, width));
}

function promptLines(context: ShowContext, turn: Turn, prompt: Node): string {
  const blocks = contentOf(readEntry(context.session, prompt));
  const images = blocks.filter(isImage).length;
  const notes = [
    ...(images === 0 ? [] : [`[${images === 1 ? 'image' : counted(images, 'image')}]`]),
    ...(turn.promptKind === 'queued' ? ['(typed while it worked)'] : []),
  ];
  const text = promptText(blocks).trim();
  const lines = text === '' && notes.length > 0 ? [] : [quoted(text, '❯', context)];
  return [...lines, ...notes.map((note) => context.style.muted(`  ${note}`)), ''].join('\n');
}

async function* renderAnswer(
  context: ShowContext,
  node: Node,
  calls: ReadonlyMap<string, ToolCall>,
): AsyncGenerator<string> {
  const { session, style, width, full } = context;
  for (const block of contentOf(readEntry(session, node))) {
    if (isText(block)) yield answerText(context, node, block.text);
    else if (isThinking(block)) {
      const text = block.type === 'thinking' ? block.thinking : '';
      if (full && text !== '') yield `\n${barred(text, '┊ ', style.muted, width)}\n`;
      else yield `${style.muted(thinkingText(text))}\n`;
    } else if (isToolUse(block)) {
      const call = calls.get(block.id);
      if (call?.node === node) yield* renderCall(context, call, block.input);
    } else yield `${style.muted(`[${oneLine(String(block.type ?? 'unknown block'), width - 2)}]`)}\n`;
  }
}

function answerText({ style, width }: ShowContext, node: Node, text: string): string {
  if (text.trim() === '') return '';
  if (node.isApiError) return `\n${hanging(text, { mark: '✗', width, paintMark: style.error, paint: style.error })}\n`;
  // The client's own filler, such as "No response requested.", was said by nobody.
  if (node.message?.model === '<synthetic>') return `${style.muted(`· ${oneLine(text, width - 2)}`)}\n`;
  return `\n${renderMarkdown(text, { width, style })}\n`;
}

function thinkingText(text: string): string {
  return text === '' ? '┊ thought (not readable)' : `┊ thought, ${formatCount(text.length)} characters`;
}

function typedText(context: ShowContext, prompt: QueuedPrompt | undefined): string {
  if (prompt === undefined) return '';
  return `\n${quoted(prompt.text, '❯', context)}\n${context.style.muted('  (typed while it worked)')}\n`;
}

function forkLines({ style, width }: ShowContext, { number, turns, isReplay }: Fork): string {
  const what = isReplay
    ? 'the same history stands here again'
    : `another branch leaves here, ${counted(turns, 'turn')}`;
  const text = `${what}: --branch ${number}`;
  return `${hanging(text, { mark: '⑂', width, paintMark: style.accent, paint: style.accent })}\n`;
}
