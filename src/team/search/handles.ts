// Keys of rows in the store ⇄ the numbers by which a search names sessions, files, documents and segments.

export interface RowKey {
  readonly person: number;
  readonly month: string;
  readonly sessionId: string;
  readonly nth: number;
}

export interface SessionKey {
  readonly person: number;
  readonly sessionId: string;
}

export interface FileKey extends SessionKey {
  /** '' for the main transcript. */
  readonly agent: string;
}

/** Numbers things from 1, in the order in which they are first seen. */
export class Handles<K> {
  readonly #numbers = new Map<string, number>();
  readonly #keys: K[] = [];
  readonly #nameOf: (key: K) => string;

  constructor(nameOf: (key: K) => string) {
    this.#nameOf = nameOf;
  }

  numberOf(key: K): number {
    const name = this.#nameOf(key);
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#keys.push(key);
    this.#numbers.set(name, this.#keys.length);
    return this.#keys.length;
  }

  keyOf(number: number): K {
    return this.#keys[number - 1] as K; // a number that numberOf has returned
  }
}

export function rowHandles(): Handles<RowKey> {
  return new Handles(({ person, month, sessionId, nth }) => `${person} ${month} ${nth} ${sessionId}`);
}

export function sessionHandles(): Handles<SessionKey> {
  return new Handles(sessionName);
}

export function fileHandles(): Handles<FileKey> {
  return new Handles(({ person, sessionId, agent }) => `${person} ${sessionId}/${agent}`);
}

/** As the functions of the store take it. */
export function sessionName({ person, sessionId }: SessionKey): string {
  return `${person} ${sessionId}`;
}

/** Columns of keys, as `unnest` takes them. */
export function columnsOf(keys: readonly RowKey[]): {
  readonly people: number[];
  readonly months: string[];
  readonly sessions: string[];
  readonly nths: number[];
} {
  return {
    people: keys.map(({ person }) => person),
    months: keys.map(({ month }) => month),
    sessions: keys.map(({ sessionId }) => sessionId),
    nths: keys.map(({ nth }) => nth),
  };
}
