// The MCP servers of an agent: they start in the background, and the first request waits for them.
import { homedir } from 'node:os';
import { shellQuote } from '../../base/text/index.ts';
import type { AgentOptions, AskConsent, McpControl, Tool } from '../contract/index.ts';
import type { McpServers, ServerConfig } from '../mcp/index.ts';
import { findUserConfig, keepLocalServer, type SettingsFile } from '../settings/index.ts';

export interface ServerView {
  readonly name: string;
  readonly status: string;
  readonly tools: readonly string[];
  readonly scope?: string;
}

/** Some servers need the user's consent. */
export interface ServerOwner {
  note(text: string): void;
  consent(wish: Parameters<AskConsent>[0]): ReturnType<AskConsent>;
}

export class SetupServers {
  readonly #options: AgentOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #settingsFiles: readonly SettingsFile[];
  #connecting: Promise<McpServers | undefined> = Promise.resolve(undefined);
  #servers: McpServers | undefined;

  constructor(options: AgentOptions, env: NodeJS.ProcessEnv, settingsFiles: readonly SettingsFile[]) {
    this.#options = options;
    this.#env = env;
    this.#settingsFiles = settingsFiles;
  }

  start(owner: ServerOwner): void {
    this.#connecting = this.#connect(owner);
    // `ready` reports the failure.
    this.#connecting.catch(() => undefined);
  }

  /** Waits until all tools are known. The first call returns notices. */
  async ready(): Promise<readonly string[]> {
    if (this.#servers !== undefined) return [];
    this.#servers = await this.#connecting;
    return this.#servers?.notices ?? [];
  }

  /** The servers, once they have started, with the notices that `ready` would return. */
  async control(): Promise<{ readonly notices: readonly string[]; readonly control: McpControl }> {
    const notices = await this.ready();
    if (this.#servers === undefined) throw new Error('the MCP servers could not be started');
    return { notices, control: this.#servers.control };
  }

  get tools(): readonly Tool[] {
    return this.#servers?.tools ?? [];
  }

  get instructions(): McpServers['instructions'] {
    return this.#servers?.instructions ?? [];
  }

  get views(): readonly ServerView[] {
    return (this.#servers?.servers ?? []).map((server) => ({
      ...server,
      scope: server.transport === 'sdk' ? 'host' : server.scope,
    }));
  }

  async close(): Promise<void> {
    const servers = await this.#connecting.catch(() => undefined);
    await servers?.close();
  }

  async #connect(owner: ServerOwner): Promise<McpServers | undefined> {
    const { cwd, root, mcpConfig = [], isInteractive, isProjectTrusted, isMcpStrict, settingSources } = this.#options;
    const { connectServers } = await import('../mcp/servers.ts');
    return connectServers({
      cwd,
      env: this.#env,
      userConfigFile: findUserConfig(root, homedir()),
      settings: this.#settingsFiles,
      isProjectTrusted,
      flags: mcpConfig,
      isStrict: isMcpStrict,
      settingSources,
      host: this.#options.hostServers,
      ...(isInteractive ? { approve: (server) => this.#approve(server, owner) } : {}),
    });
  }

  async #approve(server: ServerConfig, owner: ServerOwner): Promise<boolean> {
    const { name, source } = server;
    const asked = { title: `Start the MCP server ${name}?`, details: describeServer(server), canKeep: true };
    const answer = await owner.consent({ ...asked, details: [`Configured in ${source}`, ...asked.details] });
    const problem = answer.isKept === true ? await keepLocalServer(this.#options.cwd, name, answer.isGiven) : undefined;
    if (problem !== undefined) owner.note(problem);
    return answer.isGiven;
  }
}

function describeServer(server: ServerConfig): readonly string[] {
  switch (server.transport) {
    case 'stdio':
      return [`It runs: ${[server.command, ...server.args].map(shellQuote).join(' ')}`];
    case 'http':
    case 'sse':
      return [`URL: ${server.url}`];
    case 'sdk':
      return ['It runs in the program that runs the agent'];
    case 'invalid':
      return [`It cannot be used: ${server.problem}`];
    default:
      return server satisfies never;
  }
}
