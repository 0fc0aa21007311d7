// The sender in the background: finishes what ended runs left, sends what waits, tries again for a while, and leaves the
// rest to the next one.
import { createContext } from './context.ts';
import { recoverSessions } from './recover.ts';
import { type SendReport, sendOutbox } from './send.ts';

const patienceMs = 120_000;

export async function runSender(env: NodeJS.ProcessEnv): Promise<SendReport> {
  const context = createContext(env);
  const { places, config } = context;
  await recoverSessions(context);
  return sendOutbox({ places, destinations: config.destinations, patienceMs });
}
