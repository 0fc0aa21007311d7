// One turn: prompts → request → blocks → calls → results → next request, until an answer has no calls. Every event is
// written before the next step. A failure of a model or a tool is never an exception, and every call gets a result.

import { randomUUID } from 'node:crypto';
import { isPromptTooLong, type ModelFailure } from '../../api/client/index.ts';
import {
  errorNameOf,
  failureText,
  type ModelSwitched,
  type PermissionMode,
  type PromptGiven,
  type PromptOrigin,
  type TurnEnded,
} from '../contract/index.ts';
import { changedSections, userTexts } from '../prompt/index.ts';
import { type Answer, type AnswerOutcome, requestAnswer } from './answer.ts';
import type { AgentContext, TurnPrompt } from './context.ts';
import { interruptedText } from './permit-call.ts';
import { makeRequest } from './request.ts';
import { permanentFailure, switchText } from './retry.ts';
import { closeCalls, runCalls } from './run-calls.ts';

/** `origin`: nobody typed the prompts. */
export async function runTurn(
  prompts: readonly TurnPrompt[],
  context: AgentContext,
  signal: AbortSignal,
  origin?: PromptOrigin,
): Promise<TurnEnded> {
  const end = await new Turn(context, signal).run(prompts);
  const ended = origin === undefined ? end : { ...end, origin };
  await context.emit(ended);
  return ended;
}

/** Limits: continued answers after the output limit, Stop hooks that block, and pauses. */
const maxContinuations = 3;
const maxStopBlocks = 20;
const maxPauses = 20;
const continueText =
  'The answer reached its output limit. Go on exactly where it stopped, without repeating anything; make the next steps smaller.';

const outputText =
  '[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request. Call this tool now.';

type End = Pick<TurnEnded, 'outcome' | 'error' | 'output' | 'isStoppedByHook'>;

class Turn {
  readonly #context: AgentContext;
  readonly #signal: AbortSignal;
  readonly #started: number;
  readonly #denials: TurnEnded['denials'][number][] = [];
  #rounds = 0;
  #apiMs = 0;
  #text = '';
  #continuations = 0;
  #stopBlocks = 0;
  #pauses = 0;
  /** Models that failed in this turn; the next one starts with the usual model again. */
  readonly #unavailable = new Set<string>();
  #hasCompacted = false;
  #cannotCompact = false;
  #sentMode: PermissionMode | undefined;
  #wasToldOutput = false;

  constructor(context: AgentContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    this.#started = context.clock.now().getTime();
  }

  async run(prompts: readonly TurnPrompt[]): Promise<TurnEnded> {
    this.#context.output?.start();
    const end = await this.#work(prompts);
    return {
      type: 'turn-end',
      durationMs: this.#context.clock.now().getTime() - this.#started,
      apiDurationMs: this.#apiMs,
      rounds: this.#rounds,
      text: this.#text,
      denials: this.#denials,
      ...end,
    };
  }

  async #work(prompts: readonly TurnPrompt[]): Promise<End> {
    await this.#compactIfDue(false);
    await this.#say(this.#context.takeNews());
    for (const prompt of prompts) await this.#context.emit({ type: 'prompt', uuid: randomUUID(), ...prompt });
    // After the prompt, because readers of a session expect the prompt on the first line.
    await this.#sendSituation();
    for (;;) {
      const end = this.#limitEnd() ?? (await this.#round());
      if (end !== undefined) return end;
      if (this.#signal.aborted) return this.#interrupt('text');
      await this.#say(this.#context.takeNews());
      const isCompacted = await this.#compactIfDue(true);
      if (isCompacted || this.#context.mode() !== this.#sentMode) await this.#sendSituation();
    }
  }

  /** Called when no call is open, so that every call has its result. */
  #limitEnd(): End | undefined {
    const { maxTurns, maxBudgetUsd } = this.#context.limits;
    if (maxTurns !== undefined && this.#rounds >= maxTurns) return { outcome: 'error_max_turns' };
    if (maxBudgetUsd !== undefined && this.#context.meter.costAgainstLimit >= maxBudgetUsd * 1_000_000)
      return { outcome: 'error_max_budget_usd' };
    return undefined;
  }

  /** One request and what follows from it; `undefined` if the turn continues. */
  async #round(): Promise<End | undefined> {
    const models = this.#models();
    const model = models[0] ?? this.#context.model();
    const request = await makeRequest(this.#context, model);
    if (this.#signal.aborted) return this.#interrupt('text');
    const outcome = await requestAnswer(request, this.#context, this.#signal, models.length > 1);
    this.#apiMs += outcome.apiMs;
    switch (outcome.kind) {
      case 'switched':
        return this.#switchModel(outcome.trigger, model, models[1] ?? model);
      case 'failed':
        return this.#fail(outcome.failure);
      case 'interrupted':
        return this.#breakOff(outcome);
      case 'answered':
        this.#rounds++;
        if (outcome.answer.text !== '') this.#text = outcome.answer.text;
        return this.#follow(outcome.answer);
      default:
        return outcome satisfies never;
    }
  }

  /** The model that answers, and those that may replace it in this turn. */
  #models(): readonly string[] {
    const { fallbackModels, model } = this.#context;
    return [...new Set([model(), ...fallbackModels])].filter((name) => !this.#unavailable.has(name));
  }

  async #switchModel(trigger: ModelSwitched['trigger'], from: string, to: string): Promise<undefined> {
    this.#unavailable.add(from);
    const text = switchText(trigger, from, to);
    await this.#context.emit({ type: 'model-switched', uuid: randomUUID(), trigger, from, to, text });
    await this.#notice('warn', text);
  }

  async #follow(answer: Answer): Promise<End | undefined> {
    if (answer.stopReason === 'refusal') return this.#refused(answer);
    if (answer.calls.length > 0) return this.#runCalls(answer);
    switch (answer.stopReason) {
      case 'pause_turn':
        // The API wants its own unfinished answer back as the last message.
        return this.#pauses++ < maxPauses ? undefined : this.#askStop(answer);
      case 'max_tokens':
        return this.#continueAnswer();
      case 'model_context_window_exceeded':
        return this.#shorten(
          permanentFailure('context_window', 'the conversation fills the context window of the model'),
        );
      default:
        return this.#askStop(answer);
    }
  }

  async #runCalls(answer: Answer): Promise<End | undefined> {
    const outcome = await runCalls(answer.calls, this.#context, this.#signal);
    this.#denials.push(...outcome.denials);
    if (outcome.isInterrupted) return this.#interrupt('tool');
    await this.#say(outcome.notes);
    const end = this.#outputEnd();
    if (end !== undefined) return end;
    if (outcome.stop === undefined) return this.#takeQueued();
    await this.#notice('warn', `a hook ended the turn: ${outcome.stop}`);
    return { outcome: 'success', isStoppedByHook: 'in-calls' };
  }

  /** The turn ends with the answer in the wanted format, or after too many that do not match. */
  #outputEnd(): End | undefined {
    const { output } = this.#context;
    if (output?.value !== undefined) {
      this.#text = JSON.stringify(output.value);
      return { outcome: 'success', output: output.value };
    }
    if (output === undefined || output.failures < output.maxAttempts) return undefined;
    const why = `no valid structured output after ${output.failures} attempts: ${output.problem ?? ''}`;
    return { outcome: 'error_max_structured_output_retries', error: permanentFailure('structured_output', why) };
  }

  /** What was typed during the calls reaches the model now. If the turn ends here, it waits for the next one. */
  async #takeQueued(): Promise<undefined> {
    if (this.#signal.aborted || this.#limitEnd() !== undefined) return undefined;
    for (const prompt of await this.#context.takeQueued(this.#signal))
      await this.#context.emit({ type: 'prompt', uuid: randomUUID(), ...prompt });
    return undefined;
  }

  async #continueAnswer(): Promise<End | undefined> {
    if (this.#continuations++ >= maxContinuations) {
      await this.#notice('warn', 'the answer reached its output limit several times and ends here');
      return { outcome: 'success' };
    }
    await this.#say([continueText], { isFeedback: true });
    return undefined;
  }

  async #askStop(answer: Answer): Promise<End | undefined> {
    if (answer.blockCount === 0) await this.#notice('info', 'the model sent an empty answer');
    const { blocked: reason, isFinal } = await this.#context.askStop(this.#text, this.#stopBlocks > 0, this.#signal);
    if (this.#signal.aborted) return this.#interrupt('text');
    if (isFinal) return { outcome: 'success', isStoppedByHook: 'at-end' };
    if (reason === undefined && this.#context.output !== undefined && !this.#wasToldOutput) {
      this.#wasToldOutput = true;
      await this.#say([outputText], { isFeedback: true });
      return undefined;
    }
    if (reason === undefined) return { outcome: 'success' };
    if (this.#stopBlocks++ >= maxStopBlocks) {
      await this.#notice('warn', 'a Stop hook blocked the end of the turn too often; the turn ends now');
      return { outcome: 'success' };
    }
    await this.#say([reason], { isFeedback: true });
    return undefined;
  }

  async #refused({ calls }: Answer): Promise<End> {
    await closeCalls(calls, 'The answer was refused; this call did not run.', this.#context.emit);
    return this.#giveUp(
      permanentFailure('refusal', 'the model refused to answer; rephrase the prompt, rewind, or start a new session'),
    );
  }

  async #fail(failure: ModelFailure): Promise<End | undefined> {
    return isPromptTooLong(failure) ? this.#shorten(failure) : this.#giveUp(failure);
  }

  /** Once per turn: a summary that is still too long would be repeated forever. */
  async #shorten(failure: ModelFailure): Promise<End | undefined> {
    const { compaction } = this.#context;
    if (compaction === undefined || this.#hasCompacted) return this.#giveUp(failure);
    this.#hasCompacted = true;
    const isShorter = await compaction.run(true, this.#signal);
    if (this.#signal.aborted) return this.#interrupt('text');
    if (!isShorter) return this.#giveUp(failure);
    await this.#sendSituation();
    return undefined;
  }

  async #giveUp(failure: ModelFailure): Promise<End> {
    await this.#context.emit({ type: 'request-failed', uuid: randomUUID(), error: failure });
    const { message } = failure;
    const error = errorNameOf(failure);
    const fields = { error, error_details: message, last_assistant_message: failureText(failure) };
    await this.#context.hooks.run('StopFailure', error, fields, this.#signal);
    return { outcome: 'error_during_execution', error: failure };
  }

  async #breakOff({ calls }: Extract<AnswerOutcome, { readonly kind: 'interrupted' }>): Promise<End> {
    await closeCalls(calls, interruptedText, this.#context.emit);
    return this.#interrupt(calls.length > 0 ? 'tool' : 'text');
  }

  async #interrupt(during: 'text' | 'tool'): Promise<End> {
    await this.#context.emit({ type: 'interrupted', uuid: randomUUID(), during });
    return { outcome: 'interrupted' };
  }

  /** Resolves to whether the conversation was compacted. */
  async #compactIfDue(isTurnOpen: boolean): Promise<boolean> {
    const { compaction } = this.#context;
    if (this.#cannotCompact || compaction?.isDue() !== true) return false;
    // A failed summary would be paid for again at every step.
    this.#cannotCompact = !(await compaction.run(isTurnOpen, this.#signal));
    return !this.#cannotCompact;
  }

  async #sendSituation(): Promise<void> {
    this.#sentMode = this.#context.mode();
    const context = this.#context;
    const content = await changedSections(await context.sections(), userTexts(context.messages(context.model())));
    if (content.length === 0) return;
    await this.#context.emit({ type: 'prompt', uuid: randomUUID(), content, isMeta: true, isSituation: true });
  }

  async #say(texts: readonly string[], more: Pick<PromptGiven, 'isFeedback'> = {}): Promise<void> {
    for (const content of texts)
      await this.#context.emit({ type: 'prompt', uuid: randomUUID(), content, isMeta: true, ...more });
  }

  async #notice(level: 'info' | 'warn', text: string): Promise<void> {
    await this.#context.emit({ type: 'notice', level, text });
  }
}

/** `why`: the reason of a hook. */
export function endedWithout(outcome: TurnEnded['outcome'], why?: string): TurnEnded {
  const nothing = { durationMs: 0, apiDurationMs: 0, rounds: 0, text: '', denials: [] };
  if (why === undefined) return { type: 'turn-end', outcome, ...nothing };
  return { type: 'turn-end', outcome, ...nothing, error: permanentFailure('hook_blocked', why) };
}
