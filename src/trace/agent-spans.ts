// A sub-agent's lines → its spans, below the tool call that started it. The lines come from a transcript of its own, or
// (1.0.x) from the side lines of the main one.
import { asObject, asString } from '../base/json.ts';
import { textOf } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { classifyUser } from '../session/input.ts';
import type { AgentLookup } from './agents.ts';
import { TurnDraft } from './draft.ts';
import { compactionOf } from './draft-blocks.ts';
import { agentScope, subagentSpanId, toolSpanId, traceIdOf } from './ids.ts';
import { type Cause, causeAfter } from './response-times.ts';
import type { TraceCompaction, TraceSpan } from './span.ts';
import { agentName } from './span-name.ts';
import { conversationSpans, notBefore, type SpanContext, type SpanPlace } from './spans.ts';
import type { TraceLine } from './trace-line.ts';
import type { AgentRun, TraceTurn } from './turn.ts';

export interface CallOfAgent {
  readonly id: string;
  readonly agentId: string | undefined;
  readonly prompt: string | undefined;
  readonly agentType: string | undefined;
  readonly run: AgentRun;
}

/**
 * Agents that no call started (the client's own: warm-up, suggestions; workflows): each a trace of its own. `started`
 * are the ids of those that have spans below a call.
 */
export function looseAgentSpans(
  agents: AgentLookup,
  started: ReadonlySet<string>,
  context: SpanContext,
): readonly { readonly key: string; readonly spans: readonly TraceSpan[] }[] {
  return agents.loose(started).flatMap((agent) => {
    const key = `agent|${agent.agentId}`;
    const traceId = traceIdOf(context.keepForks === true ? `${key}|${context.sessionId}` : key, 0);
    const about = { promptId: undefined, version: undefined };
    const named = { traceName: agentName(agent.agentType), ...about, started: new Set<string>() };
    const place = { traceId, scope: traceId, parentSpanId: undefined, agentId: undefined, ...named };
    const spans = spansOfAgent({ ...agent, lines: [...agent.lines()], run: 0 }, { ...place, context });
    return spans.length === 0 ? [] : [{ key, spans }];
  });
}

/** `place.parentSpanId` is the span of the call. */
export function agentSpans(call: CallOfAgent, place: SpanPlace): readonly TraceSpan[] {
  const agent = place.context.agents.find(call.id, call.agentId, call.prompt);
  if (agent === undefined) return [];
  const { run, sinceMs, untilMs } = call.run;
  const lines = [...agent.lines()].filter(
    ({ timeMs }) =>
      timeMs === undefined || ((sinceMs === undefined || timeMs > sinceMs) && timeMs <= (untilMs ?? timeMs)),
  );
  return spansOfAgent({ agentId: agent.agentId, agentType: agent.agentType ?? call.agentType, lines, run }, place);
}

/** Agents that stand in the main transcript, each under the call that asked what it was asked, else under the turn. */
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

interface AgentLines {
  readonly agentId: string;
  readonly agentType: string | undefined;
  readonly lines: readonly TraceLine[];
  readonly run: number;
}

function spansOfAgent({ agentId, agentType, lines, run }: AgentLines, place: SpanPlace): readonly TraceSpan[] {
  const draft = new TurnDraft({ offset: 0, line: 0, cause: {} }, undefined, undefined, false);
  const compactions: TraceCompaction[] = [];
  let cause: Cause = {};
  for (const line of lines) {
    if (line.role === 'compaction') {
      compactions.push(compactionOf(line));
      continue;
    }
    if (line.role === 'assistant' && !line.head.isMeta) draft.addAssistant(line, cause, compactions);
    else draft.interrupt();
    if (line.role === 'user' && classifyUser(line.head).kind === 'results') draft.addResults(line);
    cause = causeAfter(line, cause);
  }
  const name = run === 0 ? agentId : `${agentId}#${run}`;
  if (!draft.hasMessages || place.started.has(name)) return [];
  place.started.add(name);
  const messages = draft.messages();
  const last = messages.at(-1);
  const startMs = lines.find((line) => line.timeMs !== undefined)?.timeMs;
  const spanId = subagentSpanId(place.traceId, name);
  const input = promptOf(lines);
  const span: TraceSpan = {
    traceId: place.traceId,
    spanId,
    parentSpanId: place.parentSpanId,
    kind: 'subagent',
    startMs,
    endMs: notBefore(startMs, draft.endMs),
    sessionId: place.context.sessionId,
    traceName: place.traceName,
    promptId: place.promptId,
    version: place.version,
    detail: { kind: 'subagent', agentId, agentType, input, output: last === undefined ? '' : textOf(last.blocks) },
    error: last?.isApiError ? 'api_error' : undefined,
    errorText: last?.isApiError ? textOf(last.blocks) : undefined,
  };
  const { nowMs: _live, ...context } = place.context;
  const inside = {
    ...place,
    scope: agentScope(place.traceId, name),
    parentSpanId: spanId,
    agentId,
    // It is over, whatever the clock says.
    context,
  };
  const { results, endMs } = draft;
  const rest = { agentRuns: new Map<string, AgentRun>(), waitingCalls: new Set<string>(), images: [] };
  const conversation = { messages, results, endMs, input, ...rest };
  return [span, ...conversationSpans(conversation, inside)];
}

function promptOf(lines: readonly TraceLine[]): string {
  const first = lines.find((line) => line.role === 'user');
  return first === undefined ? '' : textOf(contentOf(first.entry));
}

function taskCall(block: object): readonly { id: string; prompt: string | undefined; agentType: string | undefined }[] {
  const { type, id, name, input } = block as Readonly<Record<string, unknown>>;
  if (type !== 'tool_use' || typeof id !== 'string' || (name !== 'Task' && name !== 'Agent')) return [];
  return [{ id, prompt: asString(asObject(input)?.prompt), agentType: asString(asObject(input)?.subagent_type) }];
}

/** Side lines by chain: a line goes where its parent went, a line without a known parent begins a chain. */
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
