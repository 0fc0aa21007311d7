// A program for agent-ends.slow.test.ts: a whole agent whose sessions are on a disk of a few kilobytes. Two sub-agents run: one
// fills the disk, the other waits in a command. Prints how the turn ended, and the ids of processes that must be gone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '../../src/agent/agent.ts';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import { agentEnv } from '../support/agent-kit.ts';
import { calls, messagesOf, texts } from '../support/agent-talk.ts';

const [disk = '', folder = ''] = process.argv.slice(2);
const task = (prompt: string) => ['Agent', { description: prompt, prompt, subagent_type: 'general-purpose' }] as const;
const pidFile = path.join(folder, 'pids');
const server = await startScriptedServer({
  apiKey: 'test-key',
  script: ({ body }) => {
    const [said] = texts({ messages: messagesOf(body) });
    if (said === 'go')
      return calls(
        ['Bash', { command: `echo $$ >> ${pidFile}; sleep 1000`, run_in_background: true }],
        task('Wait'),
        task('Fill'),
      );
    if (said === 'Wait') return calls(['Bash', { command: `echo $$ >> ${pidFile}; sleep 1000` }]);
    return calls(['Bash', { command: `until [ "$(wc -l < ${pidFile})" -ge 2 ]; do sleep 0.05; done; seq 2000` }]);
  },
});
const agent = await openAgent({
  cwd: folder,
  root: disk,
  env: agentEnv(folder, server.url),
  session: { kind: 'new', sessionId: '11111111-1111-4111-8111-111111111111' },
  mode: 'bypassPermissions',
  isInteractive: false,
  isProjectTrusted: true,
  approve: async () => ({ kind: 'deny', message: 'no', isInterrupt: false }),
  askUser: async () => undefined,
  sinks: [],
});
const outcome = await agent.prompt('go').then(
  (ended) => `ended: ${JSON.stringify(ended)}`,
  (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
);
await agent.close('exit');
await server.close();
console.log(JSON.stringify({ outcome, pids: readFileSync(pidFile, 'utf8').trim().split('\n').map(Number) }));
