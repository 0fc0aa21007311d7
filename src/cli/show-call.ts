// A tool call → one line with what it did and what came of it, with `--full` its input and output, and below it the
// sub-agent it started.
import { isObject, type JsonValue } from '../base/json.ts';
import { oneLine } from '../base/terminal-text.ts';
import { agentOf, openAgent } from '../session/agent-book.ts';
import type { AgentSource } from '../session/agents.ts';
import { resultText } from '../session/call-result.ts';
import { resultBlocks } from '../session/result-blocks.ts';
import type { ToolCall } from '../session/tool-calls.ts';
import { turnsOf } from '../session/turns.ts';
import { countUsage, totalUsage } from '../session/usage.ts';
import { linesWithUsage } from '../session/usage-lines.ts';
import { callLine } from './call-line.ts';
import { prettyJson } from './json-text.ts';
import { agentContext, type ShowContext } from './show-context.ts';
import { callsById, renderNode } from './show-turn.ts';
import { barred, indentLines } from './terminal-lines.ts';
import { outputText } from './wording.ts';

export async function* renderCall(
  context: ShowContext,
  call: ToolCall,
  input: JsonValue | undefined,
): AsyncGenerator<string> {
  const { session, style, full } = context;
  const result = resultText(resultBlocks(session, call));
  yield `${callLine({ ...call, input }, result, context)}\n`;
  if (full) {
    yield `${barred(inputText(input), '  ┊ ', style.muted)}\n`;
    if (result.trim() !== '') yield `${barred(result, '  │ ', plain)}\n`;
  }
  const agent = agentOf(context.agents, call);
  if (agent !== undefined) yield* renderAgent(context, agent);
}

/** For a reader: texts as they are, one field below the other. `--json` has the exact input. */
function inputText(input: JsonValue | undefined): string {
  if (!isObject(input)) return prettyJson(input ?? null);
  const fields = Object.entries(input).map(([key, value = null]) => {
    if (typeof value !== 'string') return `${key}: ${prettyJson(value)}`;
    return value.includes('\n') ? `${key}:\n${indentLines(value, 2)}` : `${key}: ${value}`;
  });
  return fields.join('\n');
}

/** Who it is, and indented what it did. Its transcript is dropped before the next agent's is read. */
async function* renderAgent(context: ShowContext, agent: AgentSource): AsyncGenerator<string> {
  const { agents, style, width, full } = context;
  const name = oneLine([agent.agentType, agent.agentId].filter(Boolean).join(' '), Math.max(10, width - 24));
  const title = `  ${style.accent('↳')} ${style.bold(name)}`;
  if (agents.shown.has(agent.agentId)) {
    yield `${title} ${style.muted('(shown above)')}\n`;
    return;
  }
  agents.shown.add(agent.agentId);
  const own = await openAgent(agents.root, agent);
  if ('unreadable' in own) {
    yield `${title} ${style.error(`(cannot be read: ${own.unreadable})`)}\n`;
    return;
  }
  const usage = totalUsage(countUsage(linesWithUsage(own.transcript, own.id)).messages);
  yield `${title} ${style.muted(outputText(usage))}\n`;
  const inner = agentContext(own, agents, { full, style, width: Math.max(20, width - 4) });
  for (const turn of turnsOf(own)) {
    const calls = callsById(inner, turn);
    for (const node of turn.nodes) {
      if (node === turn.prompt && !full) continue;
      for await (const text of renderNode(inner, node, calls)) yield indentLines(text, 4);
    }
  }
}

const plain = (text: string): string => text;
