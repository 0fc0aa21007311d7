// Encodes an OTLP request as protobuf or JSON, and decodes the response. Not by an SDK, because the bytes are stored and
// sent again unchanged, and because the hook must start fast.
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Wire, WireAttribute, WireSpan } from '../span/index.ts';
import {
  bytes,
  double,
  fixed64,
  integer,
  message,
  nested,
  type Piece,
  readFields,
  text,
  toBuffer,
  unsigned,
} from './protobuf.ts';

export function encodeProtobuf(wire: Wire): Buffer {
  const resource = message(wire.resource.map((each) => nested(1, attributePiece(each))));
  const scope = message([text(1, wire.scope.name), text(2, wire.scope.version)]);
  const spans = wire.spans.map((span) => nested(2, spanPiece(span)));
  const scopeSpans = message([nested(1, scope), ...spans, ...schemaUrlPieces(wire)]);
  const resourceSpans = message([nested(1, resource), nested(2, scopeSpans), ...schemaUrlPieces(wire)]);
  return toBuffer(nested(1, resourceSpans));
}

function schemaUrlPieces({ schemaUrl }: Wire): readonly Piece[] {
  return schemaUrl === undefined ? [] : [text(3, schemaUrl)];
}

export function encodeJson(wire: Wire): Buffer {
  const resource = { attributes: wire.resource.map(attributeJson) };
  const { scope, schemaUrl } = wire;
  const scopeSpans = [{ scope, spans: wire.spans.map(spanJson), schemaUrl }];
  return Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans, schemaUrl }] }));
}

/** Receivers refuse large requests. */
const maxBatchBytes: number = 2_500_000;

/** As few requests as fit the size, in the same order; a span that is too large gets its own. */
export function splitBatches(wire: Wire, maxBytes: number = maxBatchBytes): readonly Wire[] {
  const batches: WireSpan[][] = [];
  let room = 0;
  for (const span of wire.spans) {
    const size = spanPiece(span).size + 8;
    const last = batches.at(-1);
    if (last === undefined || size > room) {
      batches.push([span]);
      room = maxBytes - size;
    } else {
      last.push(span);
      room -= size;
    }
  }
  return batches.map((spans) => ({ ...wire, spans }));
}

export interface PartialSuccess {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** The body of a 2xx response; `undefined` if everything was accepted, or if the body is unreadable. */
export function decodeResponse(body: Buffer, contentType: string | undefined): PartialSuccess | undefined {
  const isJson = contentType?.includes('json') ?? body[0] === 0x7b;
  const answer = isJson ? jsonAnswer(body) : protobufAnswer(body);
  return answer === undefined || (answer.rejectedSpans === 0 && answer.errorMessage === '') ? undefined : answer;
}

function jsonAnswer(body: Buffer): PartialSuccess | undefined {
  const answer = asObject(parseJson(body.toString('utf8')));
  const partial = asObject(answer?.partialSuccess ?? answer?.partial_success);
  if (partial === undefined) return undefined;
  const rejected = Number(partial.rejectedSpans ?? partial.rejected_spans ?? 0);
  return {
    rejectedSpans: Number.isSafeInteger(rejected) ? Math.max(0, rejected) : 0,
    errorMessage: asString(partial.errorMessage ?? partial.error_message) ?? '',
  };
}

function protobufAnswer(body: Buffer): PartialSuccess | undefined {
  const partial = readFields(body)?.find((field) => field.number === 1)?.bytes;
  const fields = partial === undefined ? undefined : readFields(partial);
  if (fields === undefined) return undefined;
  const rejected = BigInt.asIntN(64, fields.find((field) => field.number === 1)?.value ?? 0n);
  const errorMessage = fields.find((field) => field.number === 2)?.bytes.toString('utf8') ?? '';
  return { rejectedSpans: rejected > 0n ? Number(rejected) : 0, errorMessage };
}

function spanPiece(span: WireSpan): Piece {
  const { parentSpanId, status } = span;
  return message([
    bytes(1, Buffer.from(span.traceId, 'hex')),
    bytes(2, Buffer.from(span.spanId, 'hex')),
    ...(parentSpanId === undefined ? [] : [bytes(4, Buffer.from(parentSpanId, 'hex'))]),
    text(5, span.name),
    unsigned(6, span.kind),
    fixed64(7, span.startNs),
    fixed64(8, span.endNs),
    ...span.attributes.map((each) => nested(9, attributePiece(each))),
    ...span.events.map((event) =>
      nested(
        11,
        message([
          fixed64(1, event.timeNs),
          text(2, event.name),
          ...event.attributes.map((each) => nested(3, attributePiece(each))),
        ]),
      ),
    ),
    ...(status.code === 0 ? [] : [nested(15, statusPiece(status))]),
  ]);
}

function statusPiece(status: WireSpan['status']): Piece {
  return message([...(status.message === undefined ? [] : [text(2, status.message)]), unsigned(3, status.code)]);
}

function attributePiece({ key, value }: WireAttribute): Piece {
  return message([text(1, key), nested(2, valuePiece(value))]);
}

function valuePiece(value: WireAttribute['value']): Piece {
  switch (typeof value) {
    case 'string':
      return text(1, value);
    case 'boolean':
      return unsigned(2, value ? 1 : 0);
    case 'bigint':
      return integer(3, value);
    case 'number':
      return double(4, value);
    default:
      return nested(5, message(value.map((each) => nested(1, text(1, each)))));
  }
}

function spanJson(span: WireSpan): object {
  const { status } = span;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: String(span.endNs),
    attributes: span.attributes.map(attributeJson),
    ...(span.events.length === 0 ? {} : { events: span.events.map(eventJson) }),
    ...(status.code === 0
      ? {}
      : { status: { ...(status.message === undefined ? {} : { message: status.message }), code: status.code } }),
  };
}

function eventJson(event: WireSpan['events'][number]): object {
  return { timeUnixNano: String(event.timeNs), name: event.name, attributes: event.attributes.map(attributeJson) };
}

function attributeJson({ key, value }: WireAttribute): object {
  switch (typeof value) {
    case 'string':
      return { key, value: { stringValue: value } };
    case 'boolean':
      return { key, value: { boolValue: value } };
    case 'bigint':
      return { key, value: { intValue: String(value) } };
    case 'number':
      return { key, value: { doubleValue: value } };
    default:
      return { key, value: { arrayValue: { values: value.map((each) => ({ stringValue: each })) } } };
  }
}
