// What `clew setup` can set up, and the commands that it writes into the settings of Claude Code.
import path from 'node:path';
import type { JsonObject } from '../../base/json/index.ts';
import { shellQuote } from '../../base/text/index.ts';
import type { HookEntry } from '../../settings/index.ts';
import { packageRoot, programFile } from '../input/index.ts';

export const partNames = ['mcp', 'archive', 'push', 'trace', 'guard', 'statusline', 'skill'] as const;
export type PartName = (typeof partNames)[number];

export const partTexts: Readonly<Record<PartName, string>> = {
  mcp: 'MCP server: agents search and read earlier sessions',
  archive: 'hook: archive a session when it ends',
  push: 'hook: push to the store of your team when a session ends',
  trace: 'hooks: send every turn to your tracing back end',
  guard: 'hooks: check the limits of `clew guard set`',
  statusline: 'status line: cost and context of the session',
  skill: 'skill recall, and /clew:find, /clew:doctor, /clew:fork, /clew:usage',
};

/** What the plugin brings too. */
export const pluginParts: readonly PartName[] = ['mcp', 'archive', 'trace', 'guard', 'skill'];

const program = `${shellQuote(process.execPath)} ${shellQuote(programFile)}`;
const isClew = (words: string): RegExp => new RegExp(`\\bclew(?:\\.js)?['"]? ${words}`);

export const archiveHook: HookEntry = {
  event: 'SessionEnd',
  command: `${program} archive --auto --detach`,
  timeoutS: 3,
};
export const pushHook: HookEntry = { event: 'SessionEnd', command: `${program} push --auto --detach`, timeoutS: 3 };
export const guardHooks: readonly HookEntry[] = ['UserPromptSubmit', 'PreToolUse'].map((event) => ({
  event,
  command: `${program} guard`,
  timeoutS: 10,
}));
export const statusLine: JsonObject = { type: 'command', command: `${program} statusline` };

/** Commands that do the same, whoever wrote them. */
export const isArchiveCommand = (command: string): boolean => isClew('archive --auto').test(command);
export const isPushCommand = (command: string): boolean => isClew('push --auto').test(command);
export const isGuardCommand = (command: string): boolean => isClew('guard').test(command);
export const isStatusCommand = (command: string): boolean => isClew('statusline').test(command);

export function mcpServer(isAllProjects: boolean): JsonObject {
  const args = [programFile, 'mcp', ...(isAllProjects ? ['--all-projects'] : [])];
  return { type: 'stdio', command: process.execPath, args, env: {} };
}

/** Files below the config folder, by the file of the plugin that they are a copy of. */
export const copiedFiles: Readonly<Record<string, string>> = {
  'skills/clew-recall/SKILL.md': 'skills/recall/SKILL.md',
  'commands/clew/find.md': 'commands/find.md',
  'commands/clew/doctor.md': 'commands/doctor.md',
  'commands/clew/fork.md': 'commands/fork.md',
  'commands/clew/usage.md': 'commands/usage.md',
};
export const pluginFolder: string = path.join(packageRoot, 'plugin');
