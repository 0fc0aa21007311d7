// Requests to the program that started Clew, over stdout and stdin: each has an id, waits for its answer, and is
// withdrawn if nobody waits for it any more. When the program closes stdin, every open request fails.
import { randomUUID } from 'node:crypto';
import { asObject, asString, type JsonObject } from '../../../base/json/index.ts';

/** The program answered with an error. */
export class HostError extends Error {}

/** The program can no longer answer, or did not answer in time. */
export class HostGone extends Error {}

interface Pending {
  readonly resolve: (response: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly needsObject: boolean;
}

export class HostChannel {
  readonly #write: (message: JsonObject) => Promise<void>;
  readonly #warn: (text: string) => void;
  readonly #pending = new Map<string, Pending>();
  #isClosed = false;

  /** `warn`: shows a problem of the protocol on stderr. */
  constructor(write: (message: JsonObject) => Promise<void>, warn: (text: string) => void) {
    this.#write = write;
    this.#warn = warn;
  }

  /**
   * Resolves to the `response` of the answer. An abort withdraws the request and rejects. `needsObject`: a `response` that
   * is not an object is an error; otherwise it counts as an empty one.
   */
  async request(request: JsonObject, signal: AbortSignal, needsObject = false): Promise<JsonObject> {
    if (this.#isClosed) throw new HostGone('the program that started Clew has closed its side');
    if (signal.aborted) throw new HostGone('the request was withdrawn');
    const id = randomUUID();
    const answer = new Promise<JsonObject>((resolve, reject) =>
      this.#pending.set(id, { resolve, reject, needsObject }),
    );
    // It may be rejected before it is awaited.
    answer.catch(() => undefined);
    const withdraw = (): void => this.#withdraw(id);
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      await this.#write({ type: 'control_request', request_id: id, request });
      return await answer;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#pending.delete(id);
    }
  }

  /** Takes a `control_response` of the program. */
  settle(message: JsonObject): void {
    const response = asObject(message.response);
    const id = asString(response?.request_id);
    if (response === undefined || id === undefined) {
      this.#warn('a control_response without response.request_id is ignored');
      return;
    }
    const pending = this.#pending.get(id);
    // An answer to a request that was withdrawn may still arrive.
    if (pending === undefined) return;
    const answer = asObject(response.response);
    if (response.subtype === 'error') pending.reject(new HostError(asString(response.error) ?? 'no reason is given'));
    else if (answer === undefined && pending.needsObject)
      pending.reject(new HostError('the answer is not a JSON object'));
    else pending.resolve(answer ?? {});
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values())
      reject(new HostGone('the program that started Clew closed its side before it answered'));
  }

  #withdraw(id: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.reject(new HostGone('the request was withdrawn'));
    if (!this.#isClosed) void this.#write({ type: 'control_cancel_request', request_id: id });
  }
}
