// A transcript → the spans of its session. Nothing is sent or written.

import { displayWidth, formatDuration, formatTokens, oneLine, padEnd, padStart } from '../../base/text/index.ts';
import { findAgentTranscripts, readTurns } from '../read/index.ts';
import { spanName, type TraceSpan, type TraceUsage } from '../span/index.ts';
import { looseAgentSpans, spansOfTurn } from './spans.ts';

/** Options of `sessionSpans`. */
export interface SessionSpansOptions {
  /** Follow the original description of cc-langfuse: every user line that is not a tool result starts a turn. */
  readonly strictSeed?: boolean;
}

/** Returns the spans of all turns of a session, sub-agents included, without sending or writing anything. */
export async function sessionSpans(path: string, options: SessionSpansOptions = {}): Promise<readonly TraceSpan[]> {
  const strictSeed = options.strictSeed === true;
  const { turns, cursor } = readTurns(path, undefined, { isOver: true, strictSeed });
  const context = { sessionId: cursor.sessionId, agents: await findAgentTranscripts(path), strictSeed };
  const inTurns = turns.flatMap((turn) => spansOfTurn(turn, context));
  const started = new Set(inTurns.flatMap(({ detail }) => (detail.kind === 'subagent' ? [detail.agentId] : [])));
  return [...inTurns, ...looseAgentSpans(context.agents, started, context).flatMap(({ spans }) => spans)];
}

// Spans → their tree, as lines of text and as JSON, for `clew trace explain`.

interface SpanNode {
  readonly span: TraceSpan;
  readonly children: readonly SpanNode[];
}

/** A span whose parent is missing, because it was sent before, is a root here. */
function spanTree(spans: readonly TraceSpan[]): readonly SpanNode[] {
  const known = new Set(spans.map((span) => span.spanId));
  const below = new Map<string, TraceSpan[]>();
  const roots: TraceSpan[] = [];
  for (const span of spans) {
    const parent = span.parentSpanId;
    const siblings = parent === undefined || !known.has(parent) ? roots : (below.get(parent) ?? []);
    siblings.push(span);
    if (parent !== undefined && siblings !== roots) below.set(parent, siblings);
  }
  const nodeOf = (span: TraceSpan): SpanNode => ({ span, children: (below.get(span.spanId) ?? []).map(nodeOf) });
  return roots.map(nodeOf);
}

/** Returns the tree of spans as lines of text. */
export function explainLines(spans: readonly TraceSpan[]): readonly string[] {
  const rows = spanTree(spans).flatMap((node) => nodeRows(node, 0));
  const [nameWidth, timeWidth] = [widest(rows.map(({ name }) => name)), widest(rows.map(({ time }) => time))];
  return rows.map(({ name, time, facts }) =>
    [padEnd(name, nameWidth), padStart(time, timeWidth), ...facts].join('  ').trimEnd(),
  );
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

/** Returns the tree of spans as objects, children inside, without content. */
export function explainJson(spans: readonly TraceSpan[]): readonly ExplainedSpan[] {
  return spanTree(spans).map(explainNode);
}

/** A span with its children, without content. */
export interface ExplainedSpan {
  readonly kind: TraceSpan['kind'];
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly startTime: string | undefined;
  readonly endTime: string | undefined;
  readonly usage: TraceUsage | undefined;
  readonly error: string | undefined;
  readonly children: readonly ExplainedSpan[];
}

function explainNode({ span, children }: SpanNode): ExplainedSpan {
  return {
    kind: span.kind,
    name: spanName(span),
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    startTime: isoTime(span.startMs),
    endTime: isoTime(span.endMs),
    usage: span.detail.kind === 'generation' ? span.detail.usage : undefined,
    error: span.error,
    children: children.map(explainNode),
  };
}

interface Row {
  readonly name: string;
  readonly time: string;
  readonly facts: readonly string[];
}

function nodeRows({ span, children }: SpanNode, depth: number): readonly Row[] {
  const start = depth === 0 ? (isoTime(span.startMs) ?? 'no time') : undefined;
  const facts = [usageText(span), span.error, start].filter((fact) => fact !== undefined);
  const name = `${'  '.repeat(depth)}${oneLine(spanName(span), maxNameColumns)}`;
  return [{ name, time: duration(span) ?? '', facts }, ...children.flatMap((child) => nodeRows(child, depth + 1))];
}

const maxNameColumns = 60;

function duration({ startMs, endMs }: TraceSpan): string | undefined {
  if (startMs === undefined || endMs === undefined) return undefined;
  return formatDuration(endMs - startMs);
}

function usageText({ detail }: TraceSpan): string | undefined {
  if (detail.kind !== 'generation' || detail.usage === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, cacheWriteTokens } =
    detail.usage;
  const written = (cacheWrite5mTokens ?? 0) + (cacheWrite1hTokens ?? 0) + (cacheWriteTokens ?? 0);
  const parts = [`${formatTokens(inputTokens)} in`, `${formatTokens(outputTokens)} out`];
  if (cacheReadTokens !== undefined && cacheReadTokens > 0) parts.push(`${formatTokens(cacheReadTokens)} read`);
  if (written > 0) parts.push(`${formatTokens(written)} written`);
  return parts.join(', ');
}

function isoTime(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
