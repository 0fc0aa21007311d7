// What all profiles share: options, times, attributes and the resource.
import { asObject, asString } from '../../base/json/index.ts';
import { version as ownVersion } from '../../base/version/index.ts';
import {
  type ContentOrigin,
  type ContentRules,
  type GenerationDetail,
  isClientReply,
  type SpanParent,
  type SubagentDetail,
  type ToolDetail,
  type TraceSpan,
  type TraceUsage,
  type TurnDetail,
  textContent,
  type WireAttribute,
  type WireSpan,
} from '../span/index.ts';

export interface ProfileOptions extends ContentRules {
  /** The default for missing times. */
  readonly nowMs: number;
  /** A missing time is taken from other spans rather than from the clock. */
  readonly isBackfill?: boolean;
  /** Only `langfuse`: a span above the turn, like cc-langfuse writes. */
  readonly wrapperSpan?: boolean;
  readonly userId?: string;
  readonly environment?: string;
  readonly tags?: readonly string[];
  /** Only `openinference`: the project in Phoenix. */
  readonly projectName?: string;
  /** Such as `aws.bedrock`; by default derived from the model name. */
  readonly provider?: string;
  /** Only `langfuse`. */
  readonly release?: string;
  /** Seed 002 to the letter, as far as the profile supports it. */
  readonly strictSeed?: boolean;
  readonly parent?: SpanParent;
  /** In dollars; `undefined` if unknown or not requested. */
  readonly costOf?: (span: TraceSpan) => number | undefined;
}

export type Values = Readonly<Record<string, WireAttribute['value'] | undefined>>;

/** Skips attributes without a value. */
export function attributes(values: Values): readonly WireAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: wellFormed(value) }],
  );
}

function wellFormed(value: WireAttribute['value']): WireAttribute['value'] {
  if (typeof value === 'string') return value.toWellFormed();
  return Array.isArray(value) ? value.map((each: string) => each.toWellFormed()) : value;
}

/** A root becomes a child of the other program's span, in that program's trace. */
export function wireIds(
  { traceId, spanId, parentSpanId }: TraceSpan,
  { parent }: ProfileOptions,
): Pick<WireSpan, 'traceId' | 'spanId' | 'parentSpanId'> {
  return { traceId: parent?.traceId ?? traceId, spanId, parentSpanId: parentSpanId ?? parent?.spanId };
}

/** The names of Claude Code's own OpenTelemetry spans and events, so that the two can be joined. */
export function clientValues({ detail, promptId }: TraceSpan): Values {
  return {
    'prompt.id': promptId,
    request_id: detail.kind === 'generation' ? detail.requestId : undefined,
    tool_use_id: detail.kind === 'tool' ? detail.toolUseId : undefined,
    agent_id: detail.kind === 'turn' ? undefined : detail.agentId,
    skill_name: skillOf(detail),
    command_name: detail.kind === 'turn' ? detail.command : undefined,
  };
}

export function skillOf(detail: TraceSpan['detail']): string | undefined {
  if (detail.kind !== 'tool' || detail.name !== 'Skill') return undefined;
  const input = asObject(detail.input);
  return asString(input?.skill) ?? asString(input?.command);
}

export function modelOf(detail: GenerationDetail): string | undefined {
  return isClientReply(detail) ? undefined : detail.model;
}

/** A reply of the client without a request, not even a failed one. */
export function isClientMessage({ detail, error }: TraceSpan): boolean {
  return isClientReply(detail) && error === undefined;
}

export function tagsOf({ tags }: ProfileOptions): readonly string[] | undefined {
  return tags === undefined || tags.length === 0 ? undefined : tags;
}

export function compactionEvents({ detail }: TraceSpan, startNs: bigint): WireSpan['events'] {
  if (detail.kind !== 'generation') return [];
  return detail.compactions.map(({ timeMs, trigger, preTokens }) => ({
    name: 'claude_code.compaction',
    timeNs: timeMs === undefined ? startNs : nanoseconds(timeMs),
    attributes: attributes({ trigger, pre_tokens: count(preTokens) }),
  }));
}

export function resourceOf(spans: readonly TraceSpan[], extra: Values = {}): readonly WireAttribute[] {
  return attributes({
    'service.name': 'claude-code',
    'service.version': spans.find(({ version }) => version !== undefined)?.version,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'clew',
    'telemetry.sdk.version': ownVersion,
    ...extra,
  });
}

export interface WireTimes {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** A missing time is now; in a backfill, where spans would last for months, that of another span. */
export function wireTimes(span: TraceSpan, spans: readonly TraceSpan[], options: ProfileOptions): WireTimes {
  const { startMs, endMs } = span;
  const near = startMs ?? endMs ?? (options.isBackfill === true ? timeNear(span, spans) : undefined) ?? options.nowMs;
  const start = startMs ?? (options.isBackfill === true || endMs !== undefined ? near : options.nowMs);
  const end = endMs ?? (options.isBackfill === true ? start : options.nowMs);
  return { startNs: nanoseconds(start), endNs: nanoseconds(Math.max(start, end)) };
}

function timeNear(span: TraceSpan, spans: readonly TraceSpan[]): number | undefined {
  const sameTrace = spans.find((each) => each.traceId === span.traceId && (each.startMs ?? each.endMs) !== undefined);
  return sameTrace?.startMs ?? sameTrace?.endMs;
}

/** OTLP has no times before 1970. */
function nanoseconds(ms: number): bigint {
  return Number.isFinite(ms) && ms > 0 ? BigInt(Math.min(Math.trunc(ms), maxMs)) * 1_000_000n : 0n;
}

// 2^63 nanoseconds.
const maxMs = 9_223_372_036_854;

/** The content of a sub-agent counts as content of the tool that started it. */
export function originOf(detail: GenerationDetail | ToolDetail | SubagentDetail | TurnDetail): ContentOrigin {
  if (detail.kind === 'turn') return 'talk';
  return detail.kind === 'generation' && detail.agentId === undefined ? 'talk' : 'tool';
}

/** The error message if the mode allows it, else the kind of error. */
export function statusOf(
  span: TraceSpan,
  options: ProfileOptions,
): { readonly code: 0 | 2; readonly message: string | undefined } {
  if (span.error === undefined) return { code: 0, message: undefined };
  const text = textContent(span.errorText, originOf(span.detail), { ...options, maxChars: maxStatusChars });
  return { code: 2, message: text === undefined || text === '' ? span.error : text };
}

const maxStatusChars = 1000;

export function parametersOf(usage: TraceUsage | undefined): string | undefined {
  if (usage?.speed === undefined && usage?.serviceTier === undefined) return undefined;
  return JSON.stringify({ speed: usage.speed, service_tier: usage.serviceTier });
}

export function cacheWritesOf(usage: TraceUsage): number | undefined {
  const writes = [usage.cacheWrite5mTokens, usage.cacheWrite1hTokens, usage.cacheWriteTokens];
  const known = writes.filter((tokens) => tokens !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, tokens) => sum + tokens, 0);
}

export function providerOf(model: string | undefined, options: ProfileOptions): string {
  if (options.provider !== undefined) return options.provider;
  if (model === undefined) return 'anthropic';
  if (/^(?:[a-z]{2,6}\.)?anthropic\.|^arn:aws:/.test(model)) return 'aws.bedrock';
  return /@\d{8}$/.test(model) ? 'gcp.vertex_ai' : 'anthropic';
}

export function count(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(Math.trunc(value));
}
