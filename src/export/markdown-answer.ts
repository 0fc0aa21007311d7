// A line of the model → its words as Markdown, its calls as a line each with what went in and came out folded away
// below, and the sub-agents that they started folded in the same way.
import { isText, isThinking, isToolUse } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { agentOf } from '../session/agent-book.ts';
import type { AgentSource } from '../session/agents.ts';
import type { Node } from '../session/node.ts';
import { promptText } from '../session/prompt-text.ts';
import { readEntry } from '../session/session.ts';
import { type ToolCall, toolCallsOf } from '../session/tool-calls.ts';
import { turnsOf } from '../session/turns.ts';
import { countUsage, totalUsage } from '../session/usage.ts';
import { linesWithUsage } from '../session/usage-lines.ts';
import { outputText } from '../session/usage-text.ts';
import { tellCall } from './markdown-call.ts';
import { tellNote } from './markdown-note.ts';
import { quoted } from './markdown-quote.ts';
import { escapeHtml, plainLine, safeMarkdown, summaryText } from './markdown-text.ts';
import { openSubjectAgent } from './subject.ts';
import { type Piece, type Telling, tellAgent } from './telling.ts';

export async function* tellAnswer(
  telling: Telling,
  node: Node,
  calls: ReadonlyMap<string, ToolCall>,
): AsyncGenerator<Piece> {
  for (const block of contentOf(readEntry(telling.session, node))) {
    if (isText(block)) yield { text: answerText(telling, node, block.text) };
    else if (isThinking(block)) {
      if (telling.thinking === true) yield* thinkingPieces(block.type === 'thinking' ? block.thinking : '');
    } else if (isToolUse(block)) {
      const call = calls.get(block.id);
      if (call?.node !== node) continue;
      const agent = agentOf(telling.agents, call);
      if (agent === undefined) yield* tellCall(telling, call, block.input);
      else yield* tellStarted(telling, call, agent);
    } else yield { text: `*[${plainLine(String(block.type ?? 'unknown block'), 60)}]*` };
  }
}

function answerText({ top }: Telling, node: Node, text: string): string {
  if (text.trim() === '') return '';
  if (node.isApiError) return `**✗ ${plainLine(text, 400)}**`;
  // The client's own filler, such as "No response requested.", was said by nobody.
  if (node.message?.model === '<synthetic>') return `*${plainLine(text, 400)}*`;
  return safeMarkdown(text, { top });
}

function* thinkingPieces(text: string): Generator<Piece> {
  if (text.trim() === '') return;
  yield { text: '<details>\n<summary><i>Thinking</i></summary>' };
  yield { text: safeMarkdown(text, { top: 5 }) };
  yield { text: '</details>' };
}

/** Its transcript is dropped before the next agent's is read. */
async function* tellStarted(telling: Telling, call: ToolCall, agent: AgentSource): AsyncGenerator<Piece> {
  const { agents, subject } = telling;
  const name = subject.hide([agent.agentType, agent.description].filter(Boolean).join(': ') || agent.agentId);
  const mark = call.result === undefined ? '?' : call.isError ? '✗' : '✓';
  const head = `${mark} <b>${summaryText(call.name, 60)}</b> ${summaryText(name, 120)}`;
  if (agents.shown.has(agent.agentId)) {
    yield { text: `- ${mark} **${plainLine(call.name, 60)}** ${plainLine(name, 120)} (told above)`, isItem: true };
    return;
  }
  agents.shown.add(agent.agentId);
  const own = await openSubjectAgent(subject, agents, agent);
  if ('unreadable' in own) {
    yield {
      text: `- ✗ **${plainLine(call.name, 60)}** ${plainLine(name, 120)} (its file cannot be read: ${plainLine(own.unreadable, 20)})`,
      isItem: true,
    };
    return;
  }
  const usage = totalUsage(countUsage(linesWithUsage(own.transcript, own.id)).messages);
  yield { text: `<details>\n<summary>${head} · ${escapeHtml(outputText(usage))}</summary>` };
  const inner = tellAgent(telling, own);
  for (const turn of turnsOf(own)) {
    const calls = new Map(toolCallsOf(own, turn).map((each) => [each.id, each]));
    for (const node of turn.nodes) {
      if (node === turn.prompt) yield { text: quoted(promptText(contentOf(readEntry(own, node)))) };
      else if (node.type === 'assistant') yield* tellAnswer(inner, node, calls);
      else yield* tellNote(inner, node);
    }
  }
  yield { text: '</details>' };
}
