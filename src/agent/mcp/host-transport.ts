// The MCP SDK's transport to a server inside the program that runs the agent: each message goes through that program.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../base/json/index.ts';
import type { HostConnection } from '../contract/index.ts';

export class HostTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #connection: HostConnection;
  readonly #readMessage: (value: unknown) => JSONRPCMessage | undefined;
  readonly #closing = new AbortController();

  constructor(connection: HostConnection, readMessage: (value: unknown) => JSONRPCMessage | undefined) {
    this.#connection = connection;
    this.#readMessage = readMessage;
  }

  async start(): Promise<void> {
    this.#connection.receive((message) => this.#deliver(message));
  }

  /** Resolves when the message is on its way: the answer may take minutes. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closing.signal.aborted) throw new Error('the server has ended');
    const id = 'id' in message && 'method' in message ? message.id : undefined;
    const sent = { ...message } as JsonObject; // a JSON-RPC message is an object of JSON
    void this.#connection
      .send(sent, this.#closing.signal)
      .then((answer) => {
        if (id !== undefined) this.#deliver(answer ?? broken(id, 'the program that runs the server gave no answer'));
      })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        if (id === undefined) this.onerror?.(new Error(why));
        else this.#deliver(broken(id, why));
      });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#connection.close();
    this.onclose?.();
  }

  #deliver(value: JsonObject): void {
    if (this.#closing.signal.aborted) return;
    const message = this.#readMessage(value);
    if (message === undefined) this.onerror?.(new Error('not a message of the protocol'));
    else this.onmessage?.(message);
  }
}

/** The call fails at once; if it were skipped, it would wait for its timeout. */
function broken(id: string | number, message: string): JsonObject {
  return { jsonrpc: '2.0', id, error: { code: -32_603, message } };
}
