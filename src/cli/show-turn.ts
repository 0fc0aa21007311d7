// One turn → its lines in the terminal: the prompt, the answers as Markdown, a line for each tool call with its
// outcome and below it the sub-agent it started, and marks where the history was compacted or forks.
import wrapAnsi from 'wrap-ansi';
import { formatCount, formatTokens } from '../base/human.ts';
import type { JsonObject } from '../base/json.ts';
import { neutralise, oneLine } from '../base/terminal-text.ts';
import { type Block, blocksOf, isImage, isText, isThinking, isToolResult, isToolUse, textOf } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import type { AgentSource } from '../session/agents.ts';
import { compactionsOf } from '../session/compaction.ts';
import type { Node } from '../session/node.ts';
import { isBoundary } from '../session/node.ts';
import { commandLine, promptText } from '../session/prompt-text.ts';
import { findQueuedPrompts } from '../session/queue.ts';
import { loadAgent, readEntry, type Session } from '../session/session.ts';
import { type ToolCall, toolCallsOf } from '../session/tool-calls.ts';
import { summariseInput } from '../session/tool-summary.ts';
import { turnUsage } from '../session/turn-usage.ts';
import { type Turn, turnsOf } from '../session/turns.ts';
import { type Fork, localTime, type ShowOptions, usageText } from './show-text.ts';
import { renderMarkdown } from './terminal/markdown.ts';

type Forks = ReadonlyMap<number, readonly Fork[]>;

export async function* renderTurn(
  session: Session,
  turn: Turn,
  forks: Forks,
  options: ShowOptions,
): AsyncGenerator<string> {
  const { style } = options;
  const calls = new Map(toolCallsOf(session, turn).map((call) => [call.id, call]));
  yield `\n${turnRule(session, turn, options)}\n`;
  if (turn.prompt !== undefined) yield `${promptLines(session, turn, turn.prompt, options)}\n`;
  for (const node of turn.nodes) {
    if (node !== turn.prompt) yield* renderNode(session, node, calls, options);
    for (const fork of forks.get(node.index) ?? []) yield `${style.accent(forkText(fork))}\n`;
  }
  for (const queued of deliveredIn(session, turn)) {
    yield `\n${quoted(queued, '❯', options)} ${style.muted('(typed while it worked)')}\n`;
  }
}

function turnRule(session: Session, turn: Turn, { style, width }: ShowOptions): string {
  const label = `── ${turn.index} ── ${localTime(turn.nodes[0]?.time ?? Number.NaN)} ── ${usageText(turnUsage(session, turn))} `;
  return style.muted(`${label}${'─'.repeat(Math.max(0, width - label.length))}`);
}

function promptLines(session: Session, turn: Turn, prompt: Node, options: ShowOptions): string {
  const blocks = contentOf(readEntry(session, prompt));
  const images = blocks.filter(isImage).length;
  const text = promptText(blocks) + (images === 0 ? '' : `\n[${images === 1 ? 'image' : `${images} images`}]`);
  const kind = turn.promptKind === 'queued' ? ` ${options.style.muted('(queued)')}` : '';
  return `${quoted(text.trim(), '❯', options)}${kind}`;
}

/** A text as it was typed, behind a mark, wrapped under itself. */
function quoted(text: string, mark: string, { style, width }: ShowOptions): string {
  const lines = neutralise(text).split('\n');
  const wrapped = lines.flatMap((line) => wrapPlain(line, width - 2));
  return wrapped.map((line, i) => `${i === 0 ? style.accent(mark) : ' '} ${style.bold(line)}`).join('\n');
}

function* renderAnswer(text: string, { style, width }: ShowOptions): Generator<string> {
  if (text.trim() !== '') yield `\n${renderMarkdown(text, { width, style })}\n`;
}

async function* renderNode(
  session: Session,
  node: Node,
  calls: ReadonlyMap<string, ToolCall>,
  options: ShowOptions,
): AsyncGenerator<string> {
  switch (node.type) {
    case 'assistant':
      yield* renderAssistant(session, node, calls, options);
      return;
    case 'user':
      yield* renderUser(session, node, options);
      return;
    case 'system':
      yield* renderSystem(session, node, options);
      return;
    case 'attachment':
      if (options.full) yield `${options.style.muted(`+ ${node.subtype ?? 'attachment'}`)}\n`;
      return;
  }
}

async function* renderAssistant(
  session: Session,
  node: Node,
  calls: ReadonlyMap<string, ToolCall>,
  options: ShowOptions,
): AsyncGenerator<string> {
  const { style, full } = options;
  for (const block of contentOf(readEntry(session, node))) {
    if (isText(block)) {
      if (node.isApiError) yield `\n${style.error(`✗ ${neutralise(block.text)}`)}\n`;
      else yield* renderAnswer(block.text, options);
    } else if (isThinking(block)) {
      const text = block.type === 'thinking' ? block.thinking : '';
      if (full && text !== '') yield `\n${style.muted(indented(neutralise(text), '┊ '))}\n`;
      else yield `${style.muted(thinkingText(text))}\n`;
    } else if (isToolUse(block)) {
      const call = calls.get(block.id);
      if (call?.node === node) yield* renderCall(session, call, block, options);
    } else yield `${style.muted(`[${neutralise(String(block.type ?? 'unknown block'))}]`)}\n`;
  }
}

function thinkingText(text: string): string {
  return text === '' ? '┊ thought (not readable)' : `┊ thought, ${formatCount(text.length)} characters`;
}

async function* renderCall(
  session: Session,
  call: ToolCall,
  block: Block,
  options: ShowOptions,
): AsyncGenerator<string> {
  const { style, width, full } = options;
  const input = (block as JsonObject).input;
  const outcome = outcomeOf(session, call);
  const mark = call.result === undefined ? style.yellow('?') : call.isError ? style.error('✗') : style.ok('✓');
  const room = width - 6 - call.name.length;
  const line = oneLine(summariseInput(call.name, input), Math.max(20, Math.floor(room * 0.7)));
  const rest = oneLine(outcome, Math.max(10, room - line.length - 2));
  yield `${mark} ${style.bold(neutralise(call.name))} ${line}${rest === '' ? '' : style.muted(`  ${rest}`)}\n`;
  if (full) {
    yield `${style.muted(indented(neutralise(JSON.stringify(input ?? null, null, 2)), '  ┊ '))}\n`;
    yield `${indented(neutralise(resultText(session, call)), '  │ ')}\n`;
  }
  const agent = session.agents.find((each) => each.agentId === call.agentId);
  if (agent !== undefined) yield* renderAgent(session, agent, options);
}

/** What came of it, in a few words: the error, the one line it answered, or how much it answered. */
function outcomeOf(session: Session, call: ToolCall): string {
  if (call.result === undefined) return 'no result in the file';
  const text = resultText(session, call).trim();
  const lines = text === '' ? 0 : text.split('\n').length;
  if (call.isError || lines <= 1) return text.split('\n').find((line) => line.trim() !== '') ?? '';
  return `${formatCount(lines)} lines`;
}

function resultText(session: Session, call: ToolCall): string {
  if (call.result === undefined) return '';
  const results = contentOf(readEntry(session, call.result)).filter(isToolResult);
  const blocks = blocksOf(results.find((block) => block.tool_use_id === call.id)?.content);
  const images = blocks.filter(isImage).length;
  return `${textOf(blocks)}${images === 0 ? '' : `[${images === 1 ? 'image' : `${images} images`}]`}`;
}

/** A sub-agent below its call: who it is, and what it did, indented. */
async function* renderAgent(session: Session, agent: AgentSource, options: ShowOptions): AsyncGenerator<string> {
  const { style, width, full } = options;
  const own = await loadAgent(session, agent);
  const turns = turnsOf(own);
  const name = [agent.agentType, agent.agentId].filter(Boolean).join(' ');
  const usage = turns.reduce((sum, turn) => sum + turnUsage(own, turn).outputTokens, 0);
  yield `  ${style.accent('↳')} ${style.bold(oneLine(name, width - 30))} ${style.muted(`${formatTokens(usage)} out`)}\n`;
  const inner = { ...options, width: Math.max(40, width - 4), full };
  for (const turn of turns) {
    const calls = new Map(toolCallsOf(own, turn).map((call) => [call.id, call]));
    for (const node of turn.nodes) {
      if (node === turn.prompt && !full) continue;
      for await (const text of renderNode(own, node, calls, inner)) yield indentChunk(text);
    }
  }
}

function* renderUser(session: Session, node: Node, options: ShowOptions): Generator<string> {
  const { style, full, width } = options;
  if (node.userKind === 'results' || node.userKind === undefined) return;
  const text = textOf(contentOf(readEntry(session, node)));
  switch (node.userKind) {
    case 'interrupt':
      yield `${style.yellow(`■ ${oneLine(text.replace(/^\[|\]$/g, ''), width - 2)}`)}\n`;
      return;
    case 'bash':
    case 'local-output':
      yield `${style.muted(`  ${oneLine(text.replace(/<\/?[a-z-]+>/g, ' '), width - 2)}`)}\n`;
      return;
    case 'notification':
      yield `${style.muted(`◆ ${oneLine(text.replace(/<\/?[a-z-]+>/g, ' '), width - 2)}`)}\n`;
      return;
    case 'summary':
      yield `${style.muted(full ? indented(neutralise(text), '┊ ') : `┊ summary, ${formatCount(text.length)} characters`)}\n`;
      return;
    default:
      if (full) yield `${style.muted(indented(neutralise(commandLine(text)), '+ '))}\n`;
  }
}

function* renderSystem(session: Session, node: Node, options: ShowOptions): Generator<string> {
  const { style, width, full } = options;
  if (isBoundary(node)) {
    const compaction = compactionsOf(session).find((each) => each.boundary === node);
    const sizes = [compaction?.preTokens, compaction?.postTokens].flatMap((count) =>
      count === undefined ? [] : formatTokens(count),
    );
    const kept = compaction?.preservedUuids.length ?? 0;
    const facts = [compaction?.trigger, sizes.join(' → '), kept > 0 ? `${kept} entries kept` : ''].filter(Boolean);
    const label = `══ compacted${facts.length === 0 ? '' : ` (${facts.join(', ')})`} `;
    yield `\n${style.yellow(`${label}${'═'.repeat(Math.max(0, width - label.length))}`)}\n`;
    return;
  }
  if (node.subtype === 'local_command' || node.subtype === 'api_error' || full) {
    const text = textOf(contentOf(readEntry(session, node)));
    const line = oneLine(commandLine(text).replace(/<\/?[a-z-]+>/g, ' '), width - 2);
    if (line !== '' || full) yield `${style.muted(`· ${line === '' ? (node.subtype ?? 'system') : line}`)}\n`;
  }
}

/** Prompts that were delivered in the middle of this turn and have no line of their own in it. */
function deliveredIn(session: Session, turn: Turn): readonly string[] {
  const { transcript } = session;
  const first = turn.nodes[0]?.index ?? 0;
  const last = turn.nodes.reduce((max, node) => Math.max(max, node.index), first);
  return findQueuedPrompts(transcript.nodes, (node) => transcript.read(node))
    .filter((prompt) => prompt.outcome === 'delivered' && prompt.node.index >= first && prompt.node.index <= last)
    .map((prompt) => prompt.text);
}

function forkText({ number, turns, isReplay }: Fork): string {
  if (isReplay) return `⑂ the same history stands here again (branch ${number})`;
  return `⑂ another branch leaves here, ${turns} ${turns === 1 ? 'turn' : 'turns'}: --branch ${number}`;
}

function indented(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
}

function indentChunk(text: string): string {
  return text.replace(/^(?!$)/gm, '    ');
}

function wrapPlain(line: string, width: number): string[] {
  return line === '' ? [''] : wrapAnsi(line, width, { hard: true, trim: false }).split('\n');
}
