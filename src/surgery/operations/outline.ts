// Summarizes turns without a model: prompts, answers, files, commands, errors and open todos. Deterministic.
import { asObject, asString, isArray, isObject, type JsonValue } from '../../base/json/json.ts';
import { blocksOf, isText, isToolResult, isToolUse, textOf } from '../../format/entry/block.ts';
import { summariseInput } from '../../session/calls/tool-summary.ts';
import type { Session } from '../../session/load/session.ts';
import { callsOf, type Node } from '../../session/transcript/node.ts';
import { promptText } from '../../session/transcript/prompt-text.ts';
import { findQueuedPrompts } from '../../session/turns/queue.ts';
import { type ToolCall, toolCallsOf } from '../../session/turns/tool-calls.ts';
import type { Turn } from '../../session/turns/turns.ts';

/** The prompts of these turns, verbatim, including those typed while the agent worked. */
export function promptsOf(session: Session, turns: readonly Turn[]): readonly string[] {
  const prompts: { readonly index: number; readonly text: string }[] = [];
  for (const { prompt } of turns) {
    if (prompt !== undefined) prompts.push({ index: prompt.index, text: promptOf(session, prompt) });
  }
  const lines = turns.flatMap(({ nodes }) => nodes.map(({ index }) => index));
  const [from, to] = [lines[0] ?? 0, lines.at(-1) ?? -1];
  for (const queued of findQueuedPrompts(session.transcript.nodes, (node) => session.transcript.read(node))) {
    const { index } = queued.shownBy ?? queued.node;
    if (queued.outcome === 'delivered' && index >= from && index <= to) prompts.push({ index, text: queued.text });
  }
  return prompts.sort((a, b) => a.index - b.index).map(({ text }) => text);
}

function promptOf(session: Session, node: Node): string {
  const blocks = blocksOf(asObject(session.transcript.read(node).message)?.content);
  const images = blocks.filter(({ type }) => type === 'image').length;
  const text = promptText(blocks);
  return images === 0
    ? text
    : `${text}${text === '' ? '' : '\n'}[with ${images === 1 ? 'an image' : `${images} images`}]`;
}

/** Markdown with a section per turn. */
export function outlineTurns(session: Session, turns: readonly Turn[]): string {
  const sections = turns.flatMap((turn) => {
    const lines = outlineTurn(session, turn);
    return lines.length === 0 ? [] : [[`### Turn ${turn.index}`, ...lines].join('\n')];
  });
  const todos = openTodos(session, turns);
  if (todos.length > 0) sections.push(['### Still to do', ...todos.map((todo) => `- ${todo}`)].join('\n'));
  return sections.join('\n\n');
}

function outlineTurn(session: Session, turn: Turn): string[] {
  const calls = toolCallsOf(session, turn);
  const files = new Map<string, Set<string>>();
  for (const { id, name, node } of calls) {
    const file = callsOf(node).find((call) => call.id === id)?.file;
    if (file !== undefined) files.set(file, (files.get(file) ?? new Set()).add(name));
  }
  const answer = finalText(session, turn);
  const failed = calls.filter(({ isError, name }) => isError && name !== 'Bash');
  return [
    ...(answer === '' ? [] : [`Answer: ${firstSentences(answer)}`]),
    ...listed(
      'Files',
      [...files].map(([file, names]) => `${file} (${[...names].join(', ')})`),
    ),
    ...listed(
      'Commands',
      calls.filter(({ name }) => name === 'Bash').map((call) => commandLine(session, call)),
    ),
    ...listed(
      'Errors',
      failed.map((call) => `${call.name}: ${firstLine(resultText(session, call))}`),
    ),
  ];
}

const longestList = 30;

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const more = items.length > longestList ? [`- … and ${items.length - longestList} more`] : [];
  return [`${title}:`, ...items.slice(0, longestList).map((item) => `- ${item}`), ...more];
}

function finalText(session: Session, { nodes }: Turn): string {
  const last = nodes.findLast(
    (node) => node.type === 'assistant' && node.message?.blockTypes.includes('text') === true,
  );
  return last === undefined ? '' : textOf(blocksOf(asObject(session.transcript.read(last).message)?.content)).trim();
}

function firstSentences(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const end = /^.{80,}?[.!?](?=\s)/.exec(line)?.[0] ?? line;
  return shortened(end, 400);
}

function commandLine(session: Session, call: ToolCall): string {
  const command = shortened(firstLine(summariseInput(call.name, inputOf(session, call))), 200);
  if (call.result === undefined) return `\`${command}\` → no result`;
  return `\`${command}\` → ${call.isError ? `failed: ${firstLine(resultText(session, call))}` : 'ok'}`;
}

function inputOf(session: Session, { id, node }: ToolCall): JsonValue | undefined {
  const blocks = blocksOf(asObject(session.transcript.read(node).message)?.content);
  return blocks.filter(isToolUse).find((block) => block.id === id)?.input as JsonValue | undefined;
}

export function resultText(session: Session, { id, result }: ToolCall): string {
  if (result === undefined) return '';
  const blocks = blocksOf(asObject(session.transcript.read(result).message)?.content);
  const content = blocks.filter(isToolResult).find((block) => block.tool_use_id === id)?.content;
  return blocksOf(content)
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

function firstLine(text: string): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', 200);
}

export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

function openTodos(session: Session, turns: readonly Turn[]): string[] {
  const calls = turns.flatMap((turn) => toolCallsOf(session, turn));
  const last = calls.findLast(({ name }) => name === 'TodoWrite');
  const input = last === undefined ? undefined : inputOf(session, last);
  const todos = isObject(input) && isArray(input.todos) ? input.todos.filter(isObject) : [];
  return todos.filter(({ status }) => status !== 'completed').map(({ content }) => firstLine(asString(content) ?? ''));
}
