// Spans → the bytes of requests to a destination, none larger than servers accept.
import { gzipSync } from 'node:zlib';
import type { Destination, Labels, ProfileName } from '../config/index.ts';
import { encodeJson, encodeProtobuf, splitBatches } from '../otlp/index.ts';
import type { Redact, SpanParent, TraceSpan, Wire } from '../span/index.ts';
import { toWire as toGenai } from './genai.ts';
import { toWire as toLangfuse } from './langfuse.ts';
import { toWire as toOpeninference } from './openinference.ts';
import type { ProfileOptions } from './profile.ts';

export interface EncodeOptions {
  readonly redact: Redact;
  readonly labels: Labels;
  readonly nowMs: number;
  readonly isBackfill: boolean;
  readonly strictSeed?: boolean;
  readonly parent?: SpanParent | undefined;
  readonly costOf?: ((span: TraceSpan) => number | undefined) | undefined;
}

export interface EncodedBatch {
  readonly spanIds: readonly string[];
  readonly body: Buffer;
  readonly contentType: string;
  readonly contentEncoding: string;
}

export const profiles: Readonly<Record<ProfileName, (spans: readonly TraceSpan[], options: ProfileOptions) => Wire>> = {
  langfuse: toLangfuse,
  genai: toGenai,
  openinference: toOpeninference,
};

export function encodeBatches(
  destination: Destination,
  spans: readonly TraceSpan[],
  options: EncodeOptions,
): readonly EncodedBatch[] {
  const { profile, format, hasThinking } = destination;
  const wire = profiles[profile](
    hasThinking ? spans : spans.map(withoutThinking),
    profileOptions(destination, options),
  );
  const isJson = format === 'json';
  return splitBatches(wire).map((batch) => ({
    spanIds: batch.spans.map(({ spanId }) => spanId),
    body: gzipSync(isJson ? encodeJson(batch) : encodeProtobuf(batch)),
    contentType: isJson ? 'application/json' : 'application/x-protobuf',
    contentEncoding: 'gzip',
  }));
}

export function profileOptions({ content, project }: Destination, options: EncodeOptions): ProfileOptions {
  const { redact, labels, nowMs, isBackfill, strictSeed = false, parent, costOf } = options;
  return {
    mode: content,
    redact,
    nowMs,
    isBackfill,
    strictSeed,
    ...(parent === undefined ? {} : { parent }),
    ...(costOf === undefined ? {} : { costOf }),
    ...labels,
    ...(project === undefined ? {} : { projectName: project }),
  };
}

function withoutThinking(span: TraceSpan): TraceSpan {
  const { detail } = span;
  return detail.kind === 'generation' ? { ...span, detail: { ...detail, thinking: undefined } } : span;
}
