// Collects the configured MCP servers, each name once. Flags win over the user's configuration for this project, that
// over the project's, that over the user's for all projects. A mistake in a file becomes a notice; a mistake in a flag
// is an error.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { readContent } from '../access/index.ts';
import { type HostServers, isUsed, type SettingSource } from '../contract/index.ts';
import type { SettingsFile } from '../settings/index.ts';

export type ServerScope = 'flag' | 'local' | 'project' | 'user';

export type ServerConfig = {
  readonly name: string;
  readonly scope: ServerScope;
  /** The configuration file, for the question to the user. */
  readonly source: string;
} & ServerTarget;

export type ServerTarget =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly transport: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** It runs inside the program that runs the agent. */
  | { readonly transport: 'sdk'; readonly callTimeoutMs?: number }
  | { readonly transport: 'invalid'; readonly problem: string };

export interface ConfigOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** `~/.claude.json`: the user's servers, for all projects and for single ones. */
  readonly userConfigFile: string;
  readonly settings: readonly SettingsFile[];
  /** Whether the user trusts the folder, so that `.mcp.json` counts. */
  readonly isProjectTrusted: boolean;
  /** Files or JSON, from `--mcp-config`. */
  readonly flags?: readonly string[];
  /** Only the servers of `flags` are used. */
  readonly isStrict?: boolean | undefined;
  /** Whose configuration is read; all of it if absent. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** The servers of the program that runs the agent. */
  readonly host?: HostServers | undefined;
}

export interface CollectedServers {
  readonly servers: readonly ServerConfig[];
  readonly notices: readonly string[];
}

const ranks: readonly ServerScope[] = ['flag', 'local', 'project', 'user'];
const maxServers = 100;
const maxConfigBytes = 32 * 1024 * 1024;

export async function collectServers(options: ConfigOptions): Promise<CollectedServers> {
  const notices: string[] = [];
  const found = [...hostServers(options.host), ...(await readFlags(options))];
  if (options.isStrict !== true) found.push(...(await readFiles(options, notices)));
  const byRank = found.sort((a, b) => ranks.indexOf(a.scope) - ranks.indexOf(b.scope));
  const byName = new Map<string, ServerConfig>();
  for (const server of byRank) if (!byName.has(server.name)) byName.set(server.name, server);
  if (byName.size > maxServers) notices.push(`only the first ${maxServers} MCP servers are used`);
  return { servers: [...byName.values()].slice(0, maxServers), notices };
}

function hostServers(host: HostServers | undefined): readonly ServerConfig[] {
  return (host?.servers ?? []).map(({ name, callTimeoutMs }) => ({
    name,
    scope: 'flag',
    source: hostSource,
    transport: 'sdk',
    ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
  }));
}

const hostSource = 'the program that runs the agent';

/** Servers that this program gives while the agent runs. */
export function readGivenServers(
  servers: JsonObject,
  env: NodeJS.ProcessEnv,
  host: HostServers | undefined,
): readonly ServerConfig[] {
  return readServers(servers, 'flag', hostSource, env, host);
}

async function readFlags(options: ConfigOptions): Promise<ServerConfig[]> {
  const found: ServerConfig[] = [];
  for (const flag of options.flags ?? []) {
    const isJson = flag.trimStart().startsWith('{');
    const text = isJson ? flag : await readIfThere(path.resolve(options.cwd, flag));
    if (text === undefined) throw new UserError(`cannot read ${flag}`, 'give --mcp-config a file or JSON');
    const value = asObject(parseJson(text));
    const servers = asObject(value?.mcpServers);
    if (servers === undefined)
      throw new UserError(
        `${isJson ? 'the JSON' : flag} has no "mcpServers"`,
        'give --mcp-config a file like .mcp.json',
      );
    // A file may come from the project, and must not speak for the program.
    found.push(
      ...readServers(servers, 'flag', isJson ? '--mcp-config' : flag, options.env, isJson ? options.host : undefined),
    );
  }
  return found;
}

async function readFiles(options: ConfigOptions, notices: string[]): Promise<ServerConfig[]> {
  const { cwd, env, userConfigFile, settings, settingSources } = options;
  const has = (source: SettingSource): boolean => isUsed(source, settingSources);
  const user = await readJsonFile(userConfigFile, notices);
  const here = asObject(asObject(user?.projects)?.[cwd]);
  const projectFile = path.join(cwd, '.mcp.json');
  const project = options.isProjectTrusted && has('project') ? await readJsonFile(projectFile, notices) : undefined;
  return [
    ...settings.flatMap(({ scope, file, value }) => readServers(asObject(value.mcpServers), scope, file, env)),
    ...(has('local') ? readServers(asObject(here?.mcpServers), 'local', userConfigFile, env) : []),
    ...readServers(asObject(project?.mcpServers), 'project', projectFile, env),
    ...(has('user') ? readServers(asObject(user?.mcpServers), 'user', userConfigFile, env) : []),
  ];
}

async function readJsonFile(file: string, notices: string[]): Promise<JsonObject | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const value = asObject(parseJson(text));
  if (value === undefined) notices.push(`${file} is not a JSON object; its MCP servers are ignored`);
  return value;
}

async function readIfThere(file: string): Promise<string | undefined> {
  const content = await readContent(file, maxConfigBytes);
  if (content.kind !== 'text') return undefined;
  return content.isCut ? '' : content.text;
}

function readServers(
  servers: JsonObject | undefined,
  scope: ServerScope,
  source: string,
  env: NodeJS.ProcessEnv,
  host?: HostServers,
): readonly ServerConfig[] {
  return Object.entries(servers ?? {}).map(([name, value]) => ({
    name: name.toWellFormed().slice(0, 200),
    scope,
    source,
    ...readTarget(value, env, host),
  }));
}

function readTarget(value: unknown, env: NodeJS.ProcessEnv, host: HostServers | undefined): ServerTarget {
  if (!isObject(value)) return invalid('its configuration is not an object');
  if (value.type === 'sdk') return readHostTarget(value, host);
  const missing: string[] = [];
  const expand = (text: string): string => {
    const expansion = expandVariables(text, env);
    missing.push(...expansion.missing);
    return expansion.text;
  };
  const target = asString(value.url) === undefined ? readStdio(value, expand) : readRemote(value, expand);
  return missing.length === 0 ? target : invalid(`${[...new Set(missing)].join(', ')} is not set in the environment`);
}

/** Only the program itself may name one of its servers. */
function readHostTarget({ timeout }: JsonObject, host: HostServers | undefined): ServerTarget {
  if (host === undefined) return invalid('only the program that runs the agent can configure a server of type "sdk"');
  return { transport: 'sdk', ...(typeof timeout === 'number' && timeout >= 1000 ? { callTimeoutMs: timeout } : {}) };
}

function readStdio(value: JsonObject, expand: (text: string) => string): ServerTarget {
  const type = value.type ?? 'stdio';
  const command = asString(value.command);
  if (type !== 'stdio')
    return invalid(command === undefined ? 'it has no "url"' : `its type ${JSON.stringify(type)} is unknown`);
  if (command === undefined || command === '') return invalid('it has neither "command" nor "url"');
  const args = value.args ?? [];
  if (!isArray(args) || !args.every((arg) => typeof arg === 'string'))
    return invalid('"args" is not a list of strings');
  const env = readTexts(value.env, expand);
  if (env === undefined) return invalid('"env" is not an object of strings');
  if ([command, ...args, ...Object.entries(env).flat()].some((text) => text.includes('\0')))
    return invalid('its command contains a null byte');
  return { transport: 'stdio', command: expand(command), args: args.map(expand), env };
}

function readRemote(value: JsonObject, expand: (text: string) => string): ServerTarget {
  const transport = value.type === 'sse' ? 'sse' : 'http';
  if (!['http', 'streamable-http', 'sse', undefined].some((type) => type === value.type))
    return invalid(`its type ${JSON.stringify(value.type)} is unknown`);
  const url = expand(asString(value.url) ?? '');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return invalid('"url" is not an http or https URL');
  const headers = readTexts(value.headers, expand);
  return headers === undefined ? invalid('"headers" is not an object of strings') : { transport, url, headers };
}

function readTexts(value: unknown, expand: (text: string) => string): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return {};
  if (!isObject(value)) return undefined;
  const entries: [string, string][] = [];
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string' && typeof text !== 'number' && typeof text !== 'boolean') return undefined;
    entries.push([key, expand(String(text))]);
  }
  return Object.fromEntries(entries);
}

function invalid(problem: string): ServerTarget {
  return { transport: 'invalid', problem };
}

export interface Expansion {
  readonly text: string;
  readonly missing: readonly string[];
}

export function expandVariables(text: string, env: NodeJS.ProcessEnv): Expansion {
  const missing: string[] = [];
  const expanded = text.replace(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (whole, name: string, fallback: string | undefined) => {
      const value = env[name];
      // As in a shell, `:-` also replaces an empty value.
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      missing.push(name);
      return whole;
    },
  );
  return { text: expanded, missing };
}
