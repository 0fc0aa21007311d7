// The options of a run → what it runs with: settings, rules, hooks, commands, kinds of sub-agents, tools, servers. Read
// once when the agent opens; servers, which may take long, are only begun here and waited for with the first request.
import { homedir } from 'node:os';
import path from 'node:path';
import { asObject, parseJson } from '../base/json.ts';
import { type AgentDefinition, loadAgentDefinitions } from './context/agent-definition.ts';
import { type Command, loadCommands } from './context/command.ts';
import { makeSkillTool } from './context/skill-tool.ts';
import type { AgentOptions } from './handle.ts';
import { makeHookRunner, type RanHook } from './hooks/hook-runner.ts';
import { keepLocalRule } from './local-rule.ts';
import type { SettingsFile } from './mcp/config.ts';
import type { McpServers } from './mcp/servers.ts';
import type { HookRunner } from './parts.ts';
import { type Judge, makeJudge } from './permission/judge.ts';
import type { PermissionMode } from './permission-mode.ts';
import { loadSettings, type Settings } from './settings.ts';
import { readText } from './text-file.ts';
import type { Tool, Workspace } from './tool.ts';

export interface ServerView {
  readonly name: string;
  readonly status: string;
  readonly tools: readonly string[];
}

export interface HookWatcher {
  cwd(): string;
  onHook(ran: RanHook): Promise<void>;
}

export class Surroundings {
  readonly judge: Judge;
  readonly hookRunner: HookRunner;
  readonly commands: readonly Command[];
  readonly definitions: readonly AgentDefinition[];
  readonly env: NodeJS.ProcessEnv;
  readonly extraDirs: readonly string[];
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  readonly thinkingTokens: number | undefined;
  /** What was wrong with files of the user, for notices. */
  readonly notes: readonly string[];
  readonly #options: AgentOptions;
  readonly #ownTools: readonly Tool[];
  readonly #connecting: Promise<McpServers | undefined>;
  #servers: McpServers | undefined;
  #watcher: HookWatcher | undefined;

  constructor(options: AgentOptions, loaded: Loaded) {
    const { settings, agents, commands, ownTools } = loaded;
    this.#options = options;
    this.env = { ...options.env, ...settings.env };
    this.extraDirs = [
      ...(options.addDirs ?? []).map((dir) => path.resolve(options.cwd, dir)),
      ...settings.additionalDirectories,
    ];
    this.mode = options.mode ?? settings.defaultMode ?? 'default';
    this.model = settings.model;
    this.thinkingTokens = thinkingOf(this.env);
    this.commands = commands;
    this.definitions = agents;
    this.judge = makeJudge({
      projectDir: options.cwd,
      home: homedir(),
      root: options.root,
      extraDirs: this.extraDirs,
      readableDirs: [path.join(options.root, 'projects')],
      rules: settings.rules,
      keepLocalRule: async (rule) => void (await keepLocalRule(options.cwd, rule)),
    });
    const hooks = makeHookRunner({
      hooks: settings.hooks,
      projectDir: options.cwd,
      env: this.env,
      cwd: () => this.#watcher?.cwd() ?? options.cwd,
      onRan: (ran) => this.#watcher?.onHook(ran),
    });
    this.hookRunner = hooks;
    this.#ownTools = ownTools.filter((tool) => this.#isOffered(tool));
    this.notes = [...settings.notices, ...loaded.notes, ...this.judge.problems, ...hooks.problems];
    this.#connecting = this.#connect(loaded.settingsFiles);
    // A failure is told by whoever waits for it.
    this.#connecting.catch(() => undefined);
  }

  /** Whoever knows where the shell stands, and tells others of the hooks that ran. */
  setWatcher(watcher: HookWatcher): void {
    this.#watcher = watcher;
  }

  tools(): readonly Tool[] {
    return [...this.#ownTools, ...(this.#servers?.tools ?? []).filter((tool) => this.#isOffered(tool))];
  }

  servers(): readonly ServerView[] {
    return this.#servers?.servers ?? [];
  }

  /** When all tools are known; the first time with what there is to say about it. */
  async ready(): Promise<readonly string[]> {
    if (this.#servers !== undefined) return [];
    this.#servers = await this.#connecting;
    return this.#servers?.notices ?? [];
  }

  async writeSystem(workspace: Workspace, model: string): Promise<readonly string[]> {
    const { buildSystemPrompt } = await import('./context/system-prompt.ts');
    const { root, isInteractive, systemPrompt, appendSystemPrompt } = this.#options;
    return buildSystemPrompt({
      cwd: workspace.projectDir,
      root,
      home: homedir(),
      extraDirs: this.extraDirs,
      model,
      env: this.env,
      now: new Date(),
      tools: this.tools().map(({ name }) => name),
      isInteractive,
      commands: this.commands,
      serverNotes: this.#servers?.instructions ?? [],
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    });
  }

  async close(): Promise<void> {
    const servers = await this.#connecting.catch(() => undefined);
    await servers?.close();
  }

  async #connect(settings: readonly SettingsFile[]): Promise<McpServers | undefined> {
    const { cwd, mcpConfig = [] } = this.#options;
    const { connectServers } = await import('./mcp/servers.ts');
    const userConfigFile = path.join(path.dirname(this.#options.root), '.claude.json');
    return connectServers({ cwd, env: this.env, userConfigFile, settings, flags: mcpConfig });
  }

  /** A tool that a rule forbids altogether is not even mentioned. */
  #isOffered({ name }: Tool): boolean {
    if (!this.#options.isInteractive && name === 'AskUserQuestion') return false;
    return !this.judge.rules.some((rule) => rule.kind === 'deny' && rule.text === name);
  }
}

interface Loaded {
  readonly settings: Settings;
  readonly settingsFiles: readonly SettingsFile[];
  readonly agents: readonly AgentDefinition[];
  readonly commands: readonly Command[];
  readonly ownTools: readonly Tool[];
  readonly notes: readonly string[];
}

export async function loadSurroundings(options: AgentOptions): Promise<Surroundings> {
  const { cwd, root, allowedTools = [], disallowedTools = [] } = options;
  const flags = { permissions: { allow: allowedTools, deny: disallowedTools } };
  const [settings, settingsFiles, commands, { agents, notes }, { makeTools }] = await Promise.all([
    loadSettings({ root, projectDir: cwd, home: homedir(), flags }),
    readSettingsFiles(root, cwd),
    loadCommands({ cwd, root }),
    loadAgentDefinitions({ cwd, root }),
    import('./tools/all.ts'),
  ]);
  const skill = makeSkillTool(commands, {});
  const ownTools = [...makeTools({ agentTypes: agents }), ...(skill === undefined ? [] : [skill])];
  return new Surroundings(options, { settings, settingsFiles, agents, commands, ownTools, notes });
}

async function readSettingsFiles(root: string, cwd: string): Promise<readonly SettingsFile[]> {
  const files = [
    { scope: 'user', file: path.join(root, 'settings.json') },
    { scope: 'project', file: path.join(cwd, '.claude', 'settings.json') },
    { scope: 'local', file: path.join(cwd, '.claude', 'settings.local.json') },
  ] as const;
  return Promise.all(
    files.map(async ({ scope, file }) => ({
      scope,
      file,
      value: asObject(parseJson((await readText(file, maxSettingsBytes)) ?? '')) ?? {},
    })),
  );
}

const maxSettingsBytes = 4 * 1024 * 1024;

/** `MAX_THINKING_TOKENS`, as Claude Code reads it: none, or nothing sensible, is no thinking. */
function thinkingOf(env: NodeJS.ProcessEnv): number | undefined {
  const tokens = Number(env.MAX_THINKING_TOKENS ?? '');
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
