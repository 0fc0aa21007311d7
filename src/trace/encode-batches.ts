// Spans as a destination may have them → the bytes of its requests, none larger than servers take.
import { gzipSync } from 'node:zlib';
import type { Destination } from './config.ts';
import { encodeJson, encodeProtobuf, splitBatches } from './otlp.ts';
import { profileOf } from './profiles/profile.ts';
import type { Redact } from './redaction.ts';
import type { TraceSpan } from './span.ts';

export interface EncodedBatch {
  readonly spanIds: readonly string[];
  readonly body: Buffer;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
}

export function encodeBatches(destination: Destination, spans: readonly TraceSpan[], redact: Redact): readonly EncodedBatch[] {
  const wire = profileOf(destination.profile).toWire(spans, { mode: destination.content, redact, withThinking: destination.hasThinking });
  const isJson = destination.format === 'json';
  return splitBatches(wire).map((batch) => ({
    spanIds: batch.spans.map(({ spanId }) => spanId),
    body: gzipSync(isJson ? encodeJson(batch) : encodeProtobuf(batch)),
    contentType: isJson ? 'application/json' : 'application/x-protobuf',
    contentEncoding: 'gzip',
  }));
}
