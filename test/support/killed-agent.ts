// An agent that kills itself: opened with the options of its only argument, it runs one turn and sends itself SIGKILL
// during the event with the given number, so that nothing after that event has happened. It prints the number of events.
import { openAgent } from '../../src/agent/agent.ts';

export interface KilledAgentOptions {
  readonly cwd: string;
  readonly root: string;
  readonly prompt: string;
  /** From 1; `null`: it is not killed. */
  readonly killAt: number | null;
}

if (process.argv[2] !== undefined) {
  const { cwd, root, prompt, killAt } = JSON.parse(process.argv[2]) as KilledAgentOptions;
  let events = 0;
  const agent = await openAgent({
    cwd,
    root,
    env: process.env,
    session: { kind: 'new' },
    mode: 'bypassPermissions',
    isInteractive: false,
    isProjectTrusted: true,
    withProgressEntries: killAt !== null && killAt % 2 === 1,
    approve: async () => ({ kind: 'deny', message: 'nobody is here', isInterrupt: false }),
    askUser: async () => undefined,
    sinks: [
      () => {
        events++;
        if (events === killAt) process.kill(process.pid, 'SIGKILL');
      },
    ],
  });
  const { outcome } = await agent.prompt(prompt);
  await agent.close('exit');
  console.log(JSON.stringify({ events, outcome }));
}
