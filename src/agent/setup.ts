// Loads what an agent runs with: settings, rules, hooks, commands, sub-agents, tools and MCP servers. It is read once
// when the agent opens; the servers start in the background, and the first request waits for them.

import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../base/errors/index.ts';
import type { JsonObject } from '../base/json/index.ts';
import { shellQuote } from '../base/text/index.ts';
import { isInside, readGitBranch } from './access/index.ts';
import type { ContextTexts } from './context-usage.ts';
import {
  type AgentOptions,
  type AskConsent,
  isUsed,
  type McpControl,
  namesOf,
  type PermissionMode,
  type PermissionUpdate,
  type RuleText,
  type Sandbox,
  type StructuredOutput,
  type Tool,
  type Workspace,
} from './contract/index.ts';
import { type AskHookModel, type Hooks, type LateVerdict, makeHookRunner, type RanHook } from './hooks/index.ts';
import { type RequestWish, readRequestWish } from './loop/index.ts';
import type { McpServers, ServerConfig } from './mcp/index.ts';
import { type Judge, makeJudge, readProtection } from './permission/index.ts';
import { applyPermissionUpdates } from './permission-updates.ts';
import {
  type AgentDefinition,
  buildSystemPrompt,
  type Command,
  describeEnvironment,
  describeSituation,
  describeSkills,
  loadAgentDefinitions,
  loadCommands,
  loadMemory,
  type MemoryOptions,
  makeSkillTool,
  readGivenAgents,
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
  readonly scope?: string;
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
  onLateHook(late: LateVerdict): void;
  askHookModel: AskHookModel;
  note(text: string): void;
  consent(wish: Parameters<AskConsent>[0]): ReturnType<AskConsent>;
}

export class AgentSetup {
  readonly judge: Judge;
  readonly sandbox: Sandbox;
  readonly hookRunner: Hooks;
  readonly commands: readonly Command[];
  readonly definitions: readonly AgentDefinition[];
  readonly env: NodeJS.ProcessEnv;
  /** Changes with the permissions. */
  readonly extraDirs: string[];
  readonly mode: PermissionMode;
  readonly model: string | undefined;
  readonly apiKeyHelper: string | undefined;
  readonly output: StructuredOutput | undefined;
  /** Used in this order while the model is not available. */
  readonly fallbackModels: readonly string[];
  /** Problems in the user's files, shown as notices. */
  readonly notes: readonly string[];
  readonly #options: AgentOptions;
  readonly #mainAgent: AgentDefinition | undefined;
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
    this.model = loaded.mainAgent?.model ?? settings.model;
    this.apiKeyHelper = settings.apiKeyHelper;
    this.output = loaded.output;
    this.fallbackModels = options.fallbackModels ?? settings.fallbackModels;
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
      onLate: (late) => this.#owner?.onLateHook(late),
      ask: async (question, signal) => {
        if (this.#owner === undefined) throw new TypeError('the agent is not running');
        return this.#owner.askHookModel(question, signal);
      },
      matchesRule: (rule, tool, input) => this.#matchesRule(rule, tool, input),
    });
    hooks.setCallbacks(options.hookCallbacks ?? []);
    this.hookRunner = hooks;
    const skill = makeSkillTool(commands, (command, { workspace, signal }) => ({
      runShell: (text) => this.#runShell(text, command, workspace, signal),
    }));
    this.#mainAgent = loaded.mainAgent;
    const builtIn = [...ownTools, ...(skill === undefined ? [] : [skill])];
    this.#ownTools = builtIn.filter((tool) => isWanted(tool, options.builtInTools) && this.#isOffered(tool));
    this.#settingsFiles = settings.files;
    this.notes = [
      ...settings.notices,
      ...loaded.notes,
      ...noteUnknown(options.builtInTools ?? [], builtIn),
      ...this.judge.problems,
      ...hooks.problems,
    ];
  }

  /** Starts the MCP servers. Some of them need the user's consent, so the agent must be ready. */
  start(owner: SetupOwner): void {
    this.#owner = owner;
    this.#connecting = this.#connect();
    // `ready` reports the failure.
    this.#connecting.catch(() => undefined);
  }

  updatePermissions(
    updates: readonly PermissionUpdate[],
    setMode: (mode: PermissionMode) => Promise<void>,
  ): Promise<void> {
    const { cwd: projectDir, root } = this.#options;
    return applyPermissionUpdates(updates, {
      projectDir,
      root,
      setMode,
      extraDirs: this.extraDirs,
      changeRules: (change) => this.judge.changeRules(change),
      note: (problem) => this.#noteProblem(problem),
    });
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
      settingSources: this.#options.settingSources,
      judgeRead: (file) => this.#judgeRead(file, cwd),
      ...(this.#options.isInteractive ? { allowImport: (file, by) => this.#allowImport(file, by) } : {}),
    };
  }

  /** What the requests ask for, with what was chosen for this run. */
  requestWish(chosen: Pick<AgentOptions, 'effort' | 'thinking'>): RequestWish {
    const { isInteractive } = this.#options;
    return readRequestWish(
      { ...chosen, isInteractive },
      this.env,
      this.#settingsFiles.map(({ value }) => value),
    );
  }

  tools(): readonly Tool[] {
    const output = this.output === undefined ? [] : [this.output.tool];
    return [...output, ...this.#ownTools, ...(this.#servers?.tools ?? []).filter((tool) => this.#isOffered(tool))];
  }

  servers(): readonly ServerView[] {
    return (this.#servers?.servers ?? []).map((server) => ({
      ...server,
      scope: server.transport === 'sdk' ? 'host' : server.scope,
    }));
  }

  /** Waits until all tools are known. The first call returns notices about the servers. */
  async ready(): Promise<readonly string[]> {
    if (this.#servers !== undefined) return [];
    this.#servers = await this.#connecting;
    return this.#servers?.notices ?? [];
  }

  /** The servers, once they have started, with the notices that `ready` would return. */
  async mcp(): Promise<{ readonly notices: readonly string[]; readonly control: McpControl }> {
    const notices = await this.ready();
    if (this.#servers === undefined) throw new Error('the MCP servers could not be started');
    return { notices, control: this.#servers.control };
  }

  promptSource(): Omit<PromptSource, 'stored' | 'emit'> {
    const systemPrompt = this.#ownPrompt();
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

  /** The texts of a request that `/context` names one by one. Nobody is asked about imports. */
  async contextTexts(workspace: Workspace): Promise<ContextTexts> {
    const memory = await loadMemory(this.#quietMemoryOptions(workspace.projectDir));
    const skills = this.tools().some(({ name }) => name === 'Skill')
      ? this.commands.filter((each) => each.isForModel)
      : [];
    return {
      memoryFiles: memory.files.map(({ file, kind, text }) => ({
        name: file,
        source: kind,
        text: `## ${file}\n\n${text}`,
      })),
      agents: this.definitions
        .filter(({ scope }) => scope !== 'built-in')
        .map(({ name, scope, description }) => ({ name, source: scope, text: `- ${name}: ${description}` })),
      skills: skills.map((skill) => ({ name: skill.name, source: skill.scope, text: describeSkills([skill]) ?? '' })),
      serverNotes: (this.#servers?.instructions ?? []).map(({ server, text }) => `## ${server}\n${text}`),
    };
  }

  /** What `describe` returns, without questions and notices. */
  describeQuietly(
    workspace: Workspace,
    { prompt, ...state }: Omit<SituationState, 'note'>,
  ): Promise<readonly Section[]> {
    const missingTools = prompt.missingTools();
    return describeSituation({
      ...state,
      ...this.#place(workspace),
      ...this.#quietMemoryOptions(workspace.projectDir),
      missingTools,
    });
  }

  /** Imports that the user has not been asked about are left out. */
  #quietMemoryOptions(cwd: string): MemoryOptions {
    return { ...this.memoryOptions(cwd), allowImport: async (file) => (await this.#imports.get(file)) ?? false };
  }

  #place({ projectDir }: Workspace) {
    const gitBranch = readGitBranch(projectDir);
    const { isInteractive } = this.#options;
    return { cwd: projectDir, extraDirs: this.extraDirs, env: this.env, now: new Date(), gitBranch, isInteractive };
  }

  #writeSystem(): readonly string[] {
    const { isInteractive, appendSystemPrompt } = this.#options;
    const systemPrompt = this.#ownPrompt();
    return buildSystemPrompt({
      tools: this.tools().map(({ name }) => name),
      isInteractive,
      commands: this.commands,
      serverNotes: this.#servers?.instructions ?? [],
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    });
  }

  /** Instructions that replace ours. */
  #ownPrompt(): string | undefined {
    return this.#options.systemPrompt ?? this.#mainAgent?.prompt;
  }

  async close(): Promise<void> {
    await this.hookRunner.close();
    const servers = await this.#connecting.catch(() => undefined);
    await servers?.close();
  }

  async #connect(): Promise<McpServers | undefined> {
    const { cwd, root, mcpConfig = [], isInteractive, isProjectTrusted, isMcpStrict, settingSources } = this.#options;
    const { connectServers } = await import('./mcp/servers.ts');
    return connectServers({
      cwd,
      env: this.env,
      userConfigFile: findUserConfig(root, homedir()),
      settings: this.#settingsFiles,
      isProjectTrusted,
      flags: mcpConfig,
      isStrict: isMcpStrict,
      settingSources,
      host: this.#options.hostServers,
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

  /** A judge that only has this rule, as a deny rule: it denies what the rule matches. */
  #matchesRule(text: string, name: string, input: JsonObject): boolean {
    const cwd = this.#owner?.cwd() ?? this.#options.cwd;
    const judge = makeJudge({
      projectDir: this.#options.cwd,
      home: homedir(),
      rules: [{ kind: 'deny', text, source: 'the hook' }],
    });
    return judge.judge({ id: 'hook', name, input }, { mode: 'default', cwd, isReadOnly: false }).kind === 'deny';
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
    const { isInteractive, canAskUser = isInteractive } = this.#options;
    if (!canAskUser && name === 'AskUserQuestion') return false;
    const { tools, disallowedTools = [] } = this.#mainAgent ?? {};
    const names = namesOf(name);
    if (tools !== undefined && !names.some((each) => tools.includes(each))) return false;
    if (names.some((each) => disallowedTools.includes(each))) return false;
    return !this.judge.rules.some((rule) => rule.kind === 'deny' && names.includes(rule.text));
  }
}

/** Denied in every mode: the key belongs in a header, never in a message. */
function credentialRules(root: string): readonly RuleText[] {
  const file = path.join(path.resolve(root), '.credentials.json');
  return /[()]/.test(file) ? [] : [{ kind: 'deny', text: `Read(/${file})`, source: 'Clew itself' }];
}

/** `names`: the built-in tools that the caller wants. */
function isWanted({ name }: Tool, names: readonly string[] | undefined): boolean {
  return names === undefined || namesOf(name).some((each) => names.includes(each));
}

function noteUnknown(names: readonly string[], tools: readonly Tool[]): readonly string[] {
  const unknown = names.filter((name) => name !== 'Skill' && !tools.some((tool) => namesOf(tool.name).includes(name)));
  return unknown.map((name) => `there is no built-in tool ${name}; it is left out`);
}

interface Loaded {
  readonly settings: Settings;
  readonly agents: readonly AgentDefinition[];
  /** The agent of the main conversation. */
  readonly mainAgent: AgentDefinition | undefined;
  readonly commands: readonly Command[];
  readonly ownTools: readonly Tool[];
  readonly output: StructuredOutput | undefined;
  readonly notes: readonly string[];
}

/** `files`: settings that are already read. */
export async function loadSetup(options: AgentOptions, files?: SettingsFiles): Promise<AgentSetup> {
  const { cwd, root, env, isProjectTrusted, settingSources, allowedTools = [], disallowedTools = [] } = options;
  const flags = { permissions: { allow: allowedTools, deny: disallowedTools } };
  const tools = import('./tools/all.ts');
  const place = { root, projectDir: cwd, env, settingSources };
  const read = files ?? (await readSettingsFiles({ ...place, given: options.settings }));
  const settings = mergeSettings(read, { ...place, home: homedir(), flags, isProjectTrusted });
  const [{ commands: found, notes: commandNotes }, { agents, notes }, { makeTools }, untrusted] = await Promise.all([
    loadCommands({ cwd, root, isProjectTrusted, settingSources }),
    loadAgentDefinitions({ cwd, root, isProjectTrusted, settingSources, given: readGivenAgents(options.agents ?? {}) }),
    tools,
    noteUntrusted(options, read),
  ]);
  const output = await outputOf(options);
  const commands = chooseSkills(found, options.skills);
  const ownTools = makeTools({ agentTypes: agents });
  const allNotes = [...untrusted, ...commandNotes, ...notes];
  const mainAgent = options.agent === undefined ? undefined : findAgent(options.agent, agents);
  return new AgentSetup(options, { settings, agents, mainAgent, commands, ownTools, output, notes: allNotes });
}

const usualAttempts = 5;

async function outputOf({ outputSchema, env }: AgentOptions): Promise<StructuredOutput | undefined> {
  if (outputSchema === undefined) return undefined;
  const { makeStructuredOutput } = await import('./tools/structured-output.ts');
  const attempts = Number(env.MAX_STRUCTURED_OUTPUT_RETRIES ?? '');
  return makeStructuredOutput(outputSchema, Number.isSafeInteger(attempts) && attempts > 0 ? attempts : usualAttempts);
}

/** Other skills are not offered to the model, and it cannot use them. */
function chooseSkills(commands: readonly Command[], skills: readonly string[] | undefined): readonly Command[] {
  if (skills === undefined) return commands;
  return commands.map((command) =>
    command.kind === 'skill' && !skills.includes(command.name) ? { ...command, isForModel: false } : command,
  );
}

function findAgent(name: string, agents: readonly AgentDefinition[]): AgentDefinition {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  throw new UserError(`there is no agent "${name}"`, `choose ${agents.map((agent) => agent.name).join(', ')}`);
}

async function noteUntrusted(
  { cwd, root, env, isProjectTrusted, settingSources }: AgentOptions,
  settings: SettingsFiles,
): Promise<readonly string[]> {
  if (isProjectTrusted || !(isUsed('project', settingSources) || isUsed('local', settingSources))) return [];
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
    case 'sdk':
      return ['It runs in the program that runs the agent'];
    case 'invalid':
      return [`It cannot be used: ${server.problem}`];
    default:
      return server satisfies never;
  }
}
