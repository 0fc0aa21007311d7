// The settings files of the user, the project and this checkout, and the flags, → one set of values. A file that cannot be
// read is a notice. A project is somebody else's text: what it may decide is limited here, in one place.
import path from 'node:path';
import { systemErrorCode, UserError } from '../base/errors.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { readRegularText } from '../base/regular-file.ts';
import type { RuleText } from './permission/judge.ts';
import { isPermissionMode, type PermissionMode } from './permission-mode.ts';

export interface Settings {
  /** Flags first, then local, project and user: the order in which a reason names them. */
  readonly rules: readonly RuleText[];
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly defaultMode: PermissionMode | undefined;
  /** Event → groups of hooks, of all files. */
  readonly hooks: JsonObject;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | undefined;
  readonly enableAllProjectMcpServers: boolean;
  readonly enabledMcpjsonServers: readonly string[];
  readonly disabledMcpjsonServers: readonly string[];
  /** All other keys, the nearest file's value first. */
  readonly other: JsonObject;
  /** For the person: what could not be read or was not taken. */
  readonly notices: readonly string[];
}

export interface SettingsOptions {
  /** The user's `.claude` folder. */
  readonly root: string;
  readonly projectDir: string;
  readonly home: string;
  /** In the shape of settings.json; they win. */
  readonly flags?: JsonObject;
  /** `false`: of the project's files only rules that deny and ask are taken. */
  readonly isProjectTrusted?: boolean;
}

interface Source {
  readonly name: string;
  readonly isOfProject: boolean;
  readonly values: JsonObject;
}

export function localSettingsFile(projectDir: string): string {
  return path.join(projectDir, '.claude', 'settings.local.json');
}

export async function loadSettings(options: SettingsOptions): Promise<Settings> {
  const notices: string[] = [];
  const projectFile = path.join(options.projectDir, '.claude', 'settings.json');
  const userFile = path.join(options.root, 'settings.json');
  const load = async (file: string, name: string, isOfProject: boolean): Promise<Source> => ({
    name,
    isOfProject,
    values: await readSettings(file, notices),
  });
  const sources = [
    { name: 'the command line', isOfProject: false, values: options.flags ?? {} },
    await load(localSettingsFile(options.projectDir), 'local settings', true),
    // In the home folder the project's file is the user's own.
    ...(projectFile === userFile ? [] : [await load(projectFile, 'project settings', true)]),
    await load(userFile, 'user settings', false),
  ];
  return mergeSettings(sources, options, notices);
}

/** `sources`: the one that wins first. */
function mergeSettings(sources: readonly Source[], options: SettingsOptions, notices: string[]): Settings {
  const isTrusted = options.isProjectTrusted ?? true;
  const trusted = sources.filter(({ isOfProject }) => isTrusted || !isOfProject);
  const values = trusted.map((source) => source.values);
  const first = <T>(read: (each: JsonObject) => T | undefined): T | undefined =>
    values.map(read).find((each) => each !== undefined);
  const gather = (read: (each: JsonObject) => JsonValue | undefined): readonly string[] => [
    ...new Set(values.flatMap((each) => stringsOf(read(each)))),
  ];
  const permissions = (each: JsonObject): JsonObject => asObject(each.permissions) ?? {};
  const isQuiet = values.some(({ disableAllHooks }) => disableAllHooks === true);
  return {
    rules: sources.flatMap((source) => rulesOf(source, trusted.includes(source), notices)),
    additionalDirectories: gather((each) => permissions(each).additionalDirectories).map((dir) =>
      resolveFolder(dir, options),
    ),
    defaultMode: trusted.map((source) => modeOf(source, notices)).find((mode) => mode !== undefined),
    hooks: isQuiet ? {} : mergeHooks(values, notices),
    env: Object.fromEntries([...trusted].reverse().flatMap((source) => envOf(source, notices))),
    model: first(({ model }) => asString(model)),
    enableAllProjectMcpServers:
      first(({ enableAllProjectMcpServers: all }) => (typeof all === 'boolean' ? all : undefined)) ?? false,
    enabledMcpjsonServers: gather(({ enabledMcpjsonServers }) => enabledMcpjsonServers),
    disabledMcpjsonServers: gather(({ disabledMcpjsonServers }) => disabledMcpjsonServers),
    other: Object.fromEntries(
      [...values].reverse().flatMap((each) => Object.entries(each).filter(([key]) => !knownKeys.has(key))),
    ),
    notices,
  };
}

const knownKeys: ReadonlySet<string> = new Set([
  ...['permissions', 'hooks', 'env', 'model', 'enableAllProjectMcpServers', 'enabledMcpjsonServers'],
  ...['disabledMcpjsonServers', 'disableAllHooks'],
]);

function rulesOf({ name, values }: Source, isTrusted: boolean, notices: string[]): readonly RuleText[] {
  const permissions = asObject(values.permissions) ?? {};
  const kinds = isTrusted ? (['deny', 'ask', 'allow'] as const) : (['deny', 'ask'] as const);
  return kinds.flatMap((kind) => {
    const list = permissions[kind];
    if (list !== undefined && !isArray(list))
      notices.push(`"permissions.${kind}" in ${name} is not a list and is ignored`);
    return stringsOf(list).map((text) => ({ kind, text, source: name }));
  });
}

function modeOf({ name, isOfProject, values }: Source, notices: string[]): PermissionMode | undefined {
  const mode = asObject(values.permissions)?.defaultMode;
  if (mode === undefined) return undefined;
  if (!isPermissionMode(mode)) {
    notices.push(`the mode ${JSON.stringify(mode)} in ${name} is not known and is ignored`);
    return undefined;
  }
  if (mode !== 'bypassPermissions' || !isOfProject) return mode;
  notices.push(`${name} may not switch permissions off; the mode bypassPermissions is ignored`);
  return undefined;
}

/** Where requests and the key go, and what is loaded into every program, is not for a project to say. */
const guardedVariables =
  /^(?:ANTHROPIC_|CLAUDE_|CLEW_|AWS_|GOOGLE_|LD_|DYLD_|GIT_|(?:https?|all|no)_proxy$|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$|NODE_TLS_REJECT_UNAUTHORIZED$|PATH$|HOME$|SHELL$|BASH_ENV$|ENV$|PROMPT_COMMAND$|PYTHONSTARTUP$|PERL5OPT$|RUBYOPT$)/i;

function envOf({ name, isOfProject, values }: Source, notices: string[]): readonly (readonly [string, string])[] {
  return Object.entries(asObject(values.env) ?? {}).flatMap(([key, value]) => {
    const text =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
    const isSound = /^[A-Za-z_]\w*$/.test(key) && text !== undefined && !text.includes('\0');
    if (isSound && !(isOfProject && guardedVariables.test(key))) return [[key, text] as const];
    notices.push(
      `the variable ${JSON.stringify(key)} of ${name} ${isSound ? 'is not for a project to set' : 'is not sound'} and is ignored`,
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
