// Spans as Langfuse wants them, over OTLP: the mapping of seed 002 §7 attribute by attribute, then what was added to it
// without changing any of its values (docs/tracing.md has the table).
import { version as ownVersion } from '../../base/version.ts';
import { jsonContent, showContent, textContent, valueContent } from '../content.ts';
import { wrapperSpanId } from '../ids.ts';
import type {
  GenerationDetail,
  ImagePlaceholder,
  SubagentDetail,
  ToolDetail,
  TraceSpan,
  TraceUsage,
  TurnDetail,
  Wire,
  WireSpan,
} from '../span.ts';
import { spanName } from '../span-name.ts';
import { attributes, originOf, type ProfileOptions, resourceOf, statusOf, type Values, wireTimes } from './profile.ts';

export function toWire(spans: readonly TraceSpan[], options: ProfileOptions): Wire {
  showContent(spans, options);
  return {
    resource: resourceOf(spans),
    // Under another name Langfuse adds a catch-all to the metadata of every observation.
    scope: { name: 'langfuse-sdk-clew', version: ownVersion },
    spans: spans.flatMap((span) => wireSpans(span, spans, options)),
  };
}

function wireSpans(span: TraceSpan, spans: readonly TraceSpan[], options: ProfileOptions): readonly WireSpan[] {
  const { detail } = span;
  const isRoot = span.parentSpanId === undefined;
  const hasWrapper = isRoot && options.wrapperSpan === true;
  const values = {
    'langfuse.observation.type': detail.kind === 'generation' || detail.kind === 'tool' ? detail.kind : 'agent',
    ...(isRoot && !hasWrapper ? traceValues(span, options) : {}),
    'session.id': span.sessionId,
    ...observationValues(detail, options),
    ...errorValues(span, options),
    ...commonValues(options),
  };
  const wire: WireSpan = {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: hasWrapper ? wrapperSpanId(span.traceId) : span.parentSpanId,
    name: spanName(span),
    kind: 1,
    ...wireTimes(span, spans, options),
    attributes: attributes(values),
    events: [],
    status: statusOf(span, options),
  };
  return hasWrapper ? [wrapperOf(wire, span, options), wire] : [wire];
}

function wrapperOf(wire: WireSpan, span: TraceSpan, options: ProfileOptions): WireSpan {
  const { spanId, detail } = { spanId: wrapperSpanId(span.traceId), detail: span.detail };
  const values = {
    'langfuse.observation.type': 'span',
    ...traceValues(span, options),
    'session.id': span.sessionId,
    ...observationValues(detail, options),
    ...commonValues(options),
  };
  return { ...wire, spanId, parentSpanId: undefined, attributes: attributes(values) };
}

/** Only on the root: on a child they would become its own metadata. */
function traceValues(span: TraceSpan, options: ProfileOptions): Values {
  const { detail } = span;
  const own = detail.kind === 'turn' ? turnMetadata(detail, options) : {};
  return {
    'langfuse.trace.name': spanName(span),
    'langfuse.trace.input': inputOf(detail, options),
    'langfuse.trace.output': outputOf(detail, options),
    'langfuse.trace.metadata.source': 'claude-code',
    ...own,
    'langfuse.trace.metadata.session_id': span.sessionId,
    'langfuse.internal.is_app_root': true,
  };
}

function turnMetadata(detail: TurnDetail, options: ProfileOptions): Values {
  const place = (text: string | undefined) => (text === undefined ? undefined : options.redact(text));
  return {
    'langfuse.trace.metadata.turn_number': String(detail.number),
    'langfuse.trace.metadata.version': detail.version,
    'langfuse.trace.metadata.slug': place(detail.slug),
    'langfuse.trace.metadata.cwd': place(detail.cwd),
    'langfuse.trace.metadata.git_branch': place(detail.gitBranch),
  };
}

function observationValues(detail: TraceSpan['detail'], options: ProfileOptions): Values {
  switch (detail.kind) {
    case 'turn':
    case 'subagent':
      return { ...inputAndOutput(detail, options), ...(detail.kind === 'subagent' ? subagentMetadata(detail) : {}) };
    case 'generation':
      return generationValues(detail, options);
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

function generationValues(detail: GenerationDetail, options: ProfileOptions): Values {
  const origin = originOf(detail);
  return {
    'langfuse.observation.model.name': detail.model,
    'langfuse.observation.model.parameters': parametersOf(detail.usage),
    'langfuse.observation.input': inputOf(detail, options),
    'langfuse.observation.output': outputOf(detail, options),
    'langfuse.observation.usage_details': detail.usage === undefined ? undefined : usageDetails(detail.usage),
    'langfuse.observation.metadata.tool_count': String(detail.toolCalls.length),
    'langfuse.observation.metadata.request_id': detail.requestId,
    'langfuse.observation.metadata.message_id': detail.messageId,
    'langfuse.observation.metadata.stop_reason': detail.stopReason,
    'langfuse.observation.metadata.thinking': textContent(detail.thinking, origin, options),
  };
}

function toolValues(detail: ToolDetail, options: ProfileOptions): Values {
  return {
    'langfuse.observation.input': valueContent(detail.input, 'tool', options),
    'langfuse.observation.output': valueContent(detail.output, 'tool', options),
    'langfuse.observation.metadata.tool_name': detail.name,
    'langfuse.observation.metadata.tool_id': detail.toolUseId,
  };
}

function inputOf(detail: TraceSpan['detail'], options: ProfileOptions): string | undefined {
  if (detail.kind === 'tool' || detail.input === undefined) return undefined;
  const images = detail.kind === 'subagent' ? [] : detail.images;
  return jsonContent({ role: 'user', content: withImages(detail.input, images) }, originOf(detail), options);
}

function outputOf(detail: TraceSpan['detail'], options: ProfileOptions): string | undefined {
  if (detail.kind === 'tool') return undefined;
  return jsonContent({ role: 'assistant', content: detail.output }, originOf(detail), options);
}

/** The text alone, as the seed has it, unless there is something beside it. */
function withImages(text: string, images: readonly ImagePlaceholder[]): unknown {
  return images.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text', text }]), ...images];
}

/** The seed's four keys; then cache writes, by their price and never twice: Langfuse adds up all keys. */
function usageDetails(usage: TraceUsage): string {
  return JSON.stringify({
    input: usage.inputTokens,
    output: usage.outputTokens,
    total: usage.inputTokens + usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    input_cache_creation_5m: positive(usage.cacheWrite5mTokens),
    input_cache_creation_1h: positive(usage.cacheWrite1hTokens),
    cache_creation_input_tokens: positive(usage.cacheWriteTokens),
  });
}

function positive(tokens: number | undefined): number | undefined {
  return tokens === undefined || tokens === 0 ? undefined : tokens;
}

function parametersOf(usage: TraceUsage | undefined): string | undefined {
  if (usage?.speed === undefined && usage?.serviceTier === undefined) return undefined;
  return JSON.stringify({ speed: usage.speed, service_tier: usage.serviceTier });
}

function errorValues(span: TraceSpan, options: ProfileOptions): Values {
  if (span.error === undefined) return {};
  return {
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': statusOf(span, options).message,
  };
}

function commonValues(options: ProfileOptions): Values {
  return {
    'user.id': options.userId,
    'langfuse.environment': options.environment,
    'langfuse.trace.tags': options.tags === undefined || options.tags.length === 0 ? undefined : options.tags,
  };
}
