// What all profiles share: their options, times on the wire, attributes that are left out where there is nothing to
// say, and the resource that names the sender.

import { asObject, asString } from '../../base/json.ts';
import { version as ownVersion } from '../../base/version.ts';
import { type ContentOrigin, type ContentRules, textContent } from '../content.ts';
import type {
  GenerationDetail,
  SpanParent,
  SubagentDetail,
  ToolDetail,
  TraceSpan,
  TurnDetail,
  WireAttribute,
  WireSpan,
} from '../span.ts';
import { isClientReply } from '../span-name.ts';

export interface ProfileOptions extends ContentRules {
  /** Stands in for times that no line tells. */
  readonly nowMs: number;
  /** History: a missing time is taken from its neighbours before it is taken from the clock. */
  readonly isBackfill?: boolean;
  /** Only of `langfuse`: a span above the turn that carries the trace, as cc-langfuse makes one. */
  readonly wrapperSpan?: boolean;
  readonly userId?: string;
  readonly environment?: string;
  readonly tags?: readonly string[];
  /** Only of `openinference`: the project at Phoenix. */
  readonly projectName?: string;
  /** `aws.bedrock`, `gcp.vertex_ai`; by default told from the model's name. */
  readonly provider?: string;
  /** Only of `langfuse`: the version of what is traced. */
  readonly release?: string;
  /** Seed 002 to the letter, as far as a profile has it. */
  readonly strictSeed?: boolean;
  /** The span of another program that turns are children of. */
  readonly parent?: SpanParent;
  /** What a generation cost, in dollars; `undefined` where it is not asked for or not known. */
  readonly costOf?: (span: TraceSpan) => number | undefined;
}

export type Values = Readonly<Record<string, WireAttribute['value'] | undefined>>;

/** Attributes in the order given, without those that have no value. */
export function attributes(values: Values): readonly WireAttribute[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: sound(value) }]));
}

function sound(value: WireAttribute['value']): WireAttribute['value'] {
  if (typeof value === 'string') return value.toWellFormed();
  return Array.isArray(value) ? value.map((each: string) => each.toWellFormed()) : value;
}

/** Ids on the wire: a root becomes a child of the other program's span, in that program's trace. */
export function wireIds(
  { traceId, spanId, parentSpanId }: TraceSpan,
  { parent }: ProfileOptions,
): Pick<WireSpan, 'traceId' | 'spanId' | 'parentSpanId'> {
  return { traceId: parent?.traceId ?? traceId, spanId, parentSpanId: parentSpanId ?? parent?.spanId };
}

/** Under the names of Claude Code's own OpenTelemetry spans and events, so that the two can be joined. */
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

/** The skill that a call of the Skill tool starts. */
export function skillOf(detail: TraceSpan['detail']): string | undefined {
  if (detail.kind !== 'tool' || detail.name !== 'Skill') return undefined;
  const input = asObject(detail.input);
  return asString(input?.skill) ?? asString(input?.command);
}

/** The model, unless the client wrote the reply itself. */
export function modelOf(detail: GenerationDetail): string | undefined {
  return isClientReply(detail) ? undefined : detail.model;
}

/** A reply of the client that stands for no request: it is not a failed one either. */
export function isClientMessage({ detail, error }: TraceSpan): boolean {
  return isClientReply(detail) && error === undefined;
}

export function tagsOf({ tags }: ProfileOptions): readonly string[] | undefined {
  return tags === undefined || tags.length === 0 ? undefined : tags;
}

/** Compactions before a generation are events of it. */
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

/** Live, a missing time is now; in a backfill that would make months of it. */
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

/** Before 1970, and where a time is no number, OTLP has none. */
function nanoseconds(ms: number): bigint {
  return Number.isFinite(ms) && ms > 0 ? BigInt(Math.min(Math.trunc(ms), maxMs)) * 1_000_000n : 0n;
}

// 2^63 nanoseconds: later does not fit.
const maxMs = 9_223_372_036_854;

/** Everything that a sub-agent says and is told is content of the tool that started it. */
export function originOf(detail: GenerationDetail | ToolDetail | SubagentDetail | TurnDetail): ContentOrigin {
  if (detail.kind === 'turn') return 'talk';
  return detail.kind === 'generation' && detail.agentId === undefined ? 'talk' : 'tool';
}

/** What was said of an error, as far as the mode lets it out; the word for it where it does not. */
export function statusOf(
  span: TraceSpan,
  options: ProfileOptions,
): { readonly code: 0 | 2; readonly message: string | undefined } {
  if (span.error === undefined) return { code: 0, message: undefined };
  const text = textContent(span.errorText, originOf(span.detail), { ...options, maxChars: maxStatusChars });
  return { code: 2, message: text === undefined || text === '' ? span.error : text };
}

const maxStatusChars = 1000;

export function providerOf(model: string | undefined, options: ProfileOptions): string {
  if (options.provider !== undefined) return options.provider;
  if (model === undefined) return 'anthropic';
  if (/^(?:[a-z]{2,6}\.)?anthropic\.|^arn:aws:/.test(model)) return 'aws.bedrock';
  return /@\d{8}$/.test(model) ? 'gcp.vertex_ai' : 'anthropic';
}

/** A count on the wire. */
export function count(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(Math.trunc(value));
}
