// What readers that are not ours make of OTLP requests, in one shape for both encodings: ids in hex, times as digits,
// attributes with their kinds.
import assert from 'node:assert/strict';
import { officialType } from './otlp-receiver.ts';

export const exportRequest: ReturnType<typeof officialType> = officialType('ExportTraceServiceRequest');

export interface ReadTrace {
  readonly resource: readonly unknown[];
  readonly scope: object;
  /** Of the resource and of the scope. */
  readonly schemaUrls: readonly string[];
  readonly spans: readonly { readonly traceId: string; readonly spanId: string; readonly name: string | undefined }[];
}

export function readOfficially(bytes: Buffer): ReadTrace {
  return asRead(exportRequest.toObject(exportRequest.decode(bytes), { longs: String, bytes: Buffer }));
}

export function jsonAsRead(bytes: Buffer): ReadTrace {
  return asRead(JSON.parse(bytes.toString('utf8')));
}

export function asRead(request: unknown): ReadTrace {
  const [resourceSpans, ...others] = (request as ReadRequest).resourceSpans;
  const [scopeSpans, ...more] = resourceSpans?.scopeSpans ?? [];
  assert.deepEqual([others, more], [[], []]);
  return {
    resource: (resourceSpans?.resource?.attributes ?? []).map(readAttribute),
    scope: { name: scopeSpans?.scope.name, version: scopeSpans?.scope.version },
    schemaUrls: [resourceSpans?.schemaUrl ?? '', scopeSpans?.schemaUrl ?? ''],
    spans: (scopeSpans?.spans ?? []).map((span) => ({
      traceId: hex(span.traceId),
      spanId: hex(span.spanId),
      parentSpanId: hex(span.parentSpanId),
      name: span.name,
      kind: { SPAN_KIND_INTERNAL: 1, SPAN_KIND_CLIENT: 3 }[String(span.kind)] ?? Number(span.kind),
      start: String(span.startTimeUnixNano),
      end: String(span.endTimeUnixNano),
      attributes: (span.attributes ?? []).map(readAttribute),
      events: (span.events ?? []).map((event) => [
        event.name,
        String(event.timeUnixNano),
        (event.attributes ?? []).map(readAttribute),
      ]),
      status: [
        { STATUS_CODE_ERROR: 2 }[String(span.status?.code)] ?? Number(span.status?.code ?? 0),
        span.status?.message ?? '',
      ],
    })),
  };
}

interface ReadValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: unknown;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly ReadValue[] };
}
interface ReadAttribute {
  readonly key?: string;
  readonly value?: ReadValue;
}
interface ReadSpan {
  readonly traceId: unknown;
  readonly spanId: unknown;
  readonly parentSpanId?: unknown;
  readonly name?: string;
  readonly kind?: unknown;
  readonly startTimeUnixNano: unknown;
  readonly endTimeUnixNano: unknown;
  readonly attributes?: readonly ReadAttribute[];
  readonly events?: readonly {
    readonly name?: string;
    readonly timeUnixNano: unknown;
    readonly attributes?: readonly ReadAttribute[];
  }[];
  readonly status?: { readonly code?: unknown; readonly message?: string };
}
interface ReadRequest {
  readonly resourceSpans: readonly {
    readonly schemaUrl?: string;
    readonly resource?: { readonly attributes?: readonly ReadAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly schemaUrl?: string;
      readonly spans?: readonly ReadSpan[];
    }[];
  }[];
}

function readAttribute({ key, value }: ReadAttribute): unknown[] {
  // A reader's own object may have defaults in its prototype.
  const { stringValue, boolValue, intValue, doubleValue, arrayValue }: ReadValue = { ...value };
  if (intValue !== undefined) return [key, 'int', String(intValue)];
  if (arrayValue !== undefined) return [key, 'array', (arrayValue.values ?? []).map((each) => each.stringValue)];
  if (boolValue !== undefined) return [key, 'bool', boolValue];
  return doubleValue === undefined ? [key, 'string', stringValue] : [key, 'double', doubleValue];
}

function hex(id: unknown): string {
  return typeof id === 'string'
    ? id
    : id === undefined || id === null
      ? ''
      : Buffer.from(id as Uint8Array).toString('hex');
}
