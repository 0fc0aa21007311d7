// The spans of sub-agents that no tool call leads to: those in the main transcript (1.0.x), and those that the client
// started itself.
import { asObject, asString } from '../../base/json/json.ts';
import type { AgentLookup } from '../read/agents.ts';
import type { TraceLine } from '../read/trace-line.ts';
import type { TraceTurn } from '../read/turn.ts';
import { toolSpanId, traceIdOf } from '../span/ids.ts';
import type { TraceSpan } from '../span/span.ts';
import { agentName } from '../span/span-name.ts';
import { promptOf, type SpanContext, type SpanPlace, spansOfAgent } from './conversation-spans.ts';

/**
 * Agents that no call started (warm-up, suggestions, workflows), each with its own trace. `started`: the ids of agents
 * that have spans below a call.
 */
export function looseAgentSpans(
  agents: AgentLookup,
  started: ReadonlySet<string>,
  context: SpanContext,
): readonly { readonly key: string; readonly spans: readonly TraceSpan[] }[] {
  return agents.loose(started).flatMap((agent) => {
    const key = `agent|${agent.agentId}`;
    const traceId = traceIdOf(context.keepForks === true ? `${key}|${context.sessionId}` : key, 0);
    const unknown = { parentSpanId: undefined, agentId: undefined, promptId: undefined, version: undefined };
    const named = { traceName: agentName(agent.agentType), started: new Set<string>() };
    const place = { traceId, scope: traceId, ...unknown, ...named, context };
    const spans = spansOfAgent({ ...agent, lines: [...agent.lines()], run: 0 }, place);
    return spans.length === 0 ? [] : [{ key, spans }];
  });
}

/** Agents in the main transcript, each below the call with the same prompt; without such a call, below the turn. */
export function inlineAgentSpans(turn: TraceTurn, place: SpanPlace): readonly TraceSpan[] {
  if (turn.sideLines.length === 0) return [];
  const calls = turn.messages.flatMap((message) => message.blocks).flatMap(taskCall);
  return [...sideChains(turn.sideLines)].flatMap((lines) => {
    const at = calls.findIndex((call) => call.prompt === promptOf(lines));
    const [call] = at < 0 ? [] : calls.splice(at, 1);
    const first = lines.find((line) => line.role === 'assistant');
    const agentId = first?.head.agentId ?? first?.head.message?.id ?? first?.head.uuid;
    if (agentId === undefined) return [];
    const parentSpanId = call === undefined ? place.parentSpanId : toolSpanId(place.scope, call.id);
    return spansOfAgent({ agentId, agentType: call?.agentType, lines, run: 0 }, { ...place, parentSpanId });
  });
}

function taskCall(block: object): readonly { id: string; prompt: string | undefined; agentType: string | undefined }[] {
  const { type, id, name, input } = block as Readonly<Record<string, unknown>>;
  if (type !== 'tool_use' || typeof id !== 'string' || (name !== 'Task' && name !== 'Agent')) return [];
  return [{ id, prompt: asString(asObject(input)?.prompt), agentType: asString(asObject(input)?.subagent_type) }];
}

/** Side lines by chain: a line joins the chain of its parent; a line without a known parent starts one. */
function sideChains(lines: readonly TraceLine[]): ReadonlySet<readonly TraceLine[]> {
  const chains = new Set<TraceLine[]>();
  const chainOf = new Map<string, TraceLine[]>();
  for (const line of lines) {
    const { uuid, parentUuid } = line.head;
    const chain = (typeof parentUuid === 'string' ? chainOf.get(parentUuid) : undefined) ?? [];
    chain.push(line);
    chains.add(chain);
    if (uuid !== undefined) chainOf.set(uuid, chain);
  }
  return chains;
}
