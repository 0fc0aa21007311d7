// Whether the page has read the session as it was when the server began to send its changes: what was written before that is
// in no event.

export class ReadVersion {
  #read: string | undefined;
  #waiting: { readonly version: string; readonly onOther: () => void } | undefined;

  /** The whole session was read. */
  read(version: string): void {
    const waiting = this.#waiting;
    this.#read = version;
    this.#waiting = undefined;
    if (waiting !== undefined && waiting.version !== version) waiting.onOther();
  }

  /** Calls `onOther` if the page has read another version, now or when it has read one. */
  compare(version: string, onOther: () => void): void {
    if (this.#read === undefined) this.#waiting = { version, onOther };
    else if (this.#read !== version) onOther();
  }
}
