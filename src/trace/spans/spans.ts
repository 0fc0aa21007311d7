// A turn → its spans: the turn, below it a generation for each API response, and below that its tool calls and their
// sub-agents.
import { asObject, asString } from '../../base/json/index.ts';
import { textOf } from '../../format/entry/index.ts';
import type { AgentLookup, TraceLine, TraceTurn } from '../read/index.ts';
import { agentName, type TraceSpan, toolSpanId, traceIdOf, turnName, turnSpanId } from '../span/index.ts';
import {
  agentSpans,
  conversationSpans,
  promptOf,
  type SpanContext,
  type SpanPlace,
  spanAt,
  spansOfAgent,
} from './conversation-spans.ts';

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
function inlineAgentSpans(turn: TraceTurn, place: SpanPlace): readonly TraceSpan[] {
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

export function spansOfTurn(turn: TraceTurn, context: SpanContext): readonly TraceSpan[] {
  const root = rootPlace(turn, context);
  const place = { ...root, parentSpanId: turnSpanId(root.traceId) };
  const spans: TraceSpan[] = turn.isContinuation ? [] : [turnSpan(turn, root)];
  const first = turn.isContinuation ? undefined : turn.prompt;
  spans.push(...conversationSpans({ ...turn, input: first?.text, images: first?.images ?? [] }, place));
  spans.push(...inlineAgentSpans(turn, place));
  for (const { agentId, toolUseId, turnKey, turnNumber, agentType, promptId, ...run } of turn.finishedAgents) {
    const ownTrace = traceOf(turnKey, turnNumber, context);
    const call = { id: toolUseId, agentId, prompt: undefined, agentType, run };
    const parentSpanId = toolSpanId(ownTrace, toolUseId);
    const named = { traceName: turnName(turnNumber), promptId };
    spans.push(...agentSpans(call, { ...place, traceId: ownTrace, scope: ownTrace, parentSpanId, ...named }));
  }
  return spans;
}

/** The span of a turn that continued after it was sent: the same id and start, with its new output and end. */
export function turnSpanAgain(turn: TraceTurn, context: SpanContext): TraceSpan | undefined {
  const hasAnswers = turn.messages.some((message) => !message.isSent);
  if (!turn.isContinuation || !hasAnswers || turn.startMs === undefined) return undefined;
  return turnSpan(turn, rootPlace(turn, context));
}

function rootPlace({ key, number, about }: TraceTurn, context: SpanContext): SpanPlace {
  const traceId = traceOf(key, number, context);
  return {
    traceId,
    scope: traceId,
    parentSpanId: undefined,
    traceName: turnName(number),
    promptId: about.promptId,
    version: about.version,
    agentId: undefined,
    started: new Set(),
    context,
  };
}

function traceOf(turnKey: string, turnNumber: number, context: SpanContext): string {
  const key = context.keepForks === true ? `${turnKey}|${context.sessionId}` : turnKey;
  return traceIdOf(key, turnNumber, context.traceSeed);
}

function turnSpan(turn: TraceTurn, place: SpanPlace): TraceSpan {
  const last = turn.messages.findLast((message) => !message.isSent);
  const spanId = turnSpanId(place.traceId);
  const failed = last?.isApiError ? 'api_error' : undefined;
  return spanAt(
    place,
    { spanId, startMs: turn.startMs, endMs: turn.endMs },
    {
      kind: 'turn',
      turnKey: turn.key,
      number: turn.number,
      input: turn.prompt?.text ?? '',
      images: turn.prompt?.images ?? [],
      command: turn.prompt?.command,
      output: last === undefined ? '' : textOf(last.blocks),
      model: turn.model,
      version: turn.prompt?.version,
      cwd: turn.prompt?.cwd,
      gitBranch: turn.prompt?.gitBranch,
      slug: turn.prompt?.slug,
    },
    turn.isInterrupted ? 'interrupted' : failed,
    !turn.isInterrupted && last?.isApiError ? textOf(last.blocks) : undefined,
  );
}
