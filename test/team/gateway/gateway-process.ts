// An instance of the gateway in a process of its own, which can be killed, or kills itself at a named step. Prints its port.
import { writeSync } from 'node:fs';
import { connect } from '../../../src/team/database/index.ts';
import { startForwarding, startGateway } from '../../../src/team/gateway/index.ts';
import { destinationsOf } from '../../../src/trace/config/index.ts';

export interface GatewayTask {
  readonly store: string;
  /** As in trace.json. */
  readonly destinations: readonly { readonly name: string; readonly endpoint: string; readonly format: string }[];
  readonly leaseMs?: number;
  readonly retryBaseMs?: number;
  readonly forwardedAtOnce?: number;
  readonly requestsPerSecond?: number;
  /** The step, and how often it is passed before. */
  readonly killAt?: readonly [step: string, after: number];
}

const task = JSON.parse(process.argv[2] ?? '') as GatewayTask;
const { store, killAt, requestsPerSecond, leaseMs, retryBaseMs = 20, forwardedAtOnce } = task;
const destinations = destinationsOf({}, { destinations: task.destinations.map((each) => ({ ...each })) });
let passed = 0;
const onStep = (step: string): void => {
  if (step !== killAt?.[0] || passed++ < killAt[1]) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;); // until the signal is there
};
const sql = await connect(store, { connections: 12 });
const log = (line: string): void => void writeSync(2, `${line}\n`);
const gateway = await startGateway({
  ...{ sql, destinations, host: '127.0.0.1', port: 0, log },
  ...(requestsPerSecond && { requestsPerSecond }),
  startForwarding: () =>
    startForwarding({
      ...{ sql, destinations, log, retryBaseMs, onStep },
      ...(leaseMs && { leaseMs }),
      ...(forwardedAtOnce && { forwardedAtOnce }),
    }),
});
writeSync(1, `${gateway.port}\n`);
process.once('SIGTERM', async () => {
  await gateway.stop(10_000);
  await sql.end({ timeout: 1 });
  writeSync(1, `stopped ${process.cpuUsage().user + process.cpuUsage().system} ${process.resourceUsage().maxRSS}\n`);
});
