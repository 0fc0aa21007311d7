// A turn → its spans: the turn, below it a generation for each API response, and below that its tool calls and their
// sub-agents.
import { textOf } from '../../format/entry/block.ts';
import type { TraceTurn } from '../read/turn.ts';
import { toolSpanId, traceIdOf, turnSpanId } from '../span/ids.ts';
import type { TraceSpan } from '../span/span.ts';
import { turnName } from '../span/span-name.ts';
import { inlineAgentSpans } from './agent-spans.ts';
import { agentSpans, conversationSpans, type SpanContext, type SpanPlace, spanAt } from './conversation-spans.ts';

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
