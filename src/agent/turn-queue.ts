// What waits for the model: prompts and notices of background work, in the order in which they came, between operations
// such as a compaction or a change of session. A turn takes what waits at its start, and again after its calls.
import type { JsonObject } from '../base/json/index.ts';
import { blocksOf, textOf } from '../format/entry/index.ts';
import type { PromptIdentity, PromptOrigin, TurnEnded } from './contract/index.ts';

export type Queued =
  | {
      readonly kind: 'prompt';
      readonly content: string | readonly JsonObject[];
      readonly identity: PromptIdentity;
      /** It had to wait for other work, and a `queued` event reported it. */
      readonly isAnnounced: boolean;
    }
  /** The model must know it, but nobody typed it. */
  | { readonly kind: 'notice'; readonly text: string; readonly origin?: PromptOrigin };

/** Waits in the queue until it is settled. */
export interface QueueEntry {
  readonly item: Queued;
  readonly settle: (ended: TurnEnded) => void;
  readonly fail: (error: unknown) => void;
}

/** An operation that runs alone: no turn takes what was queued after it. */
interface Barrier {
  readonly item: 'barrier';
}

export class TurnQueue {
  #waiting: (QueueEntry | Barrier)[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #isWorking = false;

  get isBusy(): boolean {
    return this.#isWorking || this.#waiting.length > 0;
  }

  /** The texts of waiting prompts, oldest first. */
  get texts(): readonly string[] {
    return this.#waiting.flatMap((each) =>
      isEntry(each) && each.item.kind === 'prompt' ? [queuedText(each.item)] : [],
    );
  }

  /** Runs after all earlier work, and alone. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const barrier: Barrier = { item: 'barrier' };
    this.#waiting.push(barrier);
    return this.#chain(() => {
      this.#waiting = this.#waiting.filter((each) => each !== barrier);
      return this.#work(work);
    });
  }

  /** After all earlier work, `work` gets what waits then; it is not called if nothing waits any more. */
  async runNext(work: (entries: readonly QueueEntry[]) => Promise<void>): Promise<void> {
    await this.#chain(async () => {
      const entries = this.#takeNext();
      if (entries.length > 0) await this.#work(() => work(entries));
    });
  }

  #chain<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #work<T>(work: () => Promise<T>): Promise<T> {
    this.#isWorking = true;
    try {
      return await work();
    } finally {
      this.#isWorking = false;
    }
  }

  /** Resolves to the end of the turn that took the item. */
  add(item: Queued): Promise<TurnEnded> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ item, settle, fail });
    });
  }

  /**
   * For a new turn: the oldest prompt or notice, with those of its kind that follow. A prompt that is a command or has
   * pictures has a turn of its own.
   */
  #takeNext(): readonly QueueEntry[] {
    const [first] = this.#waiting;
    if (first === undefined || !isEntry(first)) return [];
    let count = 1;
    if (joins(first.item))
      for (const next of this.#waiting.slice(1)) {
        if (!isEntry(next) || next.item.kind !== first.item.kind || !joins(next.item)) break;
        count++;
      }
    return this.#waiting.splice(0, count).filter(isEntry);
  }

  /** For a running turn: everything that waits. */
  takeAll(): readonly QueueEntry[] {
    const end = this.#waiting.findIndex((each) => !isEntry(each));
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end).filter(isEntry);
  }

  /** The turn ended before it could use them. */
  putBack(entries: readonly QueueEntry[]): void {
    this.#waiting.unshift(...entries);
  }

  /** Removes the newest waiting prompt. */
  takeBack(): QueueEntry | undefined {
    const at = this.#waiting.findLastIndex((each) => isEntry(each) && each.item.kind === 'prompt');
    const [taken] = at === -1 ? [] : this.#waiting.splice(at, 1);
    return taken !== undefined && isEntry(taken) ? taken : undefined;
  }

  async settle(): Promise<void> {
    await this.#last;
  }
}

function isEntry(each: QueueEntry | Barrier): each is QueueEntry {
  return each.item !== 'barrier';
}

/** A prompt that did not have to wait starts its turn alone. */
function joins(item: Queued): boolean {
  if (item.kind === 'notice') return true;
  return item.isAnnounced && typeof item.content === 'string' && !item.content.startsWith('/');
}

export function queuedText(item: Queued): string {
  return item.kind === 'notice' ? item.text : promptText(item.content);
}

export function promptText(content: string | readonly JsonObject[]): string {
  return typeof content === 'string' ? content : textOf(blocksOf(content));
}
