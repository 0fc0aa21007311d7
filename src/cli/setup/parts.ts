// What `clew setup` can set up, and the commands that it writes into the settings of Claude Code.
import path from 'node:path';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
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
const guardEvents: readonly string[] = ['UserPromptSubmit', 'PreToolUse'];
export const guardHooks: readonly HookEntry[] = guardEvents.map((event) => ({
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

const absoluteWord = String.raw`(?:'(?:/|[A-Za-z]:\\)[^']*'|(?:/|[A-Za-z]:\\)[^\s']*)`;
const ownProgram = new RegExp(
  String.raw`^${absoluteWord} (?:'[^']*[/\\]clew\.js'|[/\\][^\s']*[/\\]clew\.js) (archive --auto --detach|push --auto --detach|guard|statusline)$`,
);
const formParts: Readonly<Record<string, PartName>> = {
  'archive --auto --detach': 'archive',
  'push --auto --detach': 'push',
  guard: 'guard',
  statusline: 'statusline',
};

/** The part whose command has exactly the form that `clew setup` writes: Node and Clew by their full paths. */
export function findFormPart(command: string, event: string): PartName | undefined {
  const part = formParts[ownProgram.exec(command)?.[1] ?? ''];
  const events = part === 'guard' ? guardEvents : part === 'statusline' ? ['statusLine'] : ['SessionEnd'];
  return events.includes(event) ? part : undefined;
}

/** Whether a server has exactly the form that `clew setup` writes. */
export function isOwnServer(value: JsonValue | undefined): boolean {
  const server = asObject(value);
  if (server === undefined || !isArray(server.args)) return false;
  const { type, command, args, env, ...others } = server;
  const [program, name, ...rest] = args.map(String);
  return (
    (type === undefined || type === 'stdio') &&
    path.isAbsolute(String(command)) &&
    path.isAbsolute(program ?? '') &&
    path.basename(program ?? '') === 'clew.js' &&
    name === 'mcp' &&
    rest.every((word) => word === '--all-projects') &&
    Object.keys(asObject(env) ?? {}).length === 0 &&
    Object.keys(others).length === 0
  );
}

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
