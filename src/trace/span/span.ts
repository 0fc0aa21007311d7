// The spans of a turn, independent of any destination: a tree whose ids are the same in every run and in every copy of a
// session. A profile turns it into the attributes of one destination.

import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { type Block, isDocument, isImage, type Usage } from '../../format/entry/index.ts';

/** A span of a trace: a turn, a generation, a tool call or a sub-agent. */
export interface TraceSpan {
  /** 32 hex digits; one trace a turn. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Absent for the turn itself. */
  readonly parentSpanId: string | undefined;
  readonly kind: 'turn' | 'generation' | 'tool' | 'subagent';
  /** `undefined` if no line has a time. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly sessionId: string;
  readonly traceName: string;
  /** The client's id of the prompt that the span answers; `undefined` before Claude Code 2.1.83. */
  readonly promptId: string | undefined;
  /** The client's version when the turn began. */
  readonly version: string | undefined;
  readonly detail: TurnDetail | GenerationDetail | ToolDetail | SubagentDetail;
  /** Not content, so that every content mode sends it. */
  readonly error: 'interrupted' | 'api_error' | 'tool_error' | undefined;
  /** The error message, which is content like an output. */
  readonly errorText: string | undefined;
}

/** The facts of a turn. */
export interface TurnDetail {
  readonly kind: 'turn';
  /** First assistant message id of the turn, else the prompt's uuid, else session and line. */
  readonly turnKey: string;
  readonly number: number;
  readonly input: string;
  readonly images: readonly ImagePlaceholder[];
  /** The slash command that the prompt is, without the slash. */
  readonly command: string | undefined;
  readonly output: string;
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  readonly slug: string | undefined;
}

/** Describes an image or document; the bytes are never sent. */
export interface ImagePlaceholder {
  readonly type: 'image' | 'document';
  readonly media_type: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/** The facts of one API response. */
export interface GenerationDetail {
  readonly kind: 'generation';
  /** The sub-agent it belongs to; `undefined` in the turn itself. */
  readonly agentId: string | undefined;
  readonly messageId: string | undefined;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  /** The prompt; only of the first generation of a turn. */
  readonly input: string | undefined;
  readonly images: readonly ImagePlaceholder[];
  /** The tool results since the previous generation. */
  readonly results: readonly GenerationResult[];
  /** Compactions of the conversation since the previous generation. */
  readonly compactions: readonly TraceCompaction[];
  readonly output: string;
  readonly thinking: string | undefined;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly usage: TraceUsage | undefined;
  /** The same usage, with everything a price depends on. */
  readonly pricedUsage: readonly Usage[];
}

/** A tool result in the input of a generation. */
export interface GenerationResult {
  readonly toolUseId: string;
  readonly content: unknown;
  readonly isError: boolean;
}

/** A compaction of the conversation: the client replaced the history by a summary. */
export interface TraceCompaction {
  readonly timeMs: number | undefined;
  /** `auto` or `manual`. */
  readonly trigger: string | undefined;
  /** The tokens of the context before it. */
  readonly preTokens: number | undefined;
}

/** The tokens of a generation. */
export interface TraceUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number | undefined;
  readonly cacheWrite5mTokens: number | undefined;
  readonly cacheWrite1hTokens: number | undefined;
  /** Cache writes whose lifetime no line states. */
  readonly cacheWriteTokens: number | undefined;
  readonly speed: string | undefined;
  readonly serviceTier: string | undefined;
}

/** The facts of a tool call. */
export interface ToolDetail {
  readonly kind: 'tool';
  /** The sub-agent it belongs to; `undefined` in the turn itself. */
  readonly agentId: string | undefined;
  readonly toolUseId: string;
  readonly name: string;
  /** Run by the API or an MCP server instead of the client. */
  readonly isExternal: boolean;
  readonly input: unknown;
  /** The content of its result, if it has one. */
  readonly output: unknown;
}

/** The facts of a sub-agent. */
export interface SubagentDetail {
  readonly kind: 'subagent';
  readonly agentId: string;
  readonly agentType: string | undefined;
  readonly input: string;
  readonly output: string;
}

/** A span of another program, as `traceparent` of W3C Trace Context names it. */
export interface SpanParent {
  readonly traceId: string;
  readonly spanId: string;
}

/** The content of one request to a destination. */
export interface Wire {
  readonly resource: readonly WireAttribute[];
  readonly scope: { readonly name: string; readonly version: string };
  /** Of the conventions that the attributes follow. */
  readonly schemaUrl?: string;
  readonly spans: readonly WireSpan[];
}

/** A span as it is sent to a destination. */
export interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** OTLP: 1 internal, 3 client. */
  readonly kind: 1 | 3;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: readonly WireAttribute[];
  readonly events: readonly {
    readonly name: string;
    readonly timeNs: bigint;
    readonly attributes: readonly WireAttribute[];
  }[];
  readonly status: { readonly code: 0 | 1 | 2; readonly message: string | undefined };
}

export interface WireAttribute {
  readonly key: string;
  readonly value: string | boolean | bigint | number | readonly string[];
}

/** `strictSeed`: a reply of the client itself is named `<synthetic>`, as in the original description. */
export function spanName({ detail, error }: Pick<TraceSpan, 'detail' | 'error'>, strictSeed = false): string {
  switch (detail.kind) {
    case 'turn':
      return turnName(detail.number);
    case 'generation':
      if (isClientReply(detail) && !strictSeed) return error === undefined ? 'client message' : 'API error';
      return (detail.model ?? 'unknown').toWellFormed();
    case 'tool':
      return detail.name.toWellFormed();
    case 'subagent':
      return agentName(detail.agentType);
    default:
      return detail satisfies never;
  }
}

/** The client wrote it, not a model: after an API error, or when no answer was needed. */
export function isClientReply(detail: TraceSpan['detail']): boolean {
  return detail.kind === 'generation' && detail.model === '<synthetic>';
}

export function turnName(number: number): string {
  return `Turn ${number}`;
}

export function agentName(agentType: string | undefined): string {
  return `Subagent: ${agentType ?? 'unknown'}`.toWellFormed();
}

const maxDepth = 64;

export function imagesOf(blocks: readonly Block[]): readonly ImagePlaceholder[] {
  return blocks.flatMap((block) => placeholderOf(block) ?? []);
}

/** Cuts a value that is nested deeper than any tool nests, to protect this process and the receiver. */
export function withoutImages(value: JsonValue | undefined, depth = 0): JsonValue | undefined {
  if (depth > maxDepth && typeof value === 'object' && value !== null) return '[nested too deep]';
  if (isArray(value)) return value.map((item) => withoutImages(item, depth + 1) ?? null);
  if (!isObject(value)) return value;
  const placeholder = placeholderOf(value);
  if (placeholder !== undefined) return { ...placeholder };
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutImages(inner, depth + 1)] as const);
  return Object.fromEntries(entries);
}

function placeholderOf(block: Block): ImagePlaceholder | undefined {
  if (!isImage(block) && !isDocument(block)) return undefined;
  const source = asObject(block.source);
  const data = asString(source?.data);
  const bytes = data === undefined ? undefined : dataBytes(data, asString(source?.type));
  return {
    type: block.type,
    media_type: asString(source?.media_type) ?? null,
    bytes: bytes?.length ?? null,
    sha256: bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex'),
  };
}

function dataBytes(data: string, type: string | undefined): Buffer {
  return Buffer.from(data, type === 'base64' ? 'base64' : 'utf8');
}

/** `seed`: makes ids that another program can predict, from this text and the number of the turn. */
export function traceIdOf(turnKey: string, turnNumber: number, seed?: string): string {
  return hexDigits(seed === undefined ? `cct1|trace|${turnKey}` : `${seed}:${turnNumber}`, 32);
}

export function turnSpanId(traceId: string): string {
  return hexDigits(`${traceId}|agent`, 16);
}

/** The span that `CLEW_TRACE_WRAPPER_SPAN` puts above the turn. */
export function wrapperSpanId(traceId: string): string {
  return hexDigits(`${traceId}|wrapper`, 16);
}

export function subagentSpanId(traceId: string, agentId: string): string {
  return hexDigits(`${traceId}|sub|${agentId}`, 16);
}

/** `scope`: the trace id, or `agentScope` inside a sub-agent. A message without an id is named by its index. */
export function generationSpanId(scope: string, messageId: string | undefined, index: number): string {
  return hexDigits(messageId === undefined ? `${scope}|gen#${index}` : `${scope}|gen|${messageId}`, 16);
}

export function toolSpanId(scope: string, toolUseId: string): string {
  return hexDigits(`${scope}|tool|${toolUseId}`, 16);
}

export function agentScope(traceId: string, agentId: string): string {
  return `${traceId}|sub|${agentId}`;
}

/** Short enough to be stored for all turns of a session. */
export function shortKey(turnKey: string): string {
  return createHash('sha256').update(turnKey).digest('base64url').slice(0, 11);
}

function hexDigits(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
