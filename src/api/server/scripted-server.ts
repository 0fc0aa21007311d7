// A model for tests of an agent: an HTTP server for the Messages API that answers from a script, faults included,
// without a network or a key.
import { type MessagesServer, type ServerOptions, startMessagesServer } from './messages-server.ts';
import { chooseStep, type Script } from './script.ts';

/** Options of `startScriptedServer`. */
export interface ScriptedServerOptions extends ServerOptions {
  readonly script: Script;
}

/**
 * Starts a server that answers from a script. A request that breaks a rule of the API is refused and uses no step
 * of the script. Thinking is signed and checked as for a new account.
 */
export async function startScriptedServer({ script, ...options }: ScriptedServerOptions): Promise<MessagesServer> {
  let answered = 0;
  const account = options.rules === 'ignore' ? 'unchecked' : 'enforced';
  return startMessagesServer((request) => chooseStep(script, request, answered++), { account, ...options });
}
