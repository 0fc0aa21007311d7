// Sends what waits in the queue to all destinations, next to the other instances: a forwarder for each destination, and the
// renewal of what they have leased.
import { setTimeout as delay } from 'node:timers/promises';
import type { Destination } from '../../trace/config/index.ts';
import type { Sql } from '../database/index.ts';
import { Forwarder } from './forwarder.ts';
import { GatewayQueue } from './queue/index.ts';

export interface Forwarding {
  /** There are new batches. */
  kick(): void;
  /** Claims nothing more, finishes its requests within this time, and leaves the rest to other instances. */
  stop(graceMs: number): Promise<void>;
}

export interface ForwardingOptions {
  /** With the role `clew_gateway`; the caller closes it. */
  readonly sql: Sql;
  readonly destinations: readonly Destination[];
  readonly log: (line: string) => void;
  readonly leaseMs?: number;
  readonly retryBaseMs?: number;
  /** Requests to a destination at once. */
  readonly forwardedAtOnce?: number;
  /** Called before each step of a forwarder; a test ends the process here. */
  readonly onStep?: (step: string) => void;
}

export function startForwarding(options: ForwardingOptions): Forwarding {
  const { sql, destinations, log, leaseMs = 30_000, retryBaseMs = 1_000, forwardedAtOnce = 4, onStep } = options;
  const queue = new GatewayQueue(sql, { leaseMs, retryBaseMs });
  const common = { queue, log, requests: forwardedAtOnce, ...(onStep && { onStep }) };
  const forwarders = destinations.map((destination) => new Forwarder({ ...common, destination }));
  const renew = (): Promise<void> => queue.renew(forwarders.flatMap(({ batches }) => batches));
  const renewing = setInterval(() => renew().catch(() => {}), leaseMs / 3);
  return {
    kick: () => {
      for (const each of forwarders) each.kick();
    },
    stop: async (graceMs) => {
      await Promise.race([
        Promise.all(forwarders.map((each) => each.drain())),
        delay(graceMs, undefined, { ref: false }),
      ]);
      for (const each of forwarders) each.cut();
      clearInterval(renewing);
      await queue.releaseAll().catch(() => {}); // the leases run out
    },
  };
}
