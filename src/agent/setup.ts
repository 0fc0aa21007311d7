// Loads what an agent runs with: settings, rules, hooks, commands, sub-agents, tools and MCP servers. It is read once
// when the agent opens; the servers start in the background, and the first request waits for them.

import { homedir } from 'node:os';
import path from 'node:path';
import { shellQuote } from '../base/text/index.ts';
import { isInside, readGitBranch } from './access/index.ts';
import {
  type AgentOptions,
  type AskConsent,
  type HookRunner,
  namesOf,
  type PermissionMode,
  type RuleText,
  type Sandbox,
  type Tool,
  type Workspace,
} from './contract/index.ts';
import { makeHookRunner, type RanHook } from './hooks/index.ts';
import type { McpServers, ServerConfig } from './mcp/index.ts';
import { type Judge, makeJudge, readProtection } from './permission/index.ts';
import {
  type AgentDefinition,
  buildSystemPrompt,
  type Command,
  describeEnvironment,
  describeSituation,
  loadAgentDefinitions,
  loadCommands,
  type MemoryOptions,
  makeSkillTool,
  type Section,
  soundText,
} from './prompt/index.ts';
import { runInlineShell } from './prompt-intake.ts';
import { findMechanism, makeSandbox, noMechanism, readSandboxSettings, type SandboxSettings } from './sandbox/index.ts';
import type { PromptKeeper, PromptSource } from './session/index.ts';
import {
  findUserConfig,
  keepLocalRule,
  keepLocalServer,
  mergeSettings,
  readSettingsFiles,
  type Settings,
  type SettingsFile,
  type SettingsFiles,
} from './settings/index.ts';
import { readProjectOffer, summariseOffer } from './trust/index.ts';

export interface ServerView {
  readonly name: string;
  readonly status: string;
  readonly tools: readonly string[];
}

export interface SituationState {
  readonly model: string;
  readonly mode: PermissionMode;
  readonly prompt: PromptKeeper;
  readonly note: (text: string) => void;
}

/** The agent that uses the setup. */
export interface SetupOwner {
  cwd(): string;
  mode(): PermissionMode;
  onHook(ran: RanHook): Promise<void>;
  note(text: string): void;
  consent(wish: Parameters<AskConsent>[0]): ReturnType<AskConsent>;
}

export class AgentSetup {
  readonly judge: Judge;
  readonly sandbox: Sandbox;
  readonly hookRunner: HookRunner;
  readonly commands: readonly Command[];
  readonly definitions: readonly AgentDefinition[];
  readonly env: NodeJS.ProcessEnv;
  readonly extraDirs: readonly string[];
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  readonly thinkingTokens: number | undefined;
  /** Problems in the user's files, shown as notices. */
  readonly notes: readonly string[];
  readonly #options: AgentOptions;
  readonly #ownTools: readonly Tool[];
  readonly #settingsFiles: readonly SettingsFile[];
  #connecting: Promise<McpServers | undefined> = Promise.resolve(undefined);
  #servers: McpServers | undefined;
  /** Folders of the sessions of this run, where long tool results are stored for the model to read. */
  readonly #sessionDirs: string[] = [];
  readonly #imports = new Map<string, Promise<boolean>>();
  #owner: SetupOwner | undefined;

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
    const confining = readSandboxSettings(settings.files);
    const mechanism = confining.isEnabled ? findMechanism(this.env) : noMechanism;
    const isAvailable = mechanism.kind !== 'none';
    this.judge = makeJudge({
      projectDir: options.cwd,
      home: homedir(),
      root: options.root,
      extraDirs: this.extraDirs,
      readableDirs: this.#sessionDirs,
      sandbox: {
        ...confining,
        isAvailable,
        hasNetwork: mechanism.kind === 'bubblewrap' && confining.domains.allowed.length > 0,
      },
      rules: [...settings.rules, ...credentialRules(options.root), ...sandboxRules(confining, isAvailable)],
      keepLocalRule: async (rule) => this.#noteProblem(await keepLocalRule(options.cwd, rule)),
    });
    this.sandbox = makeSandbox({
      projectDir: options.cwd,
      extraDirs: this.extraDirs,
      home: homedir(),
      root: options.root,
      policy: this.judge.policy,
      mechanism,
      domains: confining.domains,
      allowWrite: confining.allowWrite.map((dir) => path.resolve(options.cwd, dir.replace(/^~(?=\/|$)/, homedir()))),
    });
    const hooks = makeHookRunner({
      hooks: settings.hooks,
      projectDir: options.cwd,
      env: this.env,
      cwd: () => this.#owner?.cwd() ?? options.cwd,
      onRan: (ran) => this.#owner?.onHook(ran),
    });
    this.hookRunner = hooks;
    const skill = makeSkillTool(commands, (command, { workspace, signal }) => ({
      runShell: (text) => this.#runShell(text, command, workspace, signal),
    }));
    this.#ownTools = [...ownTools, ...(skill === undefined ? [] : [skill])].filter((tool) => this.#isOffered(tool));
    this.#settingsFiles = settings.files;
    this.notes = [...settings.notices, ...loaded.notes, ...this.judge.problems, ...hooks.problems];
  }

  /** Starts the MCP servers. Some of them need the user's consent, so the agent must be ready. */
  start(owner: SetupOwner): void {
    this.#owner = owner;
    this.#connecting = this.#connect();
    // `ready` reports the failure.
    this.#connecting.catch(() => undefined);
  }

  /** The model may read the stored results of this session only. */
  enterSession(sessionDir: string): void {
    if (!this.#sessionDirs.includes(sessionDir)) this.#sessionDirs.push(sessionDir);
  }

  memoryOptions(cwd: string): MemoryOptions {
    return {
      cwd,
      root: this.#options.root,
      home: homedir(),
      extraDirs: this.extraDirs,
      judgeRead: (file) => this.#judgeRead(file, cwd),
      ...(this.#options.isInteractive ? { allowImport: (file, by) => this.#allowImport(file, by) } : {}),
    };
  }

  tools(): readonly Tool[] {
    return [...this.#ownTools, ...(this.#servers?.tools ?? []).filter((tool) => this.#isOffered(tool))];
  }

  servers(): readonly ServerView[] {
    return this.#servers?.servers ?? [];
  }

  /** Waits until all tools are known. The first call returns notices about the servers. */
  async ready(): Promise<readonly string[]> {
    if (this.#servers !== undefined) return [];
    this.#servers = await this.#connecting;
    return this.#servers?.notices ?? [];
  }

  promptSource(): Omit<PromptSource, 'stored' | 'emit'> {
    const { systemPrompt } = this.#options;
    return {
      render: () => this.#writeSystem(),
      tools: () => this.tools(),
      ...(systemPrompt === undefined ? {} : { ownText: soundText(systemPrompt) }),
    };
  }

  /** The environment and the instructions for the model. */
  describe(workspace: Workspace, { prompt, ...state }: SituationState): Promise<readonly Section[]> {
    const appended = soundText(this.#options.appendSystemPrompt ?? '');
    return describeSituation({
      ...state,
      ...this.#place(workspace),
      ...this.memoryOptions(workspace.projectDir),
      missingTools: prompt.missingTools(),
      ...(prompt.holds(appended) ? {} : { appended }),
    });
  }

  /** The same for a sub-agent, without instructions. */
  describeEnvironment(workspace: Workspace, state: Pick<SituationState, 'model' | 'mode'>): readonly Section[] {
    return describeEnvironment({ ...state, ...this.#place(workspace) });
  }

  #place({ projectDir }: Workspace) {
    const gitBranch = readGitBranch(projectDir);
    const { isInteractive } = this.#options;
    return { cwd: projectDir, extraDirs: this.extraDirs, env: this.env, now: new Date(), gitBranch, isInteractive };
  }

  #writeSystem(): readonly string[] {
    const { isInteractive, systemPrompt, appendSystemPrompt } = this.#options;
    return buildSystemPrompt({
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

  async #connect(): Promise<McpServers | undefined> {
    const { cwd, root, mcpConfig = [], isInteractive, isProjectTrusted } = this.#options;
    const { connectServers } = await import('./mcp/servers.ts');
    return connectServers({
      cwd,
      env: this.env,
      userConfigFile: findUserConfig(root, homedir()),
      settings: this.#settingsFiles,
      isProjectTrusted,
      flags: mcpConfig,
      ...(isInteractive ? { approve: (server) => this.#approveServer(server) } : {}),
    });
  }

  async #approveServer(server: ServerConfig): Promise<boolean> {
    const { name, source } = server;
    const asked = { title: `Start the MCP server ${name}?`, details: describeServer(server), canKeep: true };
    const answer = await this.#owner?.consent({ ...asked, details: [`Configured in ${source}`, ...asked.details] });
    if (answer?.isKept === true) this.#noteProblem(await keepLocalServer(this.#options.cwd, name, answer.isGiven));
    return answer?.isGiven === true;
  }

  /** An import is judged like a Read call in default mode. */
  async #judgeRead(file: string, cwd: string): Promise<'allow' | 'ask' | 'deny' | undefined> {
    const call = { id: 'import', name: 'Read', input: { file_path: file } };
    const { kind } = this.judge.judge(call, { mode: 'default', cwd, isReadOnly: true });
    if (kind !== 'ask') return kind;
    // Outside the project the judge asks for every file; here only files that may hold secrets matter.
    const isOwn = await isInside(file, [cwd, ...this.extraDirs]);
    return isOwn || readProtection(file.split(path.sep)) !== undefined ? 'ask' : undefined;
  }

  /** Asks once per file and run. */
  #allowImport(file: string, by: string): Promise<boolean> {
    const asked = this.#imports.get(file) ?? this.#askForImport(file, by);
    this.#imports.set(file, asked);
    return asked;
  }

  async #askForImport(file: string, by: string): Promise<boolean> {
    const details = [`${by} imports it, and it is outside the project or may contain secrets`];
    const wish = { title: `Send ${file} with the instructions?`, details, canKeep: false };
    return (await this.#owner?.consent(wish))?.isGiven === true;
  }

  /** The model starts skills, so their `allowed-tools` count only if the user wrote the skill. */
  #runShell(
    text: string,
    { scope, allowedTools }: Command,
    workspace: Workspace,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const mode = this.#owner?.mode() ?? this.mode;
    const wishes = scope === 'user' ? allowedTools : [];
    return runInlineShell(text, wishes, { judge: this.judge, mode, workspace }, signal);
  }

  #noteProblem(problem: string | undefined): void {
    if (problem !== undefined) this.#owner?.note(problem);
  }

  /** A tool that a rule denies completely is not offered to the model. */
  #isOffered({ name }: Tool): boolean {
    if (!this.#options.isInteractive && name === 'AskUserQuestion') return false;
    return !this.judge.rules.some((rule) => rule.kind === 'deny' && namesOf(name).includes(rule.text));
  }
}

/** Denied in every mode: the key belongs in a header, never in a message. */
function credentialRules(root: string): readonly RuleText[] {
  const file = path.join(path.resolve(root), '.credentials.json');
  return /[()]/.test(file) ? [] : [{ kind: 'deny', text: `Read(/${file})`, source: 'Clew itself' }];
}

interface Loaded {
  readonly settings: Settings;
  readonly agents: readonly AgentDefinition[];
  readonly commands: readonly Command[];
  readonly ownTools: readonly Tool[];
  readonly notes: readonly string[];
}

/** `files`: settings that are already read. */
export async function loadSetup(options: AgentOptions, files?: SettingsFiles): Promise<AgentSetup> {
  const { cwd, root, env, isProjectTrusted, allowedTools = [], disallowedTools = [] } = options;
  const flags = { permissions: { allow: allowedTools, deny: disallowedTools } };
  const tools = import('./tools/all.ts');
  const read = files ?? (await readSettingsFiles({ root, projectDir: cwd, env }));
  const settings = mergeSettings(read, { root, projectDir: cwd, home: homedir(), env, flags, isProjectTrusted });
  const [{ commands, notes: commandNotes }, { agents, notes }, { makeTools }, untrusted] = await Promise.all([
    loadCommands({ cwd, root, isProjectTrusted }),
    loadAgentDefinitions({ cwd, root, isProjectTrusted }),
    tools,
    noteUntrusted(options, read),
  ]);
  const ownTools = makeTools({ agentTypes: agents });
  const allNotes = [...untrusted, ...commandNotes, ...notes];
  return new AgentSetup(options, { settings, agents, commands, ownTools, notes: allNotes });
}

async function noteUntrusted(
  { cwd, root, env, isProjectTrusted }: AgentOptions,
  settings: SettingsFiles,
): Promise<readonly string[]> {
  if (isProjectTrusted) return [];
  const offer = await readProjectOffer({ cwd, root, env, home: homedir() }, settings);
  const left = offer.filter(({ isAskedApart }) => !isAskedApart);
  if (left.length === 0) return [];
  return [
    `this folder is not trusted, so its ${summariseOffer(left)} are left out; accept it in clew chat, or add --trust-project`,
  ];
}

function sandboxRules({ deny, isRequired }: SandboxSettings, isAvailable: boolean): readonly RuleText[] {
  const texts = isRequired && !isAvailable ? [...deny, 'Bash'] : deny;
  return texts.map((text) => ({ kind: 'deny', text, source: 'sandbox settings' }));
}

function describeServer(server: ServerConfig): readonly string[] {
  switch (server.transport) {
    case 'stdio':
      return [`It runs: ${[server.command, ...server.args].map(shellQuote).join(' ')}`];
    case 'http':
    case 'sse':
      return [`URL: ${server.url}`];
    case 'invalid':
      return [`It cannot be used: ${server.problem}`];
    default:
      return server satisfies never;
  }
}

/** `MAX_THINKING_TOKENS`, as Claude Code reads it; anything but a positive number means no thinking. */
function thinkingOf(env: NodeJS.ProcessEnv): number | undefined {
  const tokens = Number(env.MAX_THINKING_TOKENS ?? '');
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
