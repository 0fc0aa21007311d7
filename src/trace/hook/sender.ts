// The background sender: finishes killed runs, sends waiting batches, retries for a while, and leaves the rest to the next
// sender. Each destination has its own process, so that a killed one does not interrupt a request to another.

import { needsSender, sendOutbox } from '../outbox/index.ts';
import { createTraceContext, recoverSessions } from '../session/index.ts';

export interface SenderOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The destination; by default the first with waiting batches, and a new sender for each of the others. */
  readonly only: string | undefined;
  readonly startSender: (only: string) => void;
}

const patienceMs = 120_000;

export async function runSender({ env, only, startSender }: SenderOptions): Promise<void> {
  const context = createTraceContext(env);
  const { places, config } = context;
  if (only === undefined) await recoverSessions(context);
  const [first, ...others] = config.destinations.filter((each) =>
    only === undefined ? needsSender(places, [each]) : each.name === only,
  );
  for (const { name } of others) startSender(name);
  if (first !== undefined) await sendOutbox({ places, destinations: [first], patienceMs });
}
