// One instance of the gateway: an HTTP server that puts into the queue what a forwarding sends. It keeps nothing but what is in
// work: instances come and go, and a balancer chooses among them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { makeRuleSet, type RuleSet } from '../../surgery/secrets/index.ts';
import type { Destination } from '../../trace/config/index.ts';
import type { Sql } from '../database/index.ts';
import type { Forwarding } from './forwarding.ts';
import { ByteBudget, makeRoutes, RateLimit, Slots } from './http/index.ts';
import { GatewayQueue } from './queue/index.ts';

export interface GatewayOptions {
  /** With the role `clew_gateway`; the caller closes it. */
  readonly sql: Sql;
  readonly destinations: readonly Destination[];
  /** Sends what was taken. It is called when the port is bound, and stopped with the instance. */
  readonly startForwarding: () => Forwarding;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: (line: string) => void;
  /** The rules for secrets. */
  readonly ruleSet?: RuleSet;
  /** Requests in a second, for each person. */
  readonly requestsPerSecond?: number;
}

export interface Gateway {
  readonly port: number;
  /** Takes nothing more, finishes what is in work within this time, and leaves the rest to other instances. */
  stop(graceMs?: number): Promise<void>;
}

const traceLimits = { mostBytes: 16_000_000, mostPlainBytes: 32_000_000 };
const pushLimits = { mostBytes: 128_000_000, mostPlainBytes: 256_000_000 };
const sweepMs = 3_600_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { sql, destinations, host, port, log, ruleSet = makeRuleSet(), requestsPerSecond = 100 } = options;
  const queue = new GatewayQueue(sql);
  let isStopping = false;
  let forwarding: Forwarding | undefined;
  const onTaken = (): void => forwarding?.kick();
  const slots = new Slots({ slots: 8, slotsOfPerson: 4, waitMs: 30_000 });
  const app = makeRoutes({
    sql,
    queue,
    rate: new RateLimit(requestsPerSecond, 10 * requestsPerSecond),
    traces: { queue, destinations, ruleSet, limits: traceLimits, budget: new ByteBudget(192_000_000), slots, onTaken },
    pushSlots: new Slots({ slots: 4, slotsOfPerson: 1, waitMs: 60_000 }),
    pushLimits,
    isStopping: () => isStopping,
    log,
  });
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 300_000 });
  // Longer than balancers keep a connection, so that they close it and not this end during a request.
  server.keepAliveTimeout = 75_000;
  server.on('request', getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await listen(server, host, port);
  const started = options.startForwarding();
  forwarding = started;
  const sweeping = setInterval(() => queue.sweep().catch(() => {}), sweepMs);
  const stop = async (graceMs = 25_000): Promise<void> => {
    isStopping = true;
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await Promise.all([Promise.race([closed, delay(graceMs, undefined, { ref: false })]), started.stop(graceMs)]);
    clearInterval(sweeping);
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, stop }; // it listens on a port
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ port, host });
    await once(server, 'listening');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EADDRINUSE') throw new UserError(`port ${port} is in use`, 'choose another one with --listen');
    if (code === 'EACCES') throw new UserError(`no permission to bind port ${port}`, 'choose one above 1023');
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new UserError(`${host} is not an address of this machine`, 'choose another one with --listen');
    throw error;
  }
}
