// Spans as a turn has them → the bytes of a destination's requests, none larger than servers take.
import { gzipSync } from 'node:zlib';
import type { Labels } from './config.ts';
import type { Destination } from './destinations.ts';
import { encodeJson, encodeProtobuf, splitBatches } from './otlp.ts';
import { toWire as toGenai } from './profiles/genai.ts';
import { toWire as toLangfuse } from './profiles/langfuse.ts';
import { toWire as toOpeninference } from './profiles/openinference.ts';
import type { SpanParent } from './profiles/profile.ts';
import type { Redact } from './redaction.ts';
import type { TraceSpan } from './span.ts';

export interface EncodeOptions {
  readonly redact: Redact;
  readonly labels: Labels;
  readonly nowMs: number;
  readonly isBackfill: boolean;
  readonly strictSeed?: boolean;
  readonly parent?: SpanParent | undefined;
  /** What a generation cost, in dollars. */
  readonly costOf?: ((span: TraceSpan) => number | undefined) | undefined;
}

export interface EncodedBatch {
  readonly spanIds: readonly string[];
  readonly body: Buffer;
  readonly contentType: string;
  readonly contentEncoding: string;
}

const profiles = { langfuse: toLangfuse, genai: toGenai, openinference: toOpeninference } as const;

export function encodeBatches(
  { profile, format, content, hasThinking, project }: Destination,
  spans: readonly TraceSpan[],
  { redact, labels, nowMs, isBackfill, strictSeed = false, parent, costOf }: EncodeOptions,
): readonly EncodedBatch[] {
  const wire = profiles[profile](hasThinking ? spans : spans.map(withoutThinking), {
    mode: content,
    redact,
    nowMs,
    isBackfill,
    strictSeed,
    ...(parent === undefined ? {} : { parent }),
    ...(costOf === undefined ? {} : { costOf }),
    ...labels,
    ...(project === undefined ? {} : { projectName: project }),
  });
  const isJson = format === 'json';
  return splitBatches(wire).map((batch) => ({
    spanIds: batch.spans.map(({ spanId }) => spanId),
    body: gzipSync(isJson ? encodeJson(batch) : encodeProtobuf(batch)),
    contentType: isJson ? 'application/json' : 'application/x-protobuf',
    contentEncoding: 'gzip',
  }));
}

function withoutThinking(span: TraceSpan): TraceSpan {
  const { detail } = span;
  return detail.kind === 'generation' ? { ...span, detail: { ...detail, thinking: undefined } } : span;
}
