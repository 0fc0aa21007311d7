// `clew -p`: runs the agent without a user and prints its events on stdout. It always ends with a result and an exit
// code from docs/agent.md.
import { homedir } from 'node:os';
import type { Agent, AgentEvent, Approve } from '../../agent/contract/index.ts';
import { openAgent } from '../../agent/index.ts';
import { isFolderAccepted } from '../../agent/trust/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { AsyncQueue } from '../../base/process/index.ts';
import { diskError } from '../../store/index.ts';
import type { CommandInput, CommandIo } from '../command/index.ts';
import { createStop, type StopSignal, writeText } from '../terminal/index.ts';
import { answerControl, type InputStream, type PromptContent, readMessages, readPrompt } from './input.ts';
import { type PrintOptions, readPrintOptions } from './options.ts';
import { type MessageChoice, messageOf, Report } from './report.ts';
import { codeOfTurn, errorsOf, failureResult, signalCodes, turnResult } from './result.ts';

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
  readonly #choice: MessageChoice;
  readonly #started = Date.now();
  #agent: Agent | undefined;
  #sessionId = '';
  #stopReason: string | null = null;

  constructor(options: PrintOptions, io: CommandIo, stdin: InputStream, stop: StopSignal, isDebug: boolean) {
    const { output: format, isVerbose, withParts, withPrompts } = options;
    this.#options = options;
    this.#stdin = stdin;
    this.#stop = stop;
    this.#isDebug = isDebug;
    this.#report = new Report(io, { format, isVerbose, onGone: (why) => stop.stop(why) });
    this.#choice = { withParts, withPrompts, keySource: keySourceOf(io.env) };
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
    const agent = await this.#open();
    // A second Ctrl-C ends the process, as usual.
    const close = (): void => {
      this.#stop.dispose();
      void agent.close('signal').catch(() => undefined);
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    let code: number = exitCodes.ok;
    if (first !== undefined) code = await this.#turn(agent, first);
    if (input === 'text') return code;
    for await (const content of this.#prompts(agent)) {
      if (signal.aborted) break;
      code = await this.#turn(agent, content);
    }
    return code;
  }

  async #open(): Promise<Agent> {
    const { run, trustsProject } = this.#options;
    const { cwd, root, env } = run;
    this.#agent = await openAgent({
      ...run,
      isProjectTrusted: trustsProject || (await isFolderAccepted({ cwd, root, env, home: homedir() })),
      isInteractive: false,
      approve: refuseAll,
      askUser: async () => undefined,
      sinks: [(event) => this.#hear(event)],
    });
    return this.#agent;
  }

  async #hear(event: AgentEvent): Promise<void> {
    if (event.type === 'session-opened') this.#sessionId = event.sessionId;
    if (event.type === 'answer' && event.agent === undefined) this.#stopReason = event.stopReason;
    this.#report.note(event);
    const message = messageOf(event, this.#sessionId, this.#choice);
    if (message !== undefined) await this.#report.message(message);
  }

  async #turn(agent: Agent, content: PromptContent): Promise<number> {
    const ended = await agent.prompt(content);
    await this.#report.result(turnResult(ended, this.#facts()), errorsOf(ended));
    return codeOfTurn(ended);
  }

  /** Requests are answered during a turn. An invalid line ends the input, after the prompts before it. */
  async *#prompts(agent: Agent): AsyncGenerator<PromptContent> {
    const prompts = new AsyncQueue<PromptContent>();
    const reading = this.#readInput(agent, prompts).finally(() => prompts.end());
    reading.catch(() => undefined);
    yield* prompts;
    await reading;
  }

  async #readInput(agent: Agent, prompts: AsyncQueue<PromptContent>): Promise<void> {
    for await (const message of readMessages(this.#stdin, this.#stop.signal)) {
      if (message.kind === 'prompt') prompts.push(message.content);
      else await this.#report.message(await answerControl(message.request, agent));
    }
  }

  async #fail(error: unknown): Promise<number> {
    const shown = withAdvice(error);
    const isExpected = shown instanceof UserError;
    const message = shown instanceof Error ? shown.message : String(shown);
    const text = isExpected
      ? message
      : `this is a bug: ${message}; run it again with --debug and report what it prints`;
    await this.#report.result(failureResult(text, this.#facts()), [text]);
    if (this.#isDebug && error instanceof Error) writeText(process.stderr, `${error.stack}\n`);
    return isExpected ? shown.exitCode : exitCodes.bug;
  }

  #facts() {
    const state = this.#agent?.state;
    return { state, stopReason: this.#stopReason, durationMs: Date.now() - this.#started };
  }

  get #signalCode(): number | undefined {
    const { aborted, reason } = this.#stop.signal;
    return aborted ? (signalCodes[String(reason)] ?? exitCodes.failed) : undefined;
  }
}

const refuseAll: Approve = async ({ why }) => ({
  kind: 'deny',
  message: `${why}, and nobody is here to be asked; it can be allowed with --allowedTools or in the settings`,
  isInterrupt: false,
});

function keySourceOf(env: NodeJS.ProcessEnv): string {
  return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((name) => env[name]) ?? 'none';
}

/** A disk error can occur anywhere and is not a bug. */
function withAdvice(error: unknown): unknown {
  const isOfFile = error instanceof Error && 'path' in error && typeof error.path === 'string';
  return isOfFile ? diskError(error, 'write', String(error.path)) : error;
}
