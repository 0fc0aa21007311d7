// What an agent runs with: settings, rules, hooks, commands, sub-agents, tools, and the texts for the model that they make.
import { homedir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '../base/json/index.ts';
import { readGitBranch } from './access/index.ts';
import type { ContextTexts } from './context-usage.ts';
import {
  type AgentOptions,
  namesOf,
  type PermissionMode,
  type PermissionUpdate,
  type Sandbox,
  type StructuredOutput,
  type Tool,
  type Workspace,
} from './contract/index.ts';
import { type AskHookModel, type Hooks, type LateVerdict, makeHookRunner, type RanHook } from './hooks/index.ts';
import { type RequestWish, readRequestWish } from './loop/index.ts';
import { type Judge, makeJudge } from './permission/index.ts';
import { applyPermissionUpdates } from './permission-updates.ts';
import {
  type AgentDefinition,
  buildSystemPrompt,
  type Command,
  describeEnvironment,
  describeSituation,
  describeSkills,
  loadMemory,
  type MemoryOptions,
  makeSkillTool,
  type Section,
  soundText,
} from './prompt/index.ts';
import { runInlineShell } from './prompt-intake.ts';
import type { PromptKeeper, PromptSource } from './session/index.ts';
import { keepLocalRule, type Settings, type SettingsFile } from './settings/index.ts';
import { MemoryImports, makeConfinement, type ServerOwner, type ServerView, SetupServers } from './setup/index.ts';

export interface SituationState {
  readonly model: string;
  readonly mode: PermissionMode;
  readonly prompt: PromptKeeper;
  readonly note: (text: string) => void;
}

/** The agent that uses the setup. */
export interface SetupOwner extends ServerOwner {
  cwd(): string;
  mode(): PermissionMode;
  onHook(ran: RanHook): Promise<void>;
  onLateHook(late: LateVerdict): void;
  askHookModel: AskHookModel;
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
  readonly #servers: SetupServers;
  /** Folders of the sessions of this run, where long tool results are stored for the model to read. */
  readonly #sessionDirs: string[] = [];
  readonly #imports: MemoryImports;
  #owner: SetupOwner | undefined;

  constructor(options: AgentOptions, loaded: LoadedSetup) {
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
    const { judge, sandbox } = makeConfinement({
      ...{ cwd: options.cwd, root: options.root, settings, env: this.env },
      extraDirs: this.extraDirs,
      readableDirs: this.#sessionDirs,
      keepLocalRule: async (rule) => this.#noteProblem(await keepLocalRule(options.cwd, rule)),
    });
    this.judge = judge;
    this.sandbox = sandbox;
    this.#imports = new MemoryImports({
      ...{ options, judge, extraDirs: this.extraDirs },
      consent: (wish) => this.#owner?.consent(wish),
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
    this.#servers = new SetupServers(options, this.env, settings.files);
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
    this.#servers.start(owner);
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
    return this.#imports.memoryOptions(cwd);
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
    return [...output, ...this.#ownTools, ...this.#servers.tools.filter((tool) => this.#isOffered(tool))];
  }

  servers(): readonly ServerView[] {
    return this.#servers.views;
  }

  /** Waits until all tools are known. The first call returns notices about the servers. */
  ready(): Promise<readonly string[]> {
    return this.#servers.ready();
  }

  /** The servers, once they have started, with the notices that `ready` would return. */
  mcp(): ReturnType<SetupServers['control']> {
    return this.#servers.control();
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
    const memory = await loadMemory(this.#imports.quietMemoryOptions(workspace.projectDir));
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
      serverNotes: this.#servers.instructions.map(({ server, text }) => `## ${server}\n${text}`),
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
      ...this.#imports.quietMemoryOptions(workspace.projectDir),
      missingTools,
    });
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
      serverNotes: this.#servers.instructions,
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
    await this.#servers.close();
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

/** `names`: the built-in tools that the caller wants. */
function isWanted({ name }: Tool, names: readonly string[] | undefined): boolean {
  return names === undefined || namesOf(name).some((each) => names.includes(each));
}

function noteUnknown(names: readonly string[], tools: readonly Tool[]): readonly string[] {
  const unknown = names.filter((name) => name !== 'Skill' && !tools.some((tool) => namesOf(tool.name).includes(name)));
  return unknown.map((name) => `there is no built-in tool ${name}; it is left out`);
}

export interface LoadedSetup {
  readonly settings: Settings;
  readonly agents: readonly AgentDefinition[];
  /** The agent of the main conversation. */
  readonly mainAgent: AgentDefinition | undefined;
  readonly commands: readonly Command[];
  readonly ownTools: readonly Tool[];
  readonly output: StructuredOutput | undefined;
  readonly notes: readonly string[];
}
