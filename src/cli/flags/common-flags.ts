// Flags that many commands take.

import { permissionModes } from '../../agent/contract/index.ts';
import type { Flag } from '../command/index.ts';
import { agentFlags, unsupportedFlags } from './agent-flags.ts';

export const root: Flag = {
  name: '--root',
  value: 'DIR',
  summary: 'read sessions below DIR instead of ~/.claude (repeatable)',
  isRepeatable: true,
};
export const demo: Flag = { name: '--demo', summary: 'read the bundled demo sessions' };
export const project: Flag = {
  name: '--project',
  value: 'P',
  summary: 'only sessions in folder P or below; if P is a word, in folders whose path contains it',
};
export const json: Flag = { name: '--json', summary: 'print JSON (shapes in docs/json.md)' };
export const dryRun: Flag = { name: '--dry-run', summary: 'plan and check, show what would change, write nothing' };
export const inPlace: Flag = {
  name: '--in-place',
  summary: 'change the session itself instead of writing a new one; a backup is kept for `clew undo`',
};
export const progressEntries: Flag = {
  name: '--progress-entries',
  summary: 'also write `progress` lines, like older clients',
};
export const portable: Flag = {
  name: '--portable',
  summary: 'write the result so that all clients since 1.0.57 read it the same way',
};

export const store: Flag = {
  name: '--store',
  value: '[ADDRESS]',
  onlyValue: /^[a-z][a-z0-9+.-]*:\/\//i,
  summary: "read the team's store instead of this machine; without ADDRESS, the one of team.json or CLEW_STORE",
};
export const person: Flag = { name: '--person', value: 'NAME', summary: 'with --store: what NAME pushed' };
/** Of commands that can read the store; without one of the last three, what the user pushed. */
export const storeFlags: readonly Flag[] = [
  store,
  person,
  { name: '--group', value: 'NAME', summary: 'with --store: what the members of group NAME pushed' },
  { name: '--everyone', summary: 'with --store: what everyone pushed, as far as you see it' },
];

/** Of commands that read sessions. */
export const readFlags: readonly Flag[] = [json, root, demo];
/** Of commands that write a new session. */
export const planFlags: readonly Flag[] = [portable, dryRun, json, root];
/** Of commands that can also change a session in place. */
export const changeFlags: readonly Flag[] = [inPlace, ...planFlags];

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
  ...agentFlags,
  { name: '--add-dir', value: 'DIR', summary: 'another folder the agent may work in', isRepeatable: true },
  { name: '--mcp-config', value: 'FILE', summary: 'MCP servers from a file, or JSON', isRepeatable: true },
  { name: '--max-turns', value: 'N', summary: 'the maximum number of requests per prompt' },
  progressEntries,
  root,
  ...unsupportedFlags.map(({ flag }) => flag),
];
