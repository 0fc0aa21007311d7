// A trace request → its spans, each with a key that recognises it, without secrets and with the attributes of its sender.
import { createHash } from 'node:crypto';
import type { RuleSet } from '../../../surgery/secrets/index.ts';
import { encodeProtobuf, type ResourceSpans, type ScopeSpans, type Span, type TraceRequest } from '../otlp/index.ts';
import type { Sender } from '../queue/index.ts';
import { removeReserved, tagResource, tagSpan } from './attribution.ts';
import { redactRequest } from './redact-request.ts';

export interface ReceivedSpan {
  /** 16 bytes. */
  readonly key: Buffer;
  readonly span: Span;
  /** Bytes of the span in protobuf. */
  readonly size: number;
  readonly resourceSpans: ResourceSpans;
  readonly scopeSpans: ScopeSpans;
}

export interface PreparedRequest {
  readonly spans: readonly ReceivedSpan[];
  /** Spans without valid ids. */
  readonly rejected: number;
}

export function prepareRequest(request: TraceRequest, sender: Sender, ruleSet: RuleSet): PreparedRequest {
  let rejected = 0;
  const found = new Map<string, Omit<ReceivedSpan, 'size'>>();
  for (const resourceSpans of request.resourceSpans ?? [])
    for (const scopeSpans of resourceSpans.scopeSpans ?? []) {
      const context = hashContext(resourceSpans, scopeSpans);
      for (const span of scopeSpans.spans ?? []) {
        if (!isValid(span)) rejected++;
        else {
          // Of what was sent: the rules for secrets may change before it is sent again.
          const key = createHash('sha256')
            .update(context)
            .update(encodeProtobuf('Span', span))
            .digest()
            .subarray(0, 16);
          found.set(key.toString('latin1'), { key, span, resourceSpans, scopeSpans });
        }
      }
    }
  redactRequest(request, ruleSet);
  for (const resourceSpans of request.resourceSpans ?? []) attributeTo(sender, resourceSpans);
  const spans = [...found.values()].map((each) => ({ ...each, size: encodeProtobuf('Span', each.span).length + 8 }));
  return { spans, rejected };
}

function hashContext({ resource, schemaUrl }: ResourceSpans, { scope, schemaUrl: ofScope }: ScopeSpans): Buffer {
  const hash = createHash('sha256').update(encodeProtobuf('Resource', resource ?? {}));
  hash.update(encodeProtobuf('InstrumentationScope', scope ?? {}));
  return hash.update(JSON.stringify([schemaUrl, ofScope])).digest();
}

/** An id of zeros is not valid either. */
function isValid({ traceId = '', spanId = '', parentSpanId = '' }: Span): boolean {
  const isId = (id: string, length: number): boolean => id.length === length && !/^0*$/.test(id);
  return isId(traceId, 32) && isId(spanId, 16) && (parentSpanId === '' || parentSpanId.length === 16);
}

function attributeTo(sender: Sender, resourceSpans: ResourceSpans): void {
  resourceSpans.resource ??= {};
  removeReserved(resourceSpans.resource);
  tagResource(resourceSpans.resource, sender);
  for (const { scope, spans = [] } of resourceSpans.scopeSpans ?? []) {
    removeReserved(scope);
    for (const span of spans) {
      removeReserved(span);
      for (const each of [...(span.events ?? []), ...(span.links ?? [])]) removeReserved(each);
      tagSpan(span, sender);
    }
  }
}
