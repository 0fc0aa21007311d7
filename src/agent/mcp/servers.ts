// Starts the configured servers and offers their tools. A server that is not approved, does not start or answers
// nonsense gets a status and a notice; the session starts without it.

import { createHash } from 'node:crypto';
import { isArray } from '../../base/json/index.ts';
import { failedOutcome, type Tool, type ToolOutcome } from '../contract/index.ts';
import type { SettingsFile } from '../settings/index.ts';
import { type ConfigOptions, collectServers, type ServerConfig, type ServerScope } from './config.ts';
import { ServerConnection } from './connection.ts';
import { type CallServer, defaultResultLimits, makeServerTool, type ResultLimits, toOutcome } from './server-tool.ts';

export interface ConnectOptions extends ConfigOptions {
  /** Called for project servers that the user has not approved; without it they are skipped. */
  readonly approve?: ApproveServer;
  /** Timeouts in ms; by default MCP_TIMEOUT (30 s) and MCP_TOOL_TIMEOUT (10 min) of the environment. */
  readonly connectTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  readonly graceMs?: number;
  /** By default MAX_MCP_OUTPUT_TOKENS (25,000) of the environment, at four characters each. */
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
  close(): Promise<void>;
}

const maxInstructions = 2048;

export async function connectServers(options: ConnectOptions): Promise<McpServers> {
  const { servers: configs, notices: problems } = await collectServers(options);
  const connections: ServerConnection[] = [];
  const approved: (ServerStatus | ServerConnection)[] = [];
  for (const config of configs) {
    const answer = await judgeServer(config, options.settings, options.approve);
    if (answer !== 'approved') approved.push(passedOver(config, answer));
    else approved.push(new ServerConnection(config, connectionOptions(options)));
  }
  const opened = await Promise.all(
    approved.map(async (each) => {
      if (!(each instanceof ServerConnection)) return each;
      connections.push(each);
      return (await openConnection(each)) ?? each;
    }),
  );
  const offer = gatherTools(opened, options.limits ?? resultLimits(options.env));
  return {
    ...offer,
    notices: [...problems, ...offer.servers.flatMap(describeTrouble), ...offer.notices],
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

function connectionOptions(options: ConnectOptions) {
  return {
    cwd: options.cwd,
    env: options.env,
    connectTimeoutMs: options.connectTimeoutMs ?? readNumber(options.env.MCP_TIMEOUT, 30_000),
    callTimeoutMs: options.callTimeoutMs ?? readNumber(options.env.MCP_TOOL_TIMEOUT, 600_000),
    graceMs: options.graceMs ?? 1000,
  };
}

function resultLimits(env: NodeJS.ProcessEnv): ResultLimits {
  return { ...defaultResultLimits, chars: readNumber(env.MAX_MCP_OUTPUT_TOKENS, 25_000) * 4 };
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
      const tool = makeServerTool(description, nameTool(name, title, taken), callOver(each, limits));
      if ('problem' in tool)
        notices.push(`MCP server ${name}: its tool ${JSON.stringify(title)} is left out: ${tool.problem}`);
      else {
        tools.push(tool);
        own.push(tool.name);
      }
    }
    const text = each.instructions?.trim().slice(0, maxInstructions).toWellFormed() ?? '';
    if (text !== '') instructions.push({ server: name, text });
    servers.push({ name, scope, transport, status: 'connected', tools: own });
  }
  return { servers, tools, instructions, notices };
}

function describeTrouble({ name, status, problem }: ServerStatus): readonly string[] {
  if (status === 'needs-approval') return [`MCP server ${name} is not started: ${problem}`];
  if (status === 'needs-auth') return [`MCP server ${name} wants a login: ${problem}`];
  return status === 'failed' ? [`MCP server ${name} cannot be used: ${problem}`] : [];
}

function callOver(connection: ServerConnection, limits: ResultLimits): CallServer {
  return async (tool, input, context): Promise<ToolOutcome> => {
    try {
      return toOutcome(await connection.call(tool, input, context), limits);
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
