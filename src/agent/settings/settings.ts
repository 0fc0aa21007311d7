// Reads the settings files of the user, the project and the checkout, and merges them with the flags. A file that
// cannot be read becomes a notice. What a project may set is decided here and nowhere else.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { runGit } from '../access/index.ts';
import { isPermissionMode, isUsed, type PermissionMode, type RuleText, type SettingSource } from '../contract/index.ts';
import { isConnectionVariable, isGuardedVariable } from './variables.ts';

/** The part of a settings file that is used. */
export interface SettingsFile {
  readonly scope: 'flag' | 'user' | 'project' | 'local';
  readonly file: string;
  readonly value: JsonObject;
}

export interface Settings {
  /** Flags first, then local, project and user. */
  readonly rules: readonly RuleText[];
  /** Absolute paths. */
  readonly additionalDirectories: readonly string[];
  readonly defaultMode: PermissionMode | undefined;
  /** Event → groups of hooks, from all files. */
  readonly hooks: JsonObject;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | undefined;
  /** A shell command that prints the API key. */
  readonly apiKeyHelper: string | undefined;
  readonly fallbackModels: readonly string[];
  /** The used part of each file, for MCP servers and the sandbox. */
  readonly files: readonly SettingsFile[];
  /** Messages for the user about files and values that are ignored. */
  readonly notices: readonly string[];
}

export interface SettingsPlace {
  /** The user's `.claude` folder. */
  readonly root: string;
  readonly projectDir: string;
  readonly env: Environment;
  /** The files that are read; all of them if absent. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Settings of the command line. They precede all files. */
  readonly given?: JsonObject | undefined;
}

export interface SettingsOptions extends SettingsPlace {
  readonly home: string;
  /** In the shape of settings.json; they take precedence. */
  readonly flags?: JsonObject;
  /** Without trust, only the project's deny and ask rules are used. */
  readonly isProjectTrusted: boolean;
}

/** One settings file as it was read. */
export interface SettingsSource {
  readonly scope: 'flag' | 'local' | 'project' | 'user';
  readonly name: string;
  readonly file: string;
  /** Written by the user, not by the author of the project. */
  readonly isOwn: boolean;
  readonly values: JsonObject;
}

export function localSettingsFile(projectDir: string): string {
  return path.join(projectDir, '.claude', 'settings.local.json');
}

/** `~/.claude.json`; inside the folder if CLAUDE_CONFIG_DIR or `--root` names another one, as Claude Code does. */
export function findUserConfig(root: string, home: string): string {
  const isUsual = path.resolve(root) === path.resolve(home, '.claude');
  return path.join(isUsual ? home : root, '.claude.json');
}

/**
 * The only decision about which part of a settings file is used: all of it if the user wrote it or trusts the project,
 * otherwise only what restricts.
 */
export function trustedPart({ isOwn, values }: SettingsSource, isProjectTrusted: boolean): JsonObject {
  if (isOwn || isProjectTrusted) return values;
  const { deny, ask } = asObject(values.permissions) ?? {};
  const { disabledMcpjsonServers } = values;
  return {
    permissions: { ...(deny === undefined ? {} : { deny }), ...(ask === undefined ? {} : { ask }) },
    ...(disabledMcpjsonServers === undefined ? {} : { disabledMcpjsonServers }),
  };
}

/** The settings files, read once: what the user accepts is what is used. */
export interface SettingsFiles {
  /** The file with the highest precedence first. */
  readonly sources: readonly SettingsSource[];
  readonly notices: readonly string[];
}

export async function readSettingsFiles(place: SettingsPlace): Promise<SettingsFiles> {
  const { root, projectDir, env, settingSources, given } = place;
  const notices: string[] = [];
  const projectFile = path.join(projectDir, '.claude', 'settings.json');
  const userFile = path.join(root, 'settings.json');
  const localFile = localSettingsFile(projectDir);
  // In the home folder the project's files are the user's own.
  const isHome = path.resolve(projectFile) === path.resolve(userFile);
  const read = async (scope: 'local' | 'project' | 'user', file: string, isOwn: boolean): Promise<SettingsSource> => {
    const values = await readSettings(file, notices);
    return { scope, name: `${scope} settings`, file, isOwn, values };
  };
  const has = (source: SettingSource): boolean => isUsed(source, settingSources);
  const sources: readonly SettingsSource[] = [
    ...(given === undefined ? [] : [{ ...commandLine, name: '--settings', values: given }]),
    ...(has('local')
      ? [await read('local', localFile, isHome || (await isOwnLocalFile(localFile, projectDir, env)))]
      : []),
    ...(has('project') && !isHome ? [await read('project', projectFile, false)] : []),
    ...(has('user') || (has('project') && isHome) ? [await read('user', userFile, true)] : []),
  ];
  return { sources, notices };
}

/** What is written there is the user's own. */
const commandLine = { scope: 'flag', file: 'the command line', isOwn: true } as const;

/** Git ignores the file, so it is not part of the repository, and the user owns it. */
async function isOwnLocalFile(file: string, projectDir: string, env: Environment): Promise<boolean> {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.uid !== (process.getuid?.() ?? stats.uid)) return false;
  } catch {
    return false;
  }
  return (await runGit(projectDir, env, ['check-ignore', '--quiet', '--', file])) !== undefined;
}

export function mergeSettings(files: SettingsFiles, options: SettingsOptions): Settings {
  const notices = [...files.notices];
  const flags = { ...commandLine, name: 'the command line', values: options.flags ?? {} };
  const sources: readonly SettingsSource[] = [flags, ...files.sources].map((source) => ({
    ...source,
    values: trustedPart(source, options.isProjectTrusted),
  }));
  const values = sources.map((source) => source.values);
  const first = <T>(read: (each: JsonObject) => T | undefined): T | undefined =>
    values.map(read).find((each) => each !== undefined);
  const gather = (read: (each: JsonObject) => JsonValue | undefined): readonly string[] => [
    ...new Set(values.flatMap((each) => stringsOf(read(each)))),
  ];
  const permissions = (each: JsonObject): JsonObject => asObject(each.permissions) ?? {};
  const isQuiet = values.some(({ disableAllHooks }) => disableAllHooks === true);
  return {
    rules: sources.flatMap((source) => rulesOf(source, notices)),
    additionalDirectories: gather((each) => permissions(each).additionalDirectories).map((dir) =>
      resolveFolder(dir, options),
    ),
    defaultMode: sources.map((source) => modeOf(source, notices)).find((mode) => mode !== undefined),
    hooks: isQuiet ? {} : mergeHooks(values, notices),
    env: Object.fromEntries([...sources].reverse().flatMap((source) => envOf(source, notices))),
    model: first(({ model }) => asString(model)),
    apiKeyHelper: first(({ apiKeyHelper }) => asString(apiKeyHelper)?.trim() || undefined),
    fallbackModels:
      first(({ fallbackModel }) => (fallbackModel === undefined ? undefined : stringsOf(fallbackModel))) ?? [],
    // The first is the command line's own flags.
    files: sources.slice(1).map(({ scope, file, values: value }) => ({ scope, file, value })),
    notices,
  };
}

function rulesOf({ name, values }: SettingsSource, notices: string[]): readonly RuleText[] {
  const permissions = asObject(values.permissions) ?? {};
  return (['deny', 'ask', 'allow'] as const).flatMap((kind) => {
    const list = permissions[kind];
    if (list !== undefined && !isArray(list))
      notices.push(`"permissions.${kind}" in ${name} is not a list and is ignored`);
    return stringsOf(list).map((text) => ({ kind, text, source: name }));
  });
}

function modeOf({ name, scope, values }: SettingsSource, notices: string[]): PermissionMode | undefined {
  const mode = asObject(values.permissions)?.defaultMode;
  if (mode === undefined) return undefined;
  if (!isPermissionMode(mode)) {
    notices.push(`the mode ${JSON.stringify(mode)} in ${name} is not known and is ignored`);
    return undefined;
  }
  if (mode !== 'bypassPermissions' || !isOfProject(scope)) return mode;
  notices.push(`${name} may not switch permissions off; the mode bypassPermissions is ignored`);
  return undefined;
}

/** The local file counts too: it is in the project's folder, where a command may have written it. */
function isOfProject(scope: SettingsSource['scope']): boolean {
  return scope === 'project' || scope === 'local';
}

function envOf(
  { name, scope, isOwn, values }: SettingsSource,
  notices: string[],
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(asObject(values.env) ?? {}).flatMap(([key, value]) => {
    const text =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
    const isSound = /^[A-Za-z_]\w*$/.test(key) && text !== undefined && !text.includes('\0');
    const isOfConnection = scope === 'local' && isOwn && isConnectionVariable(key);
    if (isSound && (isOfConnection || !(isOfProject(scope) && isGuardedVariable(key)))) return [[key, text] as const];
    notices.push(
      `the variable ${JSON.stringify(key)} of ${name} ${isSound ? 'cannot be set by a project' : 'is not valid'} and is ignored`,
    );
    return [];
  });
}

function mergeHooks(values: readonly JsonObject[], notices: string[]): JsonObject {
  const merged = new Map<string, JsonValue[]>();
  for (const { hooks } of [...values].reverse()) {
    for (const [event, groups] of Object.entries(asObject(hooks) ?? {})) {
      if (isArray(groups)) merged.set(event, [...(merged.get(event) ?? []), ...groups]);
      else notices.push(`the hooks of ${event} are not a list and are ignored`);
    }
  }
  return Object.fromEntries(merged);
}

function resolveFolder(dir: string, { projectDir, home }: SettingsOptions): string {
  return path.resolve(projectDir, /^~(?:\/|$)/.test(dir) ? `${home}${dir.slice(1)}` : dir);
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

async function readSettings(file: string, notices: string[]): Promise<JsonObject> {
  try {
    const text = readRegularText(file).replace(/^\uFEFF/, '');
    const values = text.trim() === '' ? {} : parseJson(text);
    if (isObject(values)) return values;
    notices.push(`${file} is not a JSON object; its settings are ignored`);
  } catch (error) {
    const code = systemErrorCode(error);
    if (error instanceof UserError) notices.push(`${error.message}; its settings are ignored`);
    else if (code !== 'ENOENT' && code !== 'ENOTDIR')
      notices.push(`cannot read ${file} (${code ?? String(error)}); its settings are ignored`);
  }
  return {};
}
