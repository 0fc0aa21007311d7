// Writes the events of the agent as lines of its session, each durable before another listener gets the event. It
// writes the safe profile (full envelope, one block per line, one straight chain) that every client from 1.0.57 on
// resumes in the same way, and keeps the conversation, which always equals what a resume of the file would send.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../base/json/index.ts';
import type { ClientHost, WireMessage } from '../../session/resume/messages/index.ts';
import { replaceFile, writeNewFile } from '../../store/index.ts';
import { labelText } from '../../surgery/operations/index.ts';
import { pinTo } from '../../surgery/request/index.ts';
import { readGitBranch } from '../access/index.ts';
import type {
  AgentEvent,
  AgentMark,
  AgentStarted,
  EventSink,
  FileKept,
  PermissionMode,
  PromptGiven,
  ShellRan,
} from '../contract/index.ts';
import type { Continuation } from './continuation.ts';
import {
  agentProgressBody,
  blockBody,
  callProgressBody,
  envelopeOf,
  hookProgressBody,
  lostResultBody,
  type OpenCall,
  promptBody,
  promptLine,
  resultBody,
  rewoundBody,
  turnDurationBody,
  unansweredBody,
} from './entries.ts';
import type { FileHistory } from './file-history.ts';
import type { FrozenPrompt } from './frozen-prompt.ts';
import { saidLines } from './said-lines.ts';
import { shellInput, shellOutput } from './shell-lines.ts';
import { noMarks, type ThinkingMarks } from './thinking.ts';
import { emptyStart, type NewLine, TranscriptWriter, type WriterStart } from './transcript-writer.ts';
import { noTurns, type TurnCounts, TurnFacts, typedEntrypoint } from './turn-facts.ts';

export interface RecorderOptions {
  readonly sessionId: string;
  readonly file: string;
  readonly cwd: string;
  /** The current working directory of the shell; by default the folder of the session. */
  readonly currentCwd?: () => string;
  readonly slug: string;
  readonly history: FileHistory;
  readonly start: WriterStart;
  /** Calls of a killed run without a result; they are closed before the first prompt. */
  readonly openCalls?: readonly OpenCall[];
  /** The resumed conversation ends with the user: see `unansweredBody`. */
  readonly isUnanswered?: boolean;
  /** How the agent was started: `cli` in a terminal. */
  readonly entrypoint?: string | undefined;
  readonly turns?: TurnCounts;
  readonly mode?: PermissionMode;
  /** The stored system prompt and tools. */
  readonly prompt?: FrozenPrompt;
  /** Whether another program also writes the session. */
  readonly isShared?: boolean;
  readonly withProgressEntries?: boolean;
}

export class Recorder {
  readonly sink: EventSink = (event) => this.record(event);
  readonly #options: RecorderOptions;
  readonly #main: TranscriptWriter;
  readonly #agents = new Map<string, RecordedAgent>();
  readonly #turns: TurnFacts;
  #openCalls: readonly OpenCall[];
  #isUnanswered: boolean;
  #mode: PermissionMode;
  #gitBranch: string;
  #lastPrompt = '';
  #isShared: boolean;
  #prompt: FrozenPrompt | undefined;
  #isInTurn = false;
  #pendingTitle: string | undefined;
  #progressCount = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#openCalls = options.openCalls ?? [];
    this.#isUnanswered = options.isUnanswered ?? false;
    this.#turns = new TurnFacts(options.turns ?? noTurns, options.entrypoint === typedEntrypoint);
    this.#mode = options.mode ?? 'default';
    this.#isShared = options.isShared ?? false;
    this.#prompt = options.prompt;
    this.#gitBranch = readGitBranch(options.cwd);
    this.#main = new TranscriptWriter(options.file, () => this.#envelope(), options.start);
  }

  /** The id of the current prompt or, between two turns, of the next one. */
  get promptId(): string {
    return this.#turns.promptId;
  }

  /** Whether the file exists: a new session creates it with its first prompt. */
  get isStarted(): boolean {
    return this.#main.isStarted;
  }

  /** The last stored system prompt and tools. */
  get prompt(): FrozenPrompt | undefined {
    return this.#prompt;
  }

  get leafUuid(): string | null {
    return this.#main.leafUuid;
  }

  /** The messages of the next request to `model`, for the session or a sub-agent. */
  messages(model: string, host?: ClientHost, agentId?: string): readonly WireMessage[] {
    return this.#writerOf(agentId)?.messages(model, host) ?? [];
  }

  /** What is stored about the answers in those messages. */
  marks(agentId?: string): ThinkingMarks {
    return this.#writerOf(agentId)?.marks ?? noMarks;
  }

  /** The tokens of the context window that the last answer used. */
  get windowTokens(): number {
    return this.#main.windowTokens;
  }

  /** What a resume of the file would send before a prompt. */
  resumed(): { readonly messages: readonly WireMessage[]; readonly model: string } {
    return this.#main.resumed();
  }

  /** Called before a tool changes a file. Emit the returned event before the file changes. */
  async keepFile(file: string): Promise<FileKept | undefined> {
    return this.#isEphemeral ? undefined : this.#options.history.keep(file);
  }

  async record(event: AgentEvent): Promise<void> {
    if (event.type === 'file-kept') return this.#recordKept(event.at);
    if (event.type === 'agent-started') return this.#startAgent(event);
    if (event.type === 'agent-finished') return this.#finishAgent(event.agentId);
    if (event.agent !== undefined) return this.#recordAgent(event, event.agent);
    return this.#recordMain(event);
  }

  /** Like the client's /rename: a line, and a side file that current clients read. */
  async rename(title: string, at: Date = new Date()): Promise<string> {
    const customTitle = labelText(title, 'title');
    if (!this.isStarted) {
      this.#pendingTitle = customTitle;
      return customTitle;
    }
    await this.#main.write(at, [this.#loose({ type: 'custom-title', customTitle })]);
    await this.#writeTitleFile(customTitle);
    return customTitle;
  }

  /** Continues from an earlier line; writes nothing. */
  async goOnFrom(going: Continuation): Promise<void> {
    await this.#main.goOnFrom(going);
    this.#isShared = going.isShared;
    this.#prompt = going.prompt;
    this.#openCalls = going.openCalls;
    this.#isUnanswered = false;
    this.#isInTurn = false;
  }

  /** After a rewind of the chat: the line from which all clients continue, and the pin for newer ones. */
  async markRewound(uuid: string, at: Date = new Date()): Promise<void> {
    if (this.leafUuid === null) return;
    await this.#main.write(at, [
      { kind: 'chain', uuid, body: rewoundBody() },
      { kind: 'loose', body: pinTo(uuid, this.#options.sessionId) },
    ]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#main, ...[...this.#agents.values()].map(({ writer }) => writer)].map((w) => w.settle()));
  }

  async #recordMain(event: AgentEvent): Promise<void> {
    switch (event.type) {
      case 'session-opened':
        this.#mode = event.mode;
        return;
      case 'prompt':
        return this.#recordPrompt(event, event.at);
      case 'shell-ran':
        return this.#recordShell(event, event.at);
      case 'prompt-frozen':
        await this.#recordSaid(this.#main, event);
        this.#prompt = event.prompt;
        return;
      case 'mode':
        this.#mode = event.mode;
        return this.#note(event.at, { type: 'permission-mode', permissionMode: event.mode });
      case 'queued':
        return this.#queueOperation(event.at, 'enqueue', event.text);
      case 'unqueued':
        // The client calls a prompt that the user takes back `popAll`; its `remove` means that the model got it.
        if (event.operation === 'dequeue') return this.#queueOperation(event.at, 'dequeue');
        if (event.operation === 'remove') return this.#queueOperation(event.at, 'popAll', event.text);
        return this.#queueOperation(event.at, 'remove', event.text, { reason: 'absorbed_mid_turn' });
      case 'turn-end':
        return this.#endTurn(event.at, event.durationMs);
      case 'compacted':
        // The summary also replaces what the first prompt would have closed.
        if (!('problem' in event.result)) [this.#openCalls, this.#isUnanswered] = [[], false];
        return this.#recordSaid(this.#main, event);
      default:
        return this.#recordSaid(this.#main, event);
    }
  }

  /** The snapshot, the prompt, then the pin: another client may have pinned its own end. */
  async #recordPrompt(event: PromptGiven, at: Date): Promise<void> {
    const lines: NewLine[] = this.#openCalls.map((call) => ({
      kind: 'chain',
      uuid: randomUUID(),
      body: lostResultBody(call, this.#turns.promptId),
    }));
    if (this.#isUnanswered) lines.push({ kind: 'chain', uuid: randomUUID(), body: unansweredBody() });
    const facts = this.#turns.begin(event);
    if (!event.isMeta && event.origin === undefined) {
      this.#gitBranch = readGitBranch(this.#cwd());
      this.#lastPrompt = promptLine(event.content);
      if (!this.#isEphemeral)
        lines.push({ kind: 'loose', body: await this.#options.history.takeSnapshot(event.uuid, at) });
    }
    lines.push({ kind: 'chain', uuid: event.uuid, body: promptBody(event, this.#mode, facts) }, this.#pin());
    const title = this.isStarted ? undefined : this.#pendingTitle;
    if (title !== undefined) lines.push(this.#loose({ type: 'custom-title', customTitle: title }));
    await this.#main.write(at, lines);
    this.#openCalls = [];
    this.#isUnanswered = false;
    this.#isInTurn = true;
    if (title === undefined) return;
    this.#pendingTitle = undefined;
    await this.#writeTitleFile(title);
  }

  /** As the client stores `!command`: two user lines, which the next request sends with its prompt. */
  async #recordShell({ uuid, outputUuid, command, report }: ShellRan, at: Date): Promise<void> {
    const wasInTurn = this.#isInTurn;
    await this.#recordPrompt({ type: 'prompt', uuid, content: shellInput(command), isMeta: false }, at);
    this.#isInTurn = wasInTurn;
    this.#lastPrompt = `! ${command}`;
    const output = { type: 'prompt', uuid: outputUuid, content: shellOutput(report), isMeta: false } as const;
    await this.#main.write(at, [
      { kind: 'chain', uuid: outputUuid, body: promptBody(output, this.#mode) },
      this.#pin(),
    ]);
  }

  async #endTurn(at: Date, durationMs: number): Promise<void> {
    if (!this.#isInTurn) return;
    this.#isInTurn = false;
    this.#turns.end();
    await this.#main.write(at, [
      { kind: 'chain', uuid: randomUUID(), body: turnDurationBody(durationMs) },
      this.#pin(),
    ]);
  }

  /** Sessions and sub-agents write the conversation in the same way. */
  async #recordSaid(writer: TranscriptWriter, event: AgentEvent, agentType?: string): Promise<void> {
    const lines = saidLines(event, {
      isSidechain: writer !== this.#main,
      isShared: this.#isShared,
      mode: this.#mode,
      prompt: { promptId: this.#turns.promptId },
      agentType,
    });
    if (lines.length > 0) await writer.write(event.at, lines);
    else if (event.type === 'answer-abandoned')
      await writer.abandon(event.at, event.message.id, writer === this.#main ? this.#options.sessionId : undefined);
    else await this.#recordProgress(writer, event);
  }

  async #recordProgress(writer: TranscriptWriter, event: AgentEvent): Promise<void> {
    if (this.#options.withProgressEntries !== true || !writer.isStarted) return;
    const body =
      event.type === 'call-progress'
        ? callProgressBody(event, this.#progressCount++)
        : event.type === 'hook'
          ? hookProgressBody(event)
          : undefined;
    if (body !== undefined) await writer.write(event.at, [{ kind: 'leaf', body }]);
  }

  async #recordAgent(event: AgentEvent, mark: AgentMark): Promise<void> {
    const agent = this.#agentOf(mark.agentId);
    if (event.type === 'prompt' && !event.isMeta && agent.prompt === '') agent.prompt = promptLine(event.content);
    await this.#recordSaid(agent.writer, event, agent.meta?.agentType);
    if (this.#options.withProgressEntries !== true || !(event.type === 'block' || event.type === 'result')) return;
    const { message, type } = event.type === 'block' ? blockBody(event) : resultBody(event, true);
    const said = { type, message, uuid: event.uuid, timestamp: event.at.toISOString() };
    await this.#main.write(event.at, [{ kind: 'leaf', body: agentProgressBody(mark, agent.prompt, said, event.uuid) }]);
  }

  async #startAgent(event: AgentStarted): Promise<void> {
    const meta = metaOf(event, this.#options.entrypoint !== typedEntrypoint);
    this.#agentOf(event.agentId).meta = meta;
    if (this.#isEphemeral) return;
    await writeNewFile(this.#agentFile(event.agentId, '.meta.json'), Buffer.from(JSON.stringify(meta)));
  }

  async #finishAgent(agentId: string): Promise<void> {
    const meta = this.#agents.get(agentId)?.meta;
    if (meta === undefined || this.#isEphemeral) return;
    await replaceFile(this.#agentFile(agentId, '.meta.json'), Buffer.from(JSON.stringify({ ...meta, finished: true })));
  }

  #writerOf(agentId: string | undefined): TranscriptWriter | undefined {
    return agentId === undefined ? this.#main : this.#agents.get(agentId)?.writer;
  }

  #agentOf(agentId: string): RecordedAgent {
    const known = this.#agents.get(agentId);
    if (known !== undefined) return known;
    const file = this.#agentFile(agentId, '.jsonl');
    const start = { ...emptyStart, isEphemeral: this.#isEphemeral };
    const writer = new TranscriptWriter(file, () => this.#envelope(agentId), start);
    const agent: RecordedAgent = { writer, prompt: '' };
    this.#agents.set(agentId, agent);
    return agent;
  }

  #agentFile(agentId: string, ending: string): string {
    if (!/^[\w-]+$/.test(agentId)) throw new TypeError(`${agentId} is not the id of a sub-agent`);
    return path.join(this.#sideFolder(), 'subagents', `agent-${agentId}${ending}`);
  }

  async #recordKept(at: Date): Promise<void> {
    const body = this.#options.history.update(this.leafUuid ?? '');
    if (body !== undefined) await this.#main.write(at, [{ kind: 'loose', body }]);
  }

  async #note(at: Date, body: JsonObject): Promise<void> {
    if (this.isStarted) await this.#main.write(at, [this.#loose(body)]);
  }

  async #queueOperation(at: Date, operation: string, content?: string, more: JsonObject = {}): Promise<void> {
    if (!this.isStarted) return;
    const { sessionId } = this.#options;
    const said = content === undefined ? {} : { content };
    await this.#main.write(at, [
      {
        kind: 'loose',
        body: ({ timestamp }) => ({ type: 'queue-operation', operation, timestamp, sessionId, ...said, ...more }),
      },
    ]);
  }

  #pin(): NewLine {
    const { sessionId } = this.#options;
    const lastPrompt = this.#lastPrompt;
    return {
      kind: 'loose',
      body: ({ leafUuid }) => ({
        type: 'last-prompt',
        ...(lastPrompt === '' ? {} : { lastPrompt }),
        leafUuid,
        sessionId,
      }),
    };
  }

  #loose(body: JsonObject): NewLine {
    return { kind: 'loose', body: { ...body, sessionId: this.#options.sessionId } };
  }

  async #writeTitleFile(customTitle: string): Promise<void> {
    if (this.#isEphemeral) return;
    const file = path.join(this.#sideFolder(), 'custom-title.json');
    const content = Buffer.from(JSON.stringify({ customTitle }));
    if (existsSync(file)) await replaceFile(file, content);
    else await writeNewFile(file, content);
  }

  get #isEphemeral(): boolean {
    return this.#options.start.isEphemeral === true;
  }

  #sideFolder(): string {
    return path.join(path.dirname(this.#options.file), this.#options.sessionId);
  }

  #cwd(): string {
    return this.#options.currentCwd?.() ?? this.#options.cwd;
  }

  #envelope(agentId?: string): JsonObject {
    const { sessionId, slug, entrypoint } = this.#options;
    const place = { sessionId, cwd: this.#cwd(), gitBranch: this.#gitBranch, slug, entrypoint };
    return envelopeOf({ ...place, ...(agentId === undefined ? {} : { agentId }) });
  }
}

interface RecordedAgent {
  readonly writer: TranscriptWriter;
  prompt: string;
  /** Of agents that this run started. */
  meta?: ReturnType<typeof metaOf>;
}

function metaOf({ agentType, isBuiltIn, description, parentCallId, isBackground }: AgentStarted, isProgram: boolean) {
  return {
    agentType,
    ...(isBuiltIn === undefined ? {} : { isBuiltIn }),
    description,
    toolUseId: parentCallId,
    spawnDepth: 1,
    requestShape: isBackground === true ? 'background' : 'foreground',
    requestNonInteractive: isProgram,
  };
}
