// A program for agent-ends.slow.test.ts: an agent in the middle of everything that can run (a command, one in the background,
// a server, hooks), which then gets a signal. It does what a front end does on SIGTERM.
import { openAgent } from '../../src/agent/agent.ts';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import { agentEnv } from '../support/agent-kit.ts';
import { calls } from '../support/agent-talk.ts';

const [folder = '', pidFile = '', mcpConfig = ''] = process.argv.slice(2);
const server = await startScriptedServer({
  apiKey: 'test-key',
  script: [
    calls(
      ['Bash', { command: `sleep 1000 & echo $! >> ${pidFile}; wait`, run_in_background: true }],
      ['mcp__sample__environment', {}],
      ['Bash', { command: `trap '' TERM; echo $$ >> ${pidFile}; while :; do sleep 1; done` }],
    ),
  ],
});
const agent = await openAgent({
  cwd: folder,
  root: `${folder}/claude`,
  env: agentEnv(folder, server.url),
  session: { kind: 'new' },
  mode: 'bypassPermissions',
  mcpConfig: [mcpConfig],
  isInteractive: false,
  isProjectTrusted: true,
  approve: async () => ({ kind: 'deny', message: 'no', isInterrupt: false }),
  askUser: async () => undefined,
  sinks: [
    (event) => {
      if (event.type === 'result') process.stdout.write(`${JSON.stringify(event.outcome.content)}\n`);
    },
  ],
});
process.once('SIGTERM', async () => {
  await agent.close('signal');
  await server.close();
  process.stdout.write(`closed ${agent.state.file}\n`);
});
await agent.prompt('go');
