// `POST /v1/traces`, as the OTLP specification describes it for HTTP: JSON or protobuf in, an answer in the same encoding.
import type { IncomingMessage } from 'node:http';
import { encodeProtobuf, type MessageName } from '../otlp/index.ts';
import type { Sender } from '../queue/index.ts';
import { type TakeOptions, takeTraces } from '../traces/index.ts';
import { announcedBytes, type BodyLimits, readBody } from './body.ts';
import type { ByteBudget, Slots } from './limits.ts';
import { Refusal } from './refusal.ts';

export interface TraceParts extends TakeOptions {
  readonly limits: BodyLimits;
  readonly budget: ByteBudget;
  readonly slots: Slots;
  /** New spans are in the queue. */
  readonly onTaken: () => void;
}

export interface TraceAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Answers only after the spans are committed. */
export async function answerTraces(request: IncomingMessage, sender: Sender, parts: TraceParts): Promise<TraceAnswer> {
  const isJson = isJsonRequest(request);
  if (isJson === undefined) throw new Refusal(415, 'send application/json or application/x-protobuf');
  if (parts.destinations.length === 0) throw new Refusal(404, 'this gateway forwards no traces');
  const bytes = announcedBytes(request, parts.limits);
  const taken = await parts.budget.with(bytes, async () => {
    const body = await readBody(request, parts.limits);
    return parts.slots.with(sender.person, () => takeTraces(body, isJson, sender, parts));
  });
  if (taken.spans > 0) parts.onTaken();
  const { rejected } = taken;
  const errorMessage = 'a span needs a trace id of 16 bytes and a span id of 8 bytes that are not zero';
  const partialSuccess = { rejectedSpans: String(rejected), errorMessage };
  return encodeAnswer('ExportTraceServiceResponse', rejected === 0 ? {} : { partialSuccess }, isJson);
}

/** The body of an error. */
export function encodeError(request: IncomingMessage, message: string): TraceAnswer {
  return encodeAnswer('RpcStatus', { message }, isJsonRequest(request) !== false);
}

/** `undefined` if it is neither. */
function isJsonRequest({ headers }: IncomingMessage): boolean | undefined {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/json') return true;
  return type === 'application/x-protobuf' ? false : undefined;
}

function encodeAnswer(name: MessageName, message: object, isJson: boolean): TraceAnswer {
  return isJson
    ? { contentType: 'application/json', body: Buffer.from(JSON.stringify(message)) }
    : { contentType: 'application/x-protobuf', body: encodeProtobuf(name, message) };
}
