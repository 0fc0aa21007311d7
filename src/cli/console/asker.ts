// Shows the questions of the agent and of commands as dialogs, one at a time in order. A question that is no longer
// needed, because the turn was interrupted, answers itself.

import type { Approve, PermissionMode, UserAnswer, UserQuestion } from '../../agent/contract/index.ts';
import { createStyle, type Key } from '../terminal/index.ts';
import {
  approvalDialog,
  approvalOf,
  consentDialog,
  consentOf,
  type Dialog,
  type DialogAnswer,
  planDecisionOf,
  planDialog,
  pressInDialog,
  questionAnswer,
  questionDialog,
  questionText,
  turnBody,
} from './dialog/index.ts';
import { type ConsoleStore, roomOf } from './screen/index.ts';
import { addItem } from './transcript/index.ts';

/** A question that appears while the user types takes an answer only after a pause of this length. */
const pauseMs = 700;
const cancelled: DialogAnswer = { kind: 'cancelled' };

export class Asker {
  readonly #store: ConsoleStore;
  #answer: ((answer: DialogAnswer) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isUnexpected = false;
  #pressedMs = 0;
  readonly #now: () => number;

  constructor(store: ConsoleStore, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  press(dialog: Dialog, key: Key): void {
    const quietMs = this.#now() - this.#pressedMs;
    this.#pressedMs = this.#now();
    if (this.#isUnexpected && quietMs < pauseMs && key.name !== 'escape' && key.name !== 'ctrl-c') return;
    this.#isUnexpected = false;
    const pages = key.name === 'page-down' ? 1 : key.name === 'page-up' ? -1 : undefined;
    if (pages !== undefined && dialog.choices.length < 10) {
      this.#turn(dialog, pages);
      return;
    }
    const pressed = pressInDialog(dialog, key);
    if (pressed.answer === undefined) this.#store.update({ dialog: pressed.dialog });
    else this.#answer?.(pressed.answer);
  }

  #turn(dialog: Dialog, pages: 1 | -1): void {
    const { columns, rows, nowMs } = this.#store.get();
    // Only counted, not shown.
    const drawing = { columns, rows, nowMs, cwd: '', style: createStyle(false) };
    this.#store.update({ dialog: turnBody(dialog, pages, drawing, roomOf(drawing)) });
  }

  /** Nobody can answer any more. */
  close(): void {
    this.#isClosed = true;
    this.#answer?.(cancelled);
  }

  ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer> {
    const asked = this.#last.then(() => (this.#isClosed || signal?.aborted ? cancelled : this.#open(dialog, signal)));
    this.#last = asked;
    return asked;
  }

  async approve(request: Parameters<Approve>[0]): ReturnType<Approve> {
    return approvalOf(await this.ask(approvalDialog(request), request.signal), request);
  }

  async askUser(
    question: UserQuestion,
    signal: AbortSignal,
    setMode: (mode: PermissionMode) => Promise<void>,
  ): Promise<UserAnswer | undefined> {
    if (question.kind === 'plan') return this.#askForPlan(question.plan, signal, setMode);
    if (question.kind === 'consent') return consentOf(await this.ask(consentDialog(question), signal), question);
    const answers: Record<string, string> = {};
    for (const [i, each] of question.questions.entries()) {
      const place = { number: i + 1, of: question.questions.length };
      const answer = questionAnswer(each, await this.ask(questionDialog(each, place), signal));
      if (answer === undefined) return undefined;
      answers[questionText(each)] = answer;
    }
    return { kind: 'answers', answers };
  }

  async #askForPlan(
    plan: string,
    signal: AbortSignal,
    setMode: (mode: PermissionMode) => Promise<void>,
  ): Promise<UserAnswer> {
    this.#store.update({ view: addItem(this.#store.get().view, { kind: 'plan', text: plan }) });
    const { answer, acceptsEdits } = planDecisionOf(await this.ask(planDialog(), signal));
    if (acceptsEdits) await setMode('acceptEdits');
    return answer;
  }

  #open(dialog: Dialog, signal: AbortSignal | undefined): Promise<DialogAnswer> {
    return new Promise((resolve) => {
      const answer = (given: DialogAnswer): void => {
        signal?.removeEventListener('abort', onAbort);
        this.#answer = undefined;
        this.#store.update({ dialog: undefined });
        resolve(given);
      };
      const onAbort = (): void => answer(cancelled);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#answer = answer;
      this.#isUnexpected = this.#store.get().editor.buffer.text !== '';
      this.#pressedMs = this.#now();
      this.#store.update({ dialog });
    });
  }
}
