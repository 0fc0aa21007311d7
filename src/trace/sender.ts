// The sender in the background: finishes what ended runs left, sends what waits, tries again for a while, and leaves the
// rest to the next one. Each destination has a process of its own: one that is killed falls into no request to another.
import { createTraceContext } from './context.ts';
import { recoverSessions } from './recover.ts';
import { needsSender, sendOutbox } from './send.ts';

export interface SenderOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The destination to send to; without it, one that something waits for, and another sender for each of the others. */
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
