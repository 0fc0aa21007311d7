// Spans for Langfuse over OTLP: the mapping of seed 002 §7, with additions that do not change its values (docs/tracing.md
// has the table).
import { version as ownVersion } from '../../base/version/index.ts';
import {
  type ContentOrigin,
  type ContentRules,
  type GenerationDetail,
  jsonContent,
  type SubagentDetail,
  showContent,
  spanName,
  type ToolDetail,
  type TraceSpan,
  type TraceUsage,
  type TurnDetail,
  textContent,
  valueContent,
  type Wire,
  type WireSpan,
  wrapperSpanId,
} from '../span/index.ts';
import { type ChatMessage, inputMessages, outputMessage, withImages } from './chat-messages.ts';
import {
  attributes,
  clientValues,
  compactionEvents,
  isClientMessage,
  modelOf,
  originOf,
  type ProfileOptions,
  parametersOf,
  resourceOf,
  skillOf,
  statusOf,
  tagsOf,
  type Values,
  wireIds,
  wireTimes,
} from './profile.ts';

export function toWire(spans: readonly TraceSpan[], options: ProfileOptions): Wire {
  showContent(spans, options);
  return {
    resource: resourceOf(spans),
    // With another name, Langfuse adds a catch-all to the metadata of every observation.
    scope: { name: 'langfuse-sdk-clew', version: ownVersion },
    spans: spans.flatMap((span) => wireSpans(span, spans, options)),
  };
}

function wireSpans(span: TraceSpan, spans: readonly TraceSpan[], options: ProfileOptions): readonly WireSpan[] {
  const isRoot = span.parentSpanId === undefined;
  const hasWrapper = isRoot && options.wrapperSpan === true;
  const values = {
    'langfuse.observation.type': typeOf(span, options),
    ...(isRoot && !hasWrapper ? traceValues(span, options) : {}),
    ...commonValues(span, options),
    ...observationValues(span, options),
    ...(options.strictSeed === true ? {} : joinValues(span)),
    ...errorValues(span, options),
  };
  const times = wireTimes(span, spans, options);
  const wire: WireSpan = {
    ...wireIds(span, options),
    ...(hasWrapper ? { parentSpanId: wrapperSpanId(span.traceId) } : {}),
    name: spanName(span, options.strictSeed),
    kind: 1,
    ...times,
    attributes: attributes(values),
    events: compactionEvents(span, times.startNs),
    status: statusOf(span, options),
  };
  return hasWrapper ? [wrapperOf(wire, span, options), wire] : [wire];
}

function wrapperOf(wire: WireSpan, span: TraceSpan, options: ProfileOptions): WireSpan {
  const spanId = wrapperSpanId(span.traceId);
  const values = {
    'langfuse.observation.type': 'span',
    ...traceValues(span, options),
    ...commonValues(span, options),
    ...observationValues(span, options),
  };
  return { ...wire, spanId, parentSpanId: options.parent?.spanId, attributes: attributes(values) };
}

/** For a collector; Langfuse shows only its own metadata. */
function joinValues(span: TraceSpan): Values {
  return { 'langfuse.observation.metadata.prompt_id': span.promptId, ...clientValues(span) };
}

function typeOf(span: TraceSpan, { strictSeed }: ProfileOptions): string {
  if (isClientMessage(span) && strictSeed !== true) return 'span';
  return span.kind === 'generation' || span.kind === 'tool' ? span.kind : 'agent';
}

/** Only on the root: on a child they would become the metadata of the child. */
function traceValues(span: TraceSpan, options: ProfileOptions): Values {
  const { detail } = span;
  // In the trace of another program, they would overwrite its values.
  if (options.parent !== undefined)
    return detail.kind === 'turn' ? turnMetadata(detail, 'langfuse.observation.metadata', options) : {};
  const own = detail.kind === 'turn' ? turnMetadata(detail, 'langfuse.trace.metadata', options) : {};
  return {
    'langfuse.trace.name': span.traceName,
    'langfuse.trace.input': inputOf(detail, options),
    'langfuse.trace.output': outputOf(detail, options),
    'langfuse.trace.metadata.source': 'claude-code',
    ...own,
    'langfuse.trace.metadata.session_id': span.sessionId,
    'langfuse.internal.is_app_root': true,
  };
}

function turnMetadata(detail: TurnDetail, prefix: string, options: ProfileOptions): Values {
  const place = (text: string | undefined) => (text === undefined ? undefined : options.redact(text));
  return {
    [`${prefix}.turn_number`]: String(detail.number),
    [`${prefix}.version`]: detail.version,
    [`${prefix}.slug`]: place(detail.slug),
    [`${prefix}.cwd`]: place(detail.cwd),
    [`${prefix}.git_branch`]: place(detail.gitBranch),
    [`${prefix}.command_name`]: detail.command,
  };
}

function observationValues(span: TraceSpan, options: ProfileOptions): Values {
  const { detail } = span;
  switch (detail.kind) {
    case 'turn':
    case 'subagent':
      return { ...inputAndOutput(detail, options), ...(detail.kind === 'subagent' ? subagentMetadata(detail) : {}) };
    case 'generation':
      return generationValues(detail, span, options);
    case 'tool':
      return toolValues(detail, options);
    default:
      return detail satisfies never;
  }
}

function inputAndOutput(detail: TurnDetail | SubagentDetail, options: ProfileOptions): Values {
  return {
    'langfuse.observation.input': inputOf(detail, options),
    'langfuse.observation.output': outputOf(detail, options),
  };
}

function subagentMetadata(detail: SubagentDetail): Values {
  return { 'langfuse.observation.metadata.agent_id': detail.agentId };
}

function generationValues(detail: GenerationDetail, span: TraceSpan, options: ProfileOptions): Values {
  const origin = originOf(detail);
  const { usage } = detail;
  const cost = options.costOf?.(span);
  return {
    'langfuse.observation.model.name': options.strictSeed === true ? detail.model : modelOf(detail),
    'langfuse.observation.model.parameters': parametersOf(detail.usage),
    'langfuse.observation.input': inputOf(detail, options),
    'langfuse.observation.output': outputOf(detail, options),
    'langfuse.observation.usage_details': usage === undefined ? undefined : usageDetails(usage, options),
    'langfuse.observation.cost_details': cost === undefined ? undefined : JSON.stringify({ total: cost }),
    'langfuse.observation.metadata.tool_count': String(detail.toolCalls.length),
    'langfuse.observation.metadata.request_id': detail.requestId,
    'langfuse.observation.metadata.message_id': detail.messageId,
    'langfuse.observation.metadata.stop_reason': detail.stopReason,
    'langfuse.observation.metadata.compactions': compactionsOf(detail),
    'langfuse.observation.metadata.thinking': textContent(detail.thinking, origin, options),
  };
}

function toolValues(detail: ToolDetail, options: ProfileOptions): Values {
  return {
    'langfuse.observation.input': valueContent(detail.input, 'tool', options),
    'langfuse.observation.output': valueContent(detail.output, 'tool', options),
    'langfuse.observation.metadata.tool_name': detail.name,
    'langfuse.observation.metadata.tool_id': detail.toolUseId,
    'langfuse.observation.metadata.skill_name': skillOf(detail),
  };
}

function inputOf(detail: TraceSpan['detail'], options: ProfileOptions): string | undefined {
  if (detail.kind === 'generation' && options.strictSeed !== true)
    return messagesJson(inputMessages(detail, options), originOf(detail), options);
  if (detail.kind === 'tool' || detail.input === undefined) return undefined;
  const images = detail.kind === 'subagent' ? [] : detail.images;
  return jsonContent({ role: 'user', content: withImages(detail.input, images) }, originOf(detail), options);
}

function outputOf(detail: TraceSpan['detail'], options: ProfileOptions): string | undefined {
  if (detail.kind === 'tool') return undefined;
  if (detail.kind === 'generation' && options.strictSeed !== true)
    return jsonContent(outputMessage(detail, options), originOf(detail), options);
  return jsonContent({ role: 'assistant', content: detail.output }, originOf(detail), options);
}

/** A single prompt is an object, as in the seed; everything else is a list. */
function messagesJson(
  messages: readonly ChatMessage[],
  origin: ContentOrigin,
  rules: ContentRules,
): string | undefined {
  if (messages.length === 0) return undefined;
  const [first] = messages;
  return jsonContent(messages.length === 1 && first?.role === 'user' ? first : messages, origin, rules);
}

function compactionsOf({ compactions }: GenerationDetail): string | undefined {
  if (compactions.length === 0) return undefined;
  return JSON.stringify(compactions.map(({ trigger, preTokens }) => ({ trigger, pre_tokens: preTokens })));
}

/**
 * Langfuse adds up all keys, so cache writes must not be counted twice. No `total`: the seed's excludes the cache, and
 * Langfuse would show it instead of the sum.
 */
function usageDetails(usage: TraceUsage, { strictSeed }: ProfileOptions): string {
  return JSON.stringify({
    input: usage.inputTokens,
    output: usage.outputTokens,
    total: strictSeed === true ? usage.inputTokens + usage.outputTokens : undefined,
    cache_read_input_tokens: usage.cacheReadTokens,
    input_cache_creation_5m: positive(usage.cacheWrite5mTokens),
    input_cache_creation_1h: positive(usage.cacheWrite1hTokens),
    cache_creation_input_tokens: positive(usage.cacheWriteTokens),
  });
}

function positive(tokens: number | undefined): number | undefined {
  return tokens === undefined || tokens === 0 ? undefined : tokens;
}

function errorValues(span: TraceSpan, options: ProfileOptions): Values {
  if (span.error === undefined) return {};
  return {
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': statusOf(span, options).message,
  };
}

function commonValues(span: TraceSpan, options: ProfileOptions): Values {
  const isNamed = options.parent === undefined && options.strictSeed !== true;
  return {
    ...(isNamed ? { 'langfuse.trace.name': span.traceName } : {}),
    'session.id': span.sessionId,
    'user.id': options.userId,
    'langfuse.environment': options.environment,
    'langfuse.release': options.release ?? (options.strictSeed === true ? undefined : span.version),
    'langfuse.trace.tags': tagsOf(options),
  };
}
