// What the loop asks of a tool and what a tool may ask back. A tool never throws for what the model or the machine did
// wrong: that is an outcome with `isError`. It touches the world only through `CallContext`, so tests pass their own.
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Confinement, Launch, Sandbox } from './confinement.ts';
import type { PermissionMode } from './permission-mode.ts';

export interface Tool {
  /** Claude Code's name for it, or `mcp__server__tool`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object, as the Messages API takes it. */
  readonly inputSchema: JsonObject;
  /** The input with its defaults, or what is wrong with it, in words for the model. */
  parse(input: JsonValue | undefined): ParsedInput;
  /** Calls of one response that only read run together; the others one after the other. */
  isReadOnly(input: JsonObject): boolean;
  run(input: JsonObject, context: CallContext): Promise<ToolOutcome>;
}

/** All that a tool is called: clients up to 2.1.62 named Agent `Task`, and so do old rules, hooks and some models. */
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
  /** What the model gets: the `content` of the tool_result. */
  readonly content: string | readonly JsonObject[];
  readonly isError: boolean;
  /** What is kept beside it for people and programs: `toolUseResult`. A failed call keeps `Error: …`. */
  readonly stored: JsonValue;
  /** The sub-agent that did the work. */
  readonly agentId?: string;
}

export function failedOutcome(message: string): ToolOutcome {
  return { content: message, isError: true, stored: `Error: ${message}` };
}

export interface CallContext {
  readonly callId: string;
  /** How the permission judge wants a command to run. */
  readonly confinement: Confinement;
  /** A person or a hook allowed the call, not only the rules. */
  readonly isApproved: boolean;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** Asked where a path turned out to lead to another file than it says: is that one allowed as well? */
  mayTouch(access: 'read' | 'write', realPath: string): boolean;
  /** Shown while the call runs; written only where progress entries are switched on. */
  progress(update: CallProgress): void;
  /** Must be awaited before the bytes of a file change: its present content is kept for /rewind. */
  keepFile(file: string): Promise<void>;
  /** `undefined` where nobody can answer (headless) or the person declined. */
  askPerson(question: PersonQuestion): Promise<PersonAnswer | undefined>;
  /** One plain request to a model, for tools that need to read or search for themselves. */
  askModel(request: SideRequest): Promise<SideAnswer>;
  startAgent(task: AgentTask): Promise<ToolOutcome>;
}

/** What outlives a single call: one for the session, one for each sub-agent (which shares `background`). */
export interface Workspace {
  /** Where the shell stands; `cd` in Bash moves it. */
  cwd: string;
  /** Where the session began: relative paths of the model and permission rules are seen from here. */
  readonly projectDir: string;
  readonly extraDirs: readonly string[];
  /** `<project folder>/<sessionId>`: tool-results/ and subagents/ are below it. */
  readonly sessionDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Every command is started through it, and searches leave out what it hides. */
  readonly sandbox: Sandbox;
  readonly files: FileMemory;
  readonly background: BackgroundTasks;
  todos: readonly Todo[];
}

/** What the model has seen of a file: the hash of the bytes it read or wrote, so that an edit of a changed file is refused. */
export interface FileMemory {
  seen(file: string): SeenFile | undefined;
  remember(file: string, seen: SeenFile): void;
  forget(file: string): void;
}

export interface SeenFile {
  readonly sha256: string;
  /** A part was read: enough to edit, not to overwrite without care. */
  readonly isPartial: boolean;
}

export interface BackgroundTasks {
  start(command: string, options: { readonly cwd: string; readonly launch: Launch }): BackgroundTask;
  find(id: string): BackgroundTask | undefined;
  readonly all: readonly BackgroundTask[];
  /** Kills every process group that is left. */
  close(): Promise<void>;
}

export interface BackgroundTask {
  readonly id: string;
  readonly command: string;
  readonly outputFile: string;
  readonly state: 'running' | 'completed' | 'failed' | 'killed';
  readonly exitCode: number | undefined;
  /** What came since the last call. */
  takeOutput(): { readonly stdout: string; readonly stderr: string };
  kill(): Promise<void>;
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
      /** All that came so far, its end where it is long. */
      readonly text: string;
      readonly totalLines: number;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'status'; readonly text: string };

/** A question to the user: from the model, about a plan, or for consent. */
export type PersonQuestion =
  | { readonly kind: 'questions'; readonly questions: readonly JsonObject[] }
  | { readonly kind: 'plan'; readonly plan: string }
  /** May something be done that only a person can allow? `canKeep`: the answer may hold for the project from now on. */
  | {
      readonly kind: 'consent';
      readonly title: string;
      readonly details: readonly string[];
      readonly canKeep: boolean;
    };

/** The user's answer to a `PersonQuestion`. */
export type PersonAnswer =
  | { readonly kind: 'answers'; readonly answers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'plan';
      readonly isApproved: boolean;
      readonly comment?: string;
      /** How to go on with an approved plan; by default as before plan mode. */
      readonly mode?: PermissionMode;
    }
  | { readonly kind: 'consent'; readonly isGiven: boolean; readonly isKept?: boolean };

export type AskPerson = (question: PersonQuestion, signal: AbortSignal) => Promise<PersonAnswer | undefined>;

export type AskConsent = (
  wish: Omit<Extract<PersonQuestion, { readonly kind: 'consent' }>, 'kind'>,
  signal: AbortSignal,
) => Promise<{ readonly isGiven: boolean; readonly isKept?: boolean }>;

export interface SideRequest {
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Tools the API runs by itself, such as web search. */
  readonly serverTools?: readonly JsonObject[];
  /** Small and fast where it is enough. */
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
