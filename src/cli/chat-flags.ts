// The flags of `clew chat`, with Claude Code's names where it has them; apart from the command, so that help does not
// load it.
import { permissionModes } from '../agent/permission-mode.ts';
import type { Flag } from './command.ts';
import { root } from './common-flags.ts';

export const chatFlags: readonly Flag[] = [
  { name: '--continue', short: '-c', summary: 'go on with the latest session of this folder' },
  { name: '--resume', short: '-r', value: '[SESSION]', summary: 'go on with a session; without a name, choose it' },
  { name: '--fork-session', summary: 'go on in a copy of it' },
  { name: '--session-id', value: 'UUID', summary: 'the id of the new session' },
  { name: '--model', value: 'NAME', summary: 'the model to ask' },
  { name: '--permission-mode', value: 'MODE', summary: permissionModes.join(', ') },
  {
    name: '--allowedTools',
    value: 'RULE',
    summary: 'what needs no asking, such as "Bash(npm test:*)"',
    isRepeatable: true,
  },
  { name: '--disallowedTools', value: 'RULE', summary: 'what is refused', isRepeatable: true },
  { name: '--trust-project', summary: 'take the hooks, servers, rules and skills of this folder, this time' },
  { name: '--append-system-prompt', value: 'TEXT', summary: 'more for the system prompt' },
  { name: '--add-dir', value: 'DIR', summary: 'another folder the agent may work in', isRepeatable: true },
  { name: '--mcp-config', value: 'FILE', summary: 'MCP servers of a file, or JSON', isRepeatable: true },
  { name: '--max-turns', value: 'N', summary: 'the most requests for one prompt' },
  root,
];
