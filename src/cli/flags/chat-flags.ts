// The flags of `clew chat`, named as in Claude Code; in a file of their own, so that help does not load the command.
import { permissionModes } from '../../agent/contract/permission-mode.ts';
import type { Flag } from '../command/command.ts';
import { root } from './common-flags.ts';

export const chatFlags: readonly Flag[] = [
  { name: '--continue', short: '-c', summary: 'continue the latest session of this folder' },
  { name: '--resume', short: '-r', value: '[SESSION]', summary: 'continue a session; without SESSION, choose one' },
  { name: '--fork-session', summary: 'continue in a copy of it' },
  { name: '--session-id', value: 'UUID', summary: 'the id of the new session' },
  { name: '--model', value: 'NAME', summary: 'the model to ask' },
  { name: '--permission-mode', value: 'MODE', summary: permissionModes.join(', ') },
  {
    name: '--allowedTools',
    value: 'RULE',
    summary: 'allow without asking, such as "Bash(npm test:*)"',
    isRepeatable: true,
  },
  { name: '--disallowedTools', value: 'RULE', summary: 'always refuse', isRepeatable: true },
  { name: '--trust-project', summary: 'use the hooks, servers, rules and skills of this folder, this time' },
  { name: '--append-system-prompt', value: 'TEXT', summary: 'text to append to the system prompt' },
  { name: '--add-dir', value: 'DIR', summary: 'another folder the agent may work in', isRepeatable: true },
  { name: '--mcp-config', value: 'FILE', summary: 'MCP servers from a file, or JSON', isRepeatable: true },
  { name: '--max-turns', value: 'N', summary: 'the maximum number of requests per prompt' },
  root,
];
