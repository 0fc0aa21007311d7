// The conversation with the program that started Clew, over stdin and stdout: prompts, requests in both directions, and
// their answers. The agent opens with the first message, because `initialize` brings a part of its options.
import type { Readable } from 'node:stream';
import type { Agent, AgentOptions, Approve, PermissionUpdate } from '../../../agent/contract/index.ts';
import { UserError } from '../../../base/errors/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';
import { AsyncQueue } from '../../../base/process/index.ts';
import { describeOwnCommands } from '../messages/index.ts';
import { HostChannel } from './channel.ts';
import { type HostOptions, type Initialization, readInitialize } from './initialize.ts';
import { type ControlRequest, type HostMessage, type HostPrompt, readMessages } from './message.ts';
import { listModels } from './model-list.ts';
import { makePermissionAsker, type PermissionAsker } from './permission.ts';
import { makeToolAsker } from './permission-tool.ts';
import { handlers } from './requests.ts';

export interface HostSessionOptions {
  readonly stdin: Readable;
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the session. */
  readonly cwd: () => string;
  /** `stdio`, or the name of an MCP tool. */
  readonly permissionTool: string | undefined;
  readonly mayBypass: boolean;
  /** The display of thinking that the run begins with. */
  readonly thinkingDisplay?: 'omitted' | 'summarized';
  readonly write: (message: JsonObject) => Promise<void>;
  /** Shows a problem of the protocol on stderr. */
  readonly warn: (text: string) => void;
  /** From now on the text of sub-agents is written. */
  readonly forwardAgentText: () => void;
  readonly open: (options: HostAgentOptions) => Promise<Agent>;
}

export type HostAgentOptions = HostOptions & Pick<AgentOptions, 'approve' | 'askUser' | 'canAskUser'>;

export class HostSession {
  readonly #options: HostSessionOptions;
  readonly #channel: HostChannel;
  readonly #asker: PermissionAsker | undefined;
  /** Requests of the program that are being handled. */
  readonly #handling = new Set<Promise<void>>();
  readonly #waiting = new Set<string>();
  #initialization: Initialization | undefined;
  #opening: Promise<Agent> | undefined;
  #agent: Agent | undefined;
  #firstModel = '';
  #isRefused = false;

  constructor(options: HostSessionOptions) {
    this.#options = options;
    this.#channel = new HostChannel(options.write, options.warn);
    this.#asker = this.#makeAsker();
  }

  /** Opens the agent, once. */
  agent(): Promise<Agent> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** The prompts in the order of the input. A line that is not a message ends the input, after the prompts before it. */
  async *prompts(): AsyncGenerator<HostPrompt> {
    const prompts = new AsyncQueue<HostPrompt>();
    const reading = this.#read(prompts).finally(() => {
      this.#channel.close();
      prompts.end();
    });
    reading.catch(() => undefined);
    for await (const prompt of prompts) {
      // What the program asked for before a prompt holds for it.
      await Promise.all(this.#handling);
      if (this.#isRefused) break;
      yield prompt;
    }
    await reading;
    await Promise.all(this.#handling);
  }

  /** A prompt with this uuid has begun. */
  hasBegun(uuid: string): void {
    this.#waiting.delete(uuid);
  }

  /** Whether the program decides about calls or runs tools, so that nothing may run without it. */
  get answersRequests(): boolean {
    const { hookCallbacks = [] } = this.#initialization?.options ?? {};
    const { servers = [] } = this.#initialization?.servers ?? {};
    return this.#options.permissionTool === 'stdio' || hookCallbacks.length + servers.length > 0;
  }

  async #read(prompts: AsyncQueue<HostPrompt>): Promise<void> {
    for await (const message of readMessages(this.#options.stdin, this.#options.signal)) {
      const failure = this.#take(message, prompts);
      if (failure !== undefined) throw failure;
    }
  }

  #take(message: HostMessage, prompts: AsyncQueue<HostPrompt>): UserError | undefined {
    switch (message.kind) {
      case 'prompt':
        return this.#takePrompt(message.prompt, prompts);
      case 'request':
        return this.#takeRequest(message.request);
      case 'response':
        this.#channel.settle(message.message);
        return undefined;
      case 'cancel':
        // Every request is answered soon; an answer that nobody waits for is ignored.
        return undefined;
      case 'skipped':
        this.#options.warn(message.problem);
        return undefined;
      default:
        return message satisfies never;
    }
  }

  #takePrompt(prompt: HostPrompt, prompts: AsyncQueue<HostPrompt>): undefined {
    // Opened at once: servers start while the requests before it are answered.
    this.agent().catch(() => undefined);
    if (prompt.uuid !== undefined) this.#waiting.add(prompt.uuid);
    prompts.push(prompt);
  }

  /** Without what `initialize` asked for, guards for example, nothing may run. */
  #takeRequest(request: ControlRequest): UserError | undefined {
    if (request.subtype !== 'initialize') {
      this.#handle(request, () => this.#answer(request));
      return undefined;
    }
    try {
      if (this.#opening !== undefined && this.#initialization === undefined) {
        this.#endUnguarded(this.#opening);
        throw tooLate();
      }
      const initialization = readInitialize(request.body, this.#channel);
      if (this.#opening === undefined) this.#initialization = initialization;
      this.#handle(request, () => this.#initialize(initialization));
      return undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#handle(request, () => Promise.reject(error));
      return error;
    }
  }

  /** What runs already has no guards. A prompt that waits for the agent begins before the interrupt. */
  #endUnguarded(opening: Promise<Agent>): void {
    this.#isRefused = true;
    opening.then(
      (agent) => setImmediate(() => agent.interrupt()),
      () => undefined,
    );
  }

  #handle(request: ControlRequest, work: () => Promise<JsonObject>): void {
    const handled = this.#respond(request.id, work).finally(() => this.#handling.delete(handled));
    this.#handling.add(handled);
  }

  async #respond(id: string, work: () => Promise<JsonObject>): Promise<void> {
    let response: JsonObject;
    try {
      response = { subtype: 'success', request_id: id, response: await work() };
    } catch (error) {
      response = { subtype: 'error', request_id: id, error: error instanceof Error ? error.message : String(error) };
    }
    await this.#options.write({ type: 'control_response', response });
  }

  async #answer({ subtype, body }: ControlRequest): Promise<JsonObject> {
    const handler = handlers.get(subtype);
    if (handler === undefined)
      throw new UserError(`Unsupported control request subtype: ${subtype}`, 'see docs/agent.md');
    const agent = await this.agent();
    const { env, mayBypass } = this.#options;
    return handler(body, {
      agent,
      env,
      mayBypass,
      firstModel: this.#firstModel,
      firstDisplay: this.#options.thinkingDisplay,
      queued: () => [...this.#waiting],
      deliver: (server, message) => {
        const servers = this.#initialization?.servers;
        return servers === undefined ? 'initialize named no MCP servers' : servers.deliver(server, message);
      },
    });
  }

  async #initialize(initialization: Initialization): Promise<JsonObject> {
    for (const name of initialization.unknown)
      this.#options.warn(`initialize: the field ${name} is not known and has no effect`);
    if (initialization.forwardsAgentText) this.#options.forwardAgentText();
    const isFirst = initialization === this.#initialization;
    const agent = await this.agent();
    // A program that connects again registers its hooks again; the rest was decided when the agent opened.
    if (!isFirst) agent.setHookCallbacks(initialization.options.hookCallbacks ?? []);
    const { state } = agent;
    return {
      commands: [
        ...state.commands.map(({ name, description, argumentHint = '' }) => ({ name, description, argumentHint })),
        // A file of the user replaces a command of the same name.
        ...describeOwnCommands().filter((own) => !state.commands.some(({ name }) => name === own.name)),
      ],
      agents: state.agents.map((each) => ({ ...each })),
      output_style: 'default',
      available_output_styles: ['default'],
      models: listModels(),
      account: { apiKeySource: state.apiKeySource, apiProvider: state.apiProvider },
      pid: process.pid,
      current_permission_mode: state.mode,
      hook_on_failure_supported: true,
      ...initialization.answer,
    };
  }

  async #open(): Promise<Agent> {
    const { options = {}, updates = [] } = this.#initialization ?? {};
    const asker = this.#asker;
    const agent = await this.#options.open({
      ...options,
      approve: asker?.approve ?? refuseAll,
      askUser: async (question, signal) => asker?.askUser(question, signal),
      canAskUser: this.#options.permissionTool === 'stdio',
    });
    this.#agent = agent;
    this.#firstModel = agent.state.model;
    if (updates.length > 0) await agent.updatePermissions(updates);
    return agent;
  }

  #makeAsker(): PermissionAsker | undefined {
    const { permissionTool, mayBypass } = this.#options;
    if (permissionTool === undefined) return undefined;
    const common = {
      canBypass: mayBypass,
      cwd: this.#options.cwd,
      update: async (updates: readonly PermissionUpdate[]) => this.#agent?.updatePermissions(updates),
      interrupt: () => this.#agent?.interrupt(),
    };
    if (permissionTool !== 'stdio') return makeToolAsker(permissionTool, common, () => this.agent());
    return makePermissionAsker({
      ...common,
      who: 'The canUseTool callback',
      ask: ({ toolName, input, callId, details }, signal) =>
        this.#channel.request(
          {
            subtype: 'can_use_tool',
            tool_name: toolName,
            display_name: toolName,
            input,
            ...details,
            tool_use_id: callId,
          },
          signal,
        ),
    });
  }
}

/** Its guards and servers would be missing in what already runs. */
function tooLate(): UserError {
  return new UserError('initialize came after the first prompt', 'send it first');
}

export const refuseAll: Approve = async ({ why }) => ({
  kind: 'deny',
  message: `${why}, and nobody is here to be asked; it can be allowed with --allowedTools or in the settings`,
  isInterrupt: false,
  isAutomatic: true,
});
