// `clew -p`: runs the agent without a user and prints its events on stdout. It always ends with a result and an exit
// code from docs/agent.md.
import { homedir } from 'node:os';
import type { Agent, AgentEvent, TurnEnded } from '../../agent/contract/index.ts';
import { openAgent } from '../../agent/index.ts';
import { isFolderAccepted } from '../../agent/trust/index.ts';
import { MissingKeyError } from '../../api/connection/index.ts';
import { exitCodes, explainSystemError, UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { CommandInput, CommandIo } from '../command/index.ts';
import { given } from '../input/index.ts';
import { createStop, type StopSignal, writeNotice, writeText } from '../terminal/index.ts';
import { type HostAgentOptions, type HostPrompt, HostSession, hostMessage } from './control/index.ts';
import { DebugLog } from './debug-log.ts';
import { type InputStream, readPrompt } from './input.ts';
import { findLocalCommand, type LocalCommand, promptOf, runLocalCommand } from './local-commands.ts';
import { codeOfTurn, errorsOf, MessageStream, signalCodes } from './messages/index.ts';
import { type PrintOptions, readPrintOptions } from './options.ts';
import { Report } from './report.ts';
import { taskMessages } from './task-messages.ts';

export async function run(input: CommandInput): Promise<number> {
  const options = readPrintOptions(input);
  const stop = createStop();
  stop.listen();
  try {
    return await new PrintRun(options, input.io, process.stdin, stop, input.flags.debug === true).run();
  } finally {
    stop.dispose();
    // Unread input would keep the process alive.
    process.stdin.destroy();
  }
}

class PrintRun {
  readonly #options: PrintOptions;
  readonly #stdin: InputStream;
  readonly #stop: StopSignal;
  readonly #isDebug: boolean;
  readonly #report: Report;
  readonly #debugLog: DebugLog | undefined;
  readonly #messages: MessageStream;
  readonly #started = Date.now();
  #agent: Agent | undefined;
  readonly #host: HostSession;
  #cwd: string;
  /** Of the last turn. */
  #code: number = exitCodes.ok;
  readonly #asked = new Set<Promise<unknown>>();
  #results: { readonly result: JsonObject; readonly errors: readonly string[] }[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(options: PrintOptions, io: CommandIo, stdin: InputStream, stop: StopSignal, isDebug: boolean) {
    const { output: format, isVerbose, withParts, withPrompts, withAgentText, run } = options;
    this.#options = options;
    this.#stdin = stdin;
    this.#stop = stop;
    this.#isDebug = isDebug;
    this.#debugLog = options.debugFile === undefined ? undefined : new DebugLog(options.debugFile, io.cwd);
    this.#report = new Report(io, { format, isVerbose, onGone: (why) => stop.stop(why) });
    this.#cwd = io.cwd;
    const { mayBypass, permissionTool } = options;
    this.#host = new HostSession({
      ...{ stdin, signal: stop.signal, env: io.env, mayBypass, permissionTool },
      ...given('thinkingDisplay', run.thinking?.display),
      cwd: () => this.#cwd,
      write: (message) => this.#report.message(message),
      warn: (text) => writeNotice(io.stderr, text),
      forwardAgentText: () => this.#messages.showAgentText(),
      open: (chosen) => this.#open(chosen),
    });
    const { betas = [], maxTurns, maxBudgetUsd } = run;
    this.#messages = new MessageStream({
      ...{ withParts, withPrompts, withAgentText, betas },
      limits: { ...given('maxTurns', maxTurns), ...given('maxBudgetUsd', maxBudgetUsd) },
    });
  }

  async run(): Promise<number> {
    let code: number;
    try {
      code = await this.#work();
    } catch (error) {
      code = await this.#fail(error);
    }
    try {
      await this.#agent?.close(this.#signalCode === undefined ? 'exit' : 'signal');
    } catch (error) {
      code = await this.#fail(error);
    }
    await this.#report.end();
    return this.#signalCode ?? code;
  }

  async #work(): Promise<number> {
    const { signal } = this.#stop;
    const { prompt, input } = this.#options;
    const first = input === 'text' ? await readPrompt(prompt, this.#stdin, signal) : prompt;
    if (first !== undefined) await this.#take({ content: first });
    if (input !== 'text') await this.#takeAll(signal);
    // Background work ends with turns of its own.
    await this.#agent?.idle();
    await this.#printResults();
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#code;
  }

  async #open(options: HostAgentOptions): Promise<Agent> {
    const { signal } = this.#stop;
    const { run, trustsProject } = this.#options;
    const { cwd, root, env } = run;
    const agent = await openAgent({
      ...run,
      ...options,
      isProjectTrusted: trustsProject || (await isFolderAccepted({ cwd, root, env, home: homedir() })),
      isInteractive: false,
      sinks: [(event) => this.#hear(event)],
    });
    this.#agent = agent;
    // A second Ctrl-C ends the process, as usual.
    const close = (): void => {
      this.#stop.dispose();
      void agent.close('signal').catch(() => undefined);
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    return agent;
  }

  async #hear(event: AgentEvent): Promise<void> {
    if (event.type === 'session-opened') this.#cwd = event.cwd;
    if (event.type === 'prompt' && event.agent === undefined) this.#host.hasBegun(event.uuid);
    this.#debugLog?.write(event);
    this.#report.note(event);
    const messages = this.#messages.of(event, this.#agent?.state);
    for (const message of [hostMessage(event, this.#messages.sessionId) ?? [], messages].flat())
      await this.#report.message(message);
    for (const message of taskMessages(event, this.#messages.sessionId)) await this.#report.message(message);
    if (event.type === 'turn-end' && event.agent === undefined && this.#agent !== undefined)
      await this.#hearEnd(event, this.#agent);
  }

  /** An invalid line ends the input, after the prompts before it. */
  async #takeAll(signal: AbortSignal): Promise<void> {
    try {
      for await (const next of this.#host.prompts()) {
        if (signal.aborted) break;
        await this.#take(next);
      }
    } catch (error) {
      await Promise.all(this.#asked);
      throw error;
    }
  }

  /** The turn is not awaited: a prompt that comes while it runs reaches the model within it. */
  async #take({ content, uuid }: HostPrompt): Promise<void> {
    const agent = await this.#host.agent();
    const command = findLocalCommand(content, agent.state);
    if (command !== undefined) {
      await Promise.all(this.#asked);
      this.#code = await this.#local(agent, command);
      return;
    }
    const asked: Promise<unknown> = agent
      .prompt(promptOf(content, agent.state), uuid === undefined ? {} : { uuid })
      .catch((error: unknown) => {
        this.#failure ??= { error };
        // Nothing can be written, so nothing more is read.
        this.#stdin.destroy();
      })
      .finally(() => this.#asked.delete(asked));
    this.#asked.add(asked);
  }

  /**
   * While sub-agents run in the background, the results of a single prompt wait: many callers stop reading after the first
   * one. A program that sends prompts needs the end of each turn at once. Both as in the client. But the Agent SDK closes
   * its side after the first result of a single prompt, and what it decides about would be refused from then on.
   */
  async #hearEnd(ended: TurnEnded, agent: Agent): Promise<void> {
    this.#code = codeOfTurn(ended);
    this.#results.push({ result: this.#messages.result(ended, agent.state), errors: errorsOf(ended) });
    const mayWait = this.#options.input === 'text' || this.#host.answersRequests;
    const isWaiting = mayWait && agent.state.backgroundTasks.some(({ kind }) => kind === 'agent');
    if (!isWaiting) await this.#printResults();
  }

  async #printResults(): Promise<void> {
    for (const { result, errors } of this.#results.splice(0)) await this.#report.result(result, errors);
  }

  async #local(agent: Agent, command: LocalCommand): Promise<number> {
    const started = Date.now();
    const messages = this.#messages;
    const { sessionId } = agent.state;
    const times = { apiMs: messages.apiDurationMs, wallMs: started - this.#started };
    const { text, fields } = await runLocalCommand(command, agent, times);
    const isCompaction = command.name === 'compact';
    const shown = isCompaction ? (messages.compactProblem ?? '') : text;
    const printed = [
      ...(command.name === 'clear' ? [messages.reset(sessionId)] : []),
      ...messages.localAnswer(isCompaction ? '' : shown, agent.state, fields),
      ...(isCompaction ? messages.compacted() : []),
    ];
    for (const message of printed) await this.#report.message(message);
    const name = command.name === 'unavailable' ? undefined : command.typed;
    await this.#report.result(messages.localResult(shown, name, Date.now() - started, agent.state), []);
    return exitCodes.ok;
  }

  async #fail(error: unknown): Promise<number> {
    await this.#printResults();
    const shown = explainSystemError(error) ?? error;
    const isExpected = shown instanceof UserError;
    const message = shown instanceof Error ? shown.message : String(shown);
    const text = isExpected
      ? message
      : `this is a bug: ${message}; run it again with --debug and report what it prints`;
    if (shown instanceof MissingKeyError)
      await this.#report.message(this.#messages.earlyFailure(text, 'authentication_failed'));
    const result = this.#messages.failure(text, Date.now() - this.#started, this.#agent?.state);
    await this.#report.result(result, [text]);
    if (this.#isDebug && error instanceof Error) writeText(process.stderr, `${error.stack}\n`);
    return isExpected ? shown.exitCode : exitCodes.bug;
  }

  get #signalCode(): number | undefined {
    const { aborted, reason } = this.#stop.signal;
    return aborted ? (signalCodes[String(reason)] ?? exitCodes.failed) : undefined;
  }
}
