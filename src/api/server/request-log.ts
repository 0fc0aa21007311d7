// The requests that a server received, for tests. An agent sends its whole history each time, so the oldest bodies, and
// then the oldest requests, are dropped when there are too many bytes.
import type { JsonValue } from '../../base/json/json.ts';

/** A request that the server received. */
export interface ServedRequest {
  /** From 0, over all requests. */
  readonly index: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `undefined` if it was not JSON, or was dropped. */
  readonly body: JsonValue | undefined;
  readonly bodyBytes: number;
}

const maxRequests = 10_000;
const maxBodyBytes = 64 * 1024 * 1024;

export class RequestLog {
  readonly #requests: ServedRequest[] = [];
  readonly #maxBodyBytes: number;
  #count = 0;
  #bodyBytes = 0;
  /** The first request whose body is kept. */
  #kept = 0;

  constructor(bodyBytes: number = maxBodyBytes) {
    this.#maxBodyBytes = bodyBytes;
  }

  get requests(): readonly ServedRequest[] {
    return this.#requests;
  }

  add(request: Omit<ServedRequest, 'index'>): ServedRequest {
    const added = { index: this.#count++, ...request };
    this.#requests.push(added);
    this.#bodyBytes += added.bodyBytes;
    while (this.#bodyBytes > this.#maxBodyBytes && this.#kept < this.#requests.length - 1) this.#letGo();
    if (this.#requests.length > maxRequests) {
      if (this.#kept === 0) this.#letGo();
      this.#requests.shift();
      this.#kept--;
    }
    return added;
  }

  #letGo(): void {
    const oldest = this.#requests[this.#kept];
    if (oldest === undefined) return;
    this.#requests[this.#kept++] = { ...oldest, body: undefined };
    this.#bodyBytes -= oldest.bodyBytes;
  }
}
