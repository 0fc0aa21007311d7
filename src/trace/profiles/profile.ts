// What all profiles share: their options, times on the wire, attributes that are left out where there is nothing to
// say, and the resource that names the sender.
import { version as ownVersion } from '../../base/version.ts';
import { type ContentOrigin, type ContentRules, textContent } from '../content.ts';
import type { GenerationDetail, SubagentDetail, ToolDetail, TraceSpan, TurnDetail, WireAttribute } from '../span.ts';

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

export function resourceOf(spans: readonly TraceSpan[], extra: Values = {}): readonly WireAttribute[] {
  const turn = spans.find((span) => span.detail.kind === 'turn')?.detail as TurnDetail | undefined; // kind is checked
  return attributes({
    'service.name': 'claude-code',
    'service.version': turn?.version,
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
