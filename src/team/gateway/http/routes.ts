// The addresses of the gateway. Every request but the one for its health needs a key, which is asked of the
// store each time: a key that was revoked is refused at once, by every instance.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Sql } from '../../database/index.ts';
import { type GatewayQueue, isKey, type Sender } from '../queue/index.ts';
import { type BodyLimits, discardBody } from './body.ts';
import type { RateLimit, Slots } from './limits.ts';
import { answerPush, type PushCall } from './push-handlers.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { answerTraces, encodeError, type TraceParts } from './trace-handler.ts';

export interface RouteParts {
  readonly sql: Sql;
  readonly queue: GatewayQueue;
  readonly rate: RateLimit;
  readonly traces: TraceParts;
  readonly pushSlots: Slots;
  readonly pushLimits: BodyLimits;
  readonly isStopping: () => boolean;
  /** One line, without content and without keys. */
  readonly log: (line: string) => void;
}

interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}
type Request = Context<{ Bindings: Bindings }>;

const healthMs = 2_000;
const storePath = '/v1/store/';

export function makeRoutes(parts: RouteParts): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  app.get('/healthz', async (context) => {
    const isHealthy = !parts.isStopping() && (await isStoreReachable(parts.queue));
    return context.json({ status: isHealthy ? 'ok' : 'unavailable' }, isHealthy ? 200 : 503);
  });
  app.post('/v1/traces', (context) =>
    answer(context, parts, async (request, sender) => {
      const { contentType, body } = await answerTraces(request, sender, parts.traces);
      return context.body(new Uint8Array(body), 200, { 'content-type': contentType });
    }),
  );
  for (const call of ['hello', 'push', 'remove', 'goodbye'] as const satisfies readonly PushCall[])
    app.post(`${storePath}${call}`, (context) =>
      answer(context, parts, async (request, sender) => {
        const work = (): Promise<object> =>
          answerPush(call, request, sender, { sql: parts.sql, limits: parts.pushLimits });
        return context.json(await (call === 'push' ? parts.pushSlots.with(sender.person, work) : work()), 200);
      }),
    );
  app.notFound((context) => context.json({ message: 'there is nothing at this address' }, 404));
  return app;
}

async function isStoreReachable(queue: GatewayQueue): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), healthMs);
  });
  const found = await Promise.race([queue.isReachable().catch(() => false), late]);
  clearTimeout(timer);
  return found;
}

async function answer(
  context: Request,
  parts: RouteParts,
  work: (request: IncomingMessage, sender: Sender) => Promise<Response>,
): Promise<Response> {
  const { incoming } = context.env;
  let person = 'nobody';
  try {
    const sender = await senderOf(incoming, parts.queue);
    person = sender.personName;
    parts.rate.take(sender.person, Date.now());
    return await work(incoming, sender);
  } catch (error) {
    await discardBody(incoming);
    const refusal = refusalOf(error);
    const where = `${context.req.path} of ${person}`;
    // The message of an unexpected error may quote a value.
    if (refusal === undefined) parts.log(`${where}: this is a bug: ${errorPlace(error)}`);
    else if (refusal.status >= 500) parts.log(`${where}: ${refusal.status} ${refusal.message}`);
    return refuse(context, refusal ?? bugOf(context));
  }
}

/** A sender of traces keeps its batch and tries again later; a push shows the error. */
function bugOf({ req }: Request): Refusal {
  const status = req.path.startsWith(storePath) ? 500 : 503;
  return new Refusal(status, 'the gateway failed', { code: 'XX000', retryAfter: 30 });
}

/** Its name, code and first place in the sources. */
function errorPlace(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error';
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  return `${error.name}${code} ${/\n\s+at ([^\n]+)/.exec(error.stack ?? '')?.[1] ?? ''}`;
}

function refuse(context: Request, { status, message, code, retryAfter }: Refusal): Response {
  const headers: Record<string, string> = {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    // Of a body that was not read to its end.
    ...(context.env.incoming.complete ? {} : { connection: 'close' }),
  };
  const known = status as ContentfulStatusCode; // every refusal has a body
  if (!context.req.path.startsWith(storePath)) {
    const { contentType, body } = encodeError(context.env.incoming, message);
    return context.body(new Uint8Array(body), known, { ...headers, 'content-type': contentType });
  }
  return context.json({ message, ...(code === undefined ? {} : { code }) }, known, headers);
}

async function senderOf({ headers }: IncomingMessage, queue: GatewayQueue): Promise<Sender> {
  const key = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const sender = isKey(key) ? await queue.senderOf(key) : undefined;
  if (sender === undefined) throw new Refusal(401, 'the key is not valid');
  return sender;
}
