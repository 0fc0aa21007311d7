// A tracer in its own process, which can be killed: traces the named files, sends, and kills itself
// at the named step. Prints the number of steps if it reaches its end.
import { writeSync } from 'node:fs';
import { readTraceConfig } from '../../src/trace/config/config.ts';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { createTraceContext } from '../../src/trace/session/context.ts';
import { recoverSessions } from '../../src/trace/session/recover.ts';
import { type SessionRun, traceSession } from '../../src/trace/session/trace-session.ts';

export interface TracerTask {
  readonly runs: readonly SessionRun[];
  readonly killAtStep?: number;
  readonly isSender: boolean;
  /** The one destination to send to, as a sender in the background; all of them at once without it, as a command. */
  readonly only?: string;
  readonly sendMs: number;
}

const task = JSON.parse(process.argv[2] ?? '') as TracerTask;
let steps = 0;
const onStep = (): void => {
  if (++steps !== task.killAtStep) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;); // until the signal is there
};
const config = readTraceConfig(process.env);
const context = { ...createTraceContext(process.env, config), onStep };
if (task.only === undefined) await recoverSessions(context);
for (const run of task.runs) await traceSession({ ...run, atEnd: run.atEnd, endMs: run.endMs }, context);
if (task.isSender) {
  const { places } = context;
  const endMs = Date.now() + task.sendMs;
  const options = { places, endMs, waitMs: task.sendMs, timeoutMs: 60_000, retryBaseMs: 1, onStep };
  const destinations = config.destinations.filter(({ name }) => task.only === undefined || name === task.only);
  await sendOutbox({ ...options, destinations });
}
writeSync(1, `${steps}\n`);
