// A program: the whole console in its terminal, with the fake agent.
import { runConsole } from '../../../src/cli/console/console.ts';
import { createStyle, wantsColor } from '../../../src/cli/terminal/style.ts';
import { openFakeAgent } from './fake-agent.ts';

const { stdin, stdout, stderr, env } = process;
const firstPrompt = process.argv.slice(2).join(' ');
process.exitCode = await runConsole({
  io: { stdout, stderr, env, cwd: process.cwd(), style: createStyle(wantsColor(stdout, env)) },
  stdin,
  stdout,
  stderr,
  decideTrust: async () => true,
  loadAgent: async () => openFakeAgent,
  agent: { cwd: process.cwd(), env, root: env.CLEW_ROOTS ?? '/nowhere', session: { kind: 'new' } },
  ...(firstPrompt === '' ? {} : { firstPrompt }),
});
