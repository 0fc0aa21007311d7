// An OTLP trace request as the JSON encoding of the protocol writes it: ids in hexadecimal digits, 64-bit numbers as text.

export interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  /** A text for NaN and the infinities. */
  doubleValue?: number | string;
  arrayValue?: { values?: AnyValue[] };
  kvlistValue?: { values?: KeyValue[] };
  /** Base64. */
  bytesValue?: string;
}

export interface KeyValue {
  key?: string;
  value?: AnyValue;
}

export interface Attributed {
  attributes?: KeyValue[];
  droppedAttributesCount?: number;
}

export interface SpanEvent extends Attributed {
  timeUnixNano?: string;
  name?: string;
}

export interface SpanLink extends Attributed {
  traceId?: string;
  spanId?: string;
  traceState?: string;
  flags?: number;
}

export interface Span extends Attributed {
  traceId?: string;
  spanId?: string;
  traceState?: string;
  parentSpanId?: string;
  name?: string;
  kind?: number;
  startTimeUnixNano?: string;
  endTimeUnixNano?: string;
  events?: SpanEvent[];
  droppedEventsCount?: number;
  links?: SpanLink[];
  droppedLinksCount?: number;
  status?: { message?: string; code?: number };
  flags?: number;
}

export interface Scope extends Attributed {
  name?: string;
  version?: string;
}

export interface ScopeSpans {
  scope?: Scope;
  spans?: Span[];
  schemaUrl?: string;
}

export interface ResourceSpans {
  resource?: Attributed;
  scopeSpans?: ScopeSpans[];
  schemaUrl?: string;
}

export interface TraceRequest {
  resourceSpans?: ResourceSpans[];
}

/** The request cannot be read; the message does not quote it. */
export class OtlpError extends Error {
  /** It has more parts than the gateway reads. */
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false }: { readonly isTooLarge?: boolean } = {}) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

/** Objects in one request: a small one that decompresses to millions of empty messages must not fill the memory. */
export const mostParts = 1_000_000;
/** Messages in messages. An attribute's value takes two or three for each level of its own. */
export const mostDepth = 100;
