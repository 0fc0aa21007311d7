// The interface between the loop and the tools. A tool never throws for a mistake of the model or a failure of the
// machine: that is an outcome with `isError`. It reaches everything else through `CallContext`, so tests can pass their
// own.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import type { Confinement, Launch, PermissionMode, Sandbox } from './confinement.ts';

export interface Tool {
  /** Claude Code's name for it, or `mcp__server__tool`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object, as the Messages API expects it. */
  readonly inputSchema: JsonObject;
  /** The input with its defaults, or a problem for the model to read. */
  parse(input: JsonValue | undefined): ParsedInput;
  /** Read-only calls of one answer run together; the others one after the other. */
  isReadOnly(input: JsonObject): boolean;
  run(input: JsonObject, context: CallContext): Promise<ToolOutcome>;
}

/** All names of a tool: clients up to 2.1.62 called Agent `Task`, and old rules, hooks and some models still do. */
export function namesOf(tool: string): readonly string[] {
  return tool === 'Agent' || tool === 'Task' ? ['Agent', 'Task'] : [tool];
}

export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  const names = namesOf(name);
  return tools.find((tool) => names.includes(tool.name));
}

export type ParsedInput = { readonly input: JsonObject } | { readonly problem: string };

/** The result of a tool call. */
export interface ToolOutcome {
  /** The `content` of the tool_result, for the model. */
  readonly content: string | readonly JsonObject[];
  readonly isError: boolean;
  /** `toolUseResult`, for users and programs. A failed call stores `Error: …`. */
  readonly stored: JsonValue;
  /** The sub-agent that did the work. */
  readonly agentId?: string;
  /** Whether a command ran in the sandbox. */
  readonly isSandboxed?: boolean;
}

export function failedOutcome(message: string): ToolOutcome {
  return { content: message, isError: true, stored: `Error: ${message}` };
}

export interface CallContext {
  readonly callId: string;
  /** How a command must run. */
  readonly confinement: Confinement;
  /** The user or a hook allowed the call, not only the rules. */
  readonly isApproved: boolean;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** Whether a path that turned out to be another file, for example a link, is allowed too. */
  mayTouch(access: 'read' | 'write', realPath: string): boolean;
  /** Shown while the call runs; written only if progress entries are enabled. */
  progress(update: CallProgress): void;
  /** Await it before a file changes: it stores the current content for /rewind. */
  keepFile(file: string): Promise<void>;
  /** `undefined` if nobody can answer (headless) or the user declined. */
  askUser(question: UserQuestion): Promise<UserAnswer | undefined>;
  /** One request to a model outside the conversation. */
  askModel(request: SideRequest): Promise<SideAnswer>;
  startAgent(task: AgentTask): Promise<ToolOutcome>;
  /** How long a command in the background may run if the call does not say it. */
  readonly backgroundTimeoutMs?: number;
}

/** Collects the answer of a turn that must match a schema. */
export interface StructuredOutput {
  readonly tool: Tool;
  /** So many inputs may fail before the turn ends. */
  readonly maxAttempts: number;
  /** Called when a turn starts. */
  start(): void;
  /** Of the current turn. */
  readonly value: JsonObject | undefined;
  readonly failures: number;
  /** Of the last input that failed. */
  readonly problem: string | undefined;
}

/** State across calls: one for the session and one for each sub-agent, which shares `background`. */
export interface Workspace {
  /** The working directory of the shell; `cd` in Bash changes it. */
  cwd: string;
  /** Each command starts in `cwd` again, as in sub-agents of the client. */
  readonly isCwdFixed?: boolean;
  /** The folder of the session. Permission rules refer to it. */
  readonly projectDir: string;
  readonly extraDirs: readonly string[];
  /** `<project folder>/<sessionId>`: contains tool-results/ and subagents/. */
  readonly sessionDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts every command; searches skip what it hides. */
  readonly sandbox: Sandbox;
  readonly files: FileMemory;
  readonly background: BackgroundTasks;
  todos: readonly Todo[];
}

/** What the model has seen of each file: a hash of its bytes, so that an edit of a changed file is refused. */
export interface FileMemory {
  seen(file: string): SeenFile | undefined;
  remember(file: string, seen: SeenFile): void;
  forget(file: string): void;
}

export interface SeenFile {
  readonly sha256: string;
  /** Only a part was read: enough to edit, not to overwrite. */
  readonly isPartial: boolean;
}

export interface BackgroundTasks {
  start(command: string, options: BackgroundOptions): BackgroundTask;
  find(id: string): BackgroundTask | undefined;
  readonly all: readonly BackgroundTask[];
  /** Kills all remaining process groups. */
  close(): Promise<void>;
}

export interface BackgroundOptions {
  readonly cwd: string;
  readonly launch: Launch;
  /** The call that starts it. */
  readonly callId?: string;
  /** What the command does, in a few words. */
  readonly description?: string;
  /** Then it is stopped. */
  readonly timeoutMs?: number;
}

export interface BackgroundTask {
  readonly id: string;
  readonly command: string;
  readonly callId: string;
  readonly description: string;
  readonly outputFile: string;
  readonly state: 'running' | 'completed' | 'failed' | 'killed';
  readonly exitCode: number | undefined;
  /** Why it was killed. `host`: the program that runs the agent; `limit`: it ran longer than `timeoutMs`. */
  readonly stoppedBy: 'model' | 'host' | 'limit' | 'close' | undefined;
  /** Resolves when it has ended and its output is stored. */
  readonly ended: Promise<void>;
  /** The output since the last call. */
  takeOutput(): { readonly stdout: string; readonly stderr: string };
  kill(by: 'model' | 'host' | 'limit' | 'close'): Promise<void>;
}

/** An item of the agent's to-do list. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
}

/** Progress of a running tool call. */
export type CallProgress =
  | {
      readonly kind: 'output';
      /** The output so far; only its end if it is long. */
      readonly text: string;
      readonly totalLines: number;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'status'; readonly text: string };

/** How a shell command of the user is stopped and observed. */
export interface ShellOptions {
  readonly signal: AbortSignal;
  onProgress(progress: CallProgress): void;
}

/** What a shell command of the user did. */
export interface ShellReport {
  /** As in a shell: 128 + the signal number if a signal ended it. */
  readonly exitCode: number;
  /** Both streams; a long output is shortened and names the file with the whole. */
  readonly output: string;
  readonly isInterrupted: boolean;
  /** The working directory, if the command left the folders of the session and was brought back. */
  readonly keptCwd?: string;
}

/** A question to the user: from the model, about a plan, or for consent. */
export type UserQuestion =
  | { readonly kind: 'questions'; readonly questions: readonly JsonObject[]; readonly callId?: string }
  | { readonly kind: 'plan'; readonly plan: string; readonly callId?: string }
  /** Asks for consent. `canKeep`: the answer may apply to the project from now on. */
  | {
      readonly kind: 'consent';
      readonly title: string;
      readonly details: readonly string[];
      readonly canKeep: boolean;
    };

/** The user's answer to a `UserQuestion`. */
export type UserAnswer =
  | { readonly kind: 'answers'; readonly answers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'plan';
      readonly isApproved: boolean;
      readonly comment?: string;
      /** The mode after an approved plan; by default the one before plan mode. */
      readonly mode?: PermissionMode;
    }
  | { readonly kind: 'consent'; readonly isGiven: boolean; readonly isKept?: boolean }
  /** The user does not answer; the model reads why. */
  | { readonly kind: 'declined'; readonly message: string };

export type AskUser = (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer | undefined>;

export type AskConsent = (
  wish: Omit<Extract<UserQuestion, { readonly kind: 'consent' }>, 'kind'>,
  signal: AbortSignal,
) => Promise<{ readonly isGiven: boolean; readonly isKept?: boolean }>;

export interface SideRequest {
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Tools that the API runs, such as web search. */
  readonly serverTools?: readonly JsonObject[];
  /** `small`: a small and fast model is enough. */
  readonly size: 'small' | 'main';
}

export type SideAnswer = { readonly blocks: readonly JsonObject[] } | { readonly problem: string };

export interface AgentTask {
  readonly description: string;
  readonly prompt: string;
  readonly type: string;
  readonly model?: string;
  readonly isBackground: boolean;
}
