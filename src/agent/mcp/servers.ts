// Starts the configured servers and offers their tools. A server that is not approved, does not start or answers
// nonsense gets a status and a notice; the session starts without it.

import { createHash } from 'node:crypto';
import { isArray, type JsonObject } from '../../base/json/index.ts';
import {
  failedOutcome,
  type McpControl,
  type McpServerChange,
  type McpServerView,
  type Tool,
  type ToolOutcome,
} from '../contract/index.ts';
import type { SettingsFile } from '../settings/index.ts';
import { type ConfigOptions, collectServers, readGivenServers, type ServerConfig, type ServerScope } from './config.ts';
import { type ConnectionOptions, ServerConnection } from './connection.ts';
import { makeResourceTools } from './resource-tools.ts';
import { defaultResultLimits, type ResultLimits, toOutcome } from './result.ts';
import { saveBelow } from './result-file.ts';
import { type CallServer, makeServerTool } from './server-tool.ts';

export interface ConnectOptions extends ConfigOptions {
  /** Called for project servers that the user has not approved; without it they are skipped. */
  readonly approve?: ApproveServer;
  /** Timeouts in ms; by default MCP_TIMEOUT (30 s) and MCP_TOOL_TIMEOUT (10 min) of the environment. */
  readonly connectTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  readonly graceMs?: number;
  /** A longer result is saved to a file. MAX_MCP_OUTPUT_TOKENS of the environment counts four characters each. */
  readonly limits?: ResultLimits;
}

export interface ServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'needs-approval' | 'disabled';
  readonly scope: ServerScope;
  readonly transport: ServerConfig['transport'];
  readonly tools: readonly string[];
  readonly problem?: string;
}

export interface McpServers {
  readonly servers: readonly ServerStatus[];
  readonly tools: readonly Tool[];
  /** Instructions of the servers, for the system prompt. */
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
  readonly notices: readonly string[];
  readonly control: McpControl;
  close(): Promise<void>;
}

const maxInstructions = 2048;

export async function connectServers(options: ConnectOptions): Promise<McpServers> {
  const { servers: configs, notices } = await collectServers(options);
  const set = new ServerSet(options, notices);
  await set.start(configs);
  return set;
}

interface Entry {
  readonly config: ServerConfig;
  /** Absent while the server is not used. */
  connection?: ServerConnection;
  /** Why it is not connected. */
  trouble?: ServerStatus;
  /** Added while the agent runs. */
  readonly isDynamic: boolean;
}

type Offer = ReturnType<typeof gatherTools>;

/** The servers of a run. They can be added, removed and switched off while it runs. */
class ServerSet implements McpServers {
  readonly #options: ConnectOptions;
  readonly #problems: readonly string[];
  readonly #entries = new Map<string, Entry>();
  #offer: Offer = gatherTools([], defaultResultLimits);
  readonly control: McpControl;

  constructor(options: ConnectOptions, problems: readonly string[]) {
    this.#options = options;
    this.#problems = problems;
    const views = () => this.#views();
    this.control = {
      get servers() {
        return views();
      },
      setServers: (servers) => this.#setServers(servers),
      reconnect: (name) => this.#reconnect(name),
      toggle: (name, isEnabled) => this.#toggle(name, isEnabled),
      call: (tool, input, signal) => this.#call(tool, input, signal),
    };
  }

  get servers(): readonly ServerStatus[] {
    return this.#offer.servers;
  }

  get tools(): readonly Tool[] {
    return this.#offer.tools;
  }

  get instructions(): Offer['instructions'] {
    return this.#offer.instructions;
  }

  get notices(): readonly string[] {
    return [...this.#problems, ...this.servers.flatMap(describeTrouble), ...this.#offer.notices];
  }

  async start(configs: readonly ServerConfig[]): Promise<void> {
    const { settings, approve } = this.#options;
    for (const config of configs) {
      const entry: Entry = { config, isDynamic: false };
      const answer = await judgeServer(config, settings, approve);
      if (answer !== 'approved') entry.trouble = passedOver(config, answer);
      this.#entries.set(config.name, entry);
    }
    await Promise.all([...this.#entries.values()].filter(({ trouble }) => !trouble).map((each) => this.#open(each)));
    this.#gather();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ connection }) => connection?.close()));
  }

  /** Resolves when the server is connected or has failed. */
  async #open(entry: Entry): Promise<void> {
    const connection = new ServerConnection(entry.config, this.#connectionOptions(entry.config));
    entry.connection = connection;
    const trouble = await openConnection(connection);
    // It may have been replaced or switched off in the meantime.
    if (entry.connection !== connection) return;
    if (trouble === undefined) delete entry.trouble;
    else entry.trouble = trouble;
  }

  #connectionOptions(config: ServerConfig): ConnectionOptions {
    const { cwd, env, host, connectTimeoutMs, callTimeoutMs, graceMs = 1000 } = this.#options;
    const own = config.transport === 'sdk' ? config.callTimeoutMs : undefined;
    return {
      cwd,
      env,
      host,
      connectTimeoutMs: connectTimeoutMs ?? readNumber(env.MCP_TIMEOUT, 30_000),
      callTimeoutMs: own ?? callTimeoutMs ?? readNumber(env.MCP_TOOL_TIMEOUT, 600_000),
      graceMs,
      onToolsChanged: () => this.#gather(),
    };
  }

  #gather(): void {
    const opened = [...this.#entries.values()].flatMap(({ connection, trouble }) => trouble ?? connection ?? []);
    this.#offer = gatherTools(opened, this.#options.limits ?? resultLimits(this.#options.env));
  }

  async #setServers(servers: JsonObject): Promise<McpServerChange> {
    const { env, host } = this.#options;
    const given = readGivenServers(servers, env, host);
    const names = new Set(given.map(({ name }) => name));
    const isReplaced = ({ isDynamic, config }: Entry): boolean => isDynamic || config.transport === 'sdk';
    const old = [...this.#entries.values()].filter((entry) => isReplaced(entry) || names.has(entry.config.name));
    const same = given.filter(({ name, ...config }) =>
      old.some((entry) => entry.config.name === name && isSameTarget({ name, ...config }, entry.config)),
    );
    const keeps = (name: string): boolean => same.some((config) => config.name === name);
    const gone = old.filter(({ config }) => !keeps(config.name));
    for (const { config } of gone) this.#entries.delete(config.name);
    await Promise.all(gone.map(({ connection }) => connection?.close()));
    const added = given.filter(({ name }) => !keeps(name));
    const entries = added.map((config): Entry => ({ config, isDynamic: true }));
    for (const entry of entries) this.#entries.set(entry.config.name, entry);
    await Promise.all(entries.map((entry) => this.#open(entry)));
    this.#gather();
    return {
      added: added.map(({ name }) => name),
      removed: gone.map(({ config }) => config.name).filter((name) => !names.has(name)),
      errors: Object.fromEntries(
        entries.flatMap(({ config, trouble }) => (trouble ? [[config.name, whyOf(trouble)]] : [])),
      ),
    };
  }

  async #reconnect(name: string): Promise<void> {
    const entry = this.#find(name);
    if (entry.trouble?.status === 'needs-approval' || entry.trouble?.status === 'disabled')
      throw new Error(`the server ${name} cannot be connected: ${whyOf(entry.trouble)}`);
    await entry.connection?.close();
    await this.#open(entry);
    this.#gather();
    if (entry.trouble !== undefined) throw new Error(whyOf(entry.trouble));
  }

  async #toggle(name: string, isEnabled: boolean): Promise<void> {
    const entry = this.#find(name);
    if (entry.trouble?.status === 'needs-approval')
      throw new Error(`the server ${name} cannot be used: ${whyOf(entry.trouble)}`);
    if (isEnabled) {
      if (entry.trouble === undefined) return;
      await this.#open(entry);
    } else {
      const { connection } = entry;
      delete entry.connection;
      entry.trouble = passedOver(entry.config, 'disabled');
      await connection?.close();
    }
    this.#gather();
    if (isEnabled && entry.trouble !== undefined) throw new Error(whyOf(entry.trouble));
  }

  async #call(name: string, input: JsonObject, signal: AbortSignal): Promise<ToolOutcome['content']> {
    const call = this.#offer.calls.get(name);
    if (call === undefined) {
      const known = [...this.#offer.calls.keys()].join(', ');
      throw new Error(`there is no MCP tool ${name}; available are: ${known === '' ? 'none' : known}`);
    }
    const { content, isError, stored } = await call(input, signal);
    if (isError) throw new Error(typeof stored === 'string' ? stored : `the tool ${name} failed`);
    return content;
  }

  #find(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new Error(`Server not found: ${name}`);
    return entry;
  }

  #views(): readonly McpServerView[] {
    return [...this.#entries.values()].map(({ config, connection, trouble }) => ({
      name: config.name,
      status: trouble?.status ?? 'connected',
      scope: config.scope,
      transport: config.transport,
      ...(trouble?.problem === undefined ? {} : { problem: trouble.problem }),
      ...(trouble !== undefined || connection?.info === undefined ? {} : { info: connection.info }),
      toolDescriptions: trouble === undefined ? (connection?.tools ?? []) : [],
    }));
  }
}

function isSameTarget(a: ServerConfig, b: ServerConfig): boolean {
  const targetOf = ({ scope, source, ...target }: ServerConfig): string => JSON.stringify(target);
  return targetOf(a) === targetOf(b);
}

function whyOf({ problem, status }: ServerStatus): string {
  return problem ?? `it is ${status}`;
}

function resultLimits(env: NodeJS.ProcessEnv): ResultLimits {
  const tokens = readNumber(env.MAX_MCP_OUTPUT_TOKENS, defaultResultLimits.chars / 4);
  return { ...defaultResultLimits, chars: tokens * 4 };
}

function readNumber(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return text !== undefined && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31 ? value : otherwise;
}

function passedOver(config: ServerConfig, answer: 'disabled' | 'unanswered'): ServerStatus {
  const { name, scope, transport, source } = config;
  if (answer === 'disabled') return { name, scope, transport, status: 'disabled', tools: [] };
  const problem = `${source} configures it; allow it with enabledMcpjsonServers in your settings`;
  return { name, scope, transport, status: 'needs-approval', tools: [], problem };
}

async function openConnection(connection: ServerConnection): Promise<ServerStatus | undefined> {
  const { name, scope, transport } = connection.config;
  try {
    await connection.open();
    return undefined;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const status = isUnauthorised(error) ? 'needs-auth' : 'failed';
    return { name, scope, transport, status, tools: [], problem };
  }
}

function isUnauthorised(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  return cause.name === 'UnauthorizedError' || ('code' in cause && cause.code === 401) || /\b401\b/.test(cause.message);
}

function gatherTools(opened: readonly (ServerStatus | ServerConnection)[], limits: ResultLimits) {
  const servers: ServerStatus[] = [];
  const tools: Tool[] = [];
  const instructions: { readonly server: string; readonly text: string }[] = [];
  const notices: string[] = [];
  const calls = new Map<string, (input: JsonObject, signal: AbortSignal) => Promise<ToolOutcome>>();
  const taken = new Set<string>();
  for (const each of opened) {
    if (!(each instanceof ServerConnection)) {
      servers.push(each);
      continue;
    }
    const { name, scope, transport } = each.config;
    const own: string[] = [];
    for (const description of each.tools) {
      const title = typeof description.name === 'string' ? description.name : '';
      const call = callOver(each, limits);
      const tool = makeServerTool(description, nameTool(name, title, taken), call);
      if ('problem' in tool)
        notices.push(`MCP server ${name}: its tool ${JSON.stringify(title)} is left out: ${tool.problem}`);
      else {
        tools.push(tool);
        own.push(tool.name);
        calls.set(tool.name, (input, signal) => call(title, input, { signal, progress: () => undefined }));
      }
    }
    const text = each.instructions?.trim().slice(0, maxInstructions).toWellFormed() ?? '';
    if (text !== '') instructions.push({ server: name, text });
    servers.push({ name, scope, transport, status: 'connected', tools: own });
  }
  tools.push(
    ...makeResourceTools(
      opened.filter((each) => each instanceof ServerConnection),
      limits,
    ),
  );
  return { servers, tools, instructions, notices, calls };
}

function describeTrouble({ name, status, problem }: ServerStatus): readonly string[] {
  if (status === 'needs-approval') return [`MCP server ${name} is not started: ${problem}`];
  if (status === 'needs-auth') return [`MCP server ${name} wants a login: ${problem}`];
  return status === 'failed' ? [`MCP server ${name} cannot be used: ${problem}`] : [];
}

function callOver(connection: ServerConnection, limits: ResultLimits): CallServer {
  return async (tool, input, context): Promise<ToolOutcome> => {
    try {
      const answer = await connection.call(tool, input, context);
      const { workspace } = context;
      const name = [connection.config.name, tool];
      return await toOutcome(answer, limits, workspace ? saveBelow(workspace.sessionDir, name) : () => undefined);
    } catch (error) {
      if (context.signal.aborted) return failedOutcome('The call was interrupted; the server was told to stop.');
      const problem = error instanceof Error ? error.message : String(error);
      return failedOutcome(`MCP server ${connection.config.name}: ${problem}`);
    }
  };
}

type ApproveServer = (server: ServerConfig) => Promise<boolean>;

export type ApprovalAnswer = 'approved' | 'disabled' | 'unanswered';

export async function judgeServer(
  server: ServerConfig,
  settings: readonly SettingsFile[],
  approve: ApproveServer | undefined,
): Promise<ApprovalAnswer> {
  if (settings.some(({ value }) => includes(value.disabledMcpjsonServers, server.name))) return 'disabled';
  if (server.scope !== 'project') return 'approved';
  const own = settings.filter(({ scope }) => scope !== 'project');
  if (own.some(({ value }) => value.enableAllProjectMcpServers === true)) return 'approved';
  if (own.some(({ value }) => includes(value.enabledMcpjsonServers, server.name))) return 'approved';
  if (approve === undefined) return 'unanswered';
  return (await approve(server)) ? 'approved' : 'disabled';
}

function includes(list: unknown, name: string): boolean {
  return isArray(list) && list.includes(name);
}

const maxLength = 128;

/** Adds the name to `taken`. */
export function nameTool(server: string, tool: string, taken: Set<string>): string {
  const plain = `mcp__${normaliseName(server)}__${normaliseName(tool)}`;
  const fits = plain.length <= maxLength && !taken.has(plain);
  // A hash of both names, so that a tool has the same name in every session.
  const name = fits ? plain : `${plain.slice(0, maxLength - 9)}_${hash(`${server}\0${tool}`)}`;
  taken.add(name);
  return name;
}

export function normaliseName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
