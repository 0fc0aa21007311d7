// The body of `POST /v1/traces` → batches in the queue, committed, and the answer of OTLP.
import type { RuleSet } from '../../../surgery/secrets/index.ts';
import type { Destination } from '../../../trace/config/index.ts';
import { decodeJson, decodeProtobuf } from '../otlp/index.ts';
import type { EncodedBatch, GatewayQueue, Sender } from '../queue/index.ts';
import { encodeBatches } from './encode-batches.ts';
import { prepareRequest, type ReceivedSpan } from './prepare.ts';

export interface TakeOptions {
  readonly queue: Pick<GatewayQueue, 'take'>;
  readonly destinations: readonly Destination[];
  readonly ruleSet: RuleSet;
}

export interface Taken {
  /** New ones. */
  readonly spans: number;
  readonly repeated: number;
  /** Spans without valid ids. */
  readonly rejected: number;
}

/** What was returned is durable. Throws an `OtlpError` for a body that cannot be read. */
export async function takeTraces(body: Buffer, isJson: boolean, sender: Sender, options: TakeOptions): Promise<Taken> {
  const request = isJson ? decodeJson(body) : decodeProtobuf(body);
  const { spans, rejected } = prepareRequest(request, sender, options.ruleSet);
  const taken = await takeSpans(spans, sender, options);
  return { spans: taken, repeated: spans.length - taken, rejected };
}

/** Returns how many were new. */
async function takeSpans(
  spans: readonly ReceivedSpan[],
  sender: Sender,
  { queue, destinations }: TakeOptions,
): Promise<number> {
  let left = spans;
  while (left.length > 0) {
    const batches: EncodedBatch[] = [];
    for (const destination of destinations) batches.push(...(await encodeBatches(left, destination)));
    const keys = left.map(({ key }) => key);
    const known = await queue.take(sender, keys, batches);
    if (known.length === 0) break;
    const before = new Set(known);
    left = left.filter((_, i) => !before.has(i));
  }
  return left.length;
}
