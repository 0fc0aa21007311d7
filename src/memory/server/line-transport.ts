// JSON lines on stdin and stdout. Unlike the SDK's transport it limits the length of a line, answers lines that are not
// messages with an error of JSON-RPC, and reports the end of stdin.
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { asObject, type JsonValue, parseJson } from '../../base/json/index.ts';

/** No message to this server needs more. */
const longestLine = 1024 * 1024;

const parseError = -32_700;
const invalidRequest = -32_600;

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The rest of a line that is too long. */
  #isSkipping = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    // A client that has gone reads no answers.
    this.#output.on('error', () => this.onclose?.());
    this.#input.on('error', () => this.onclose?.());
    this.#input.on('end', () => this.onclose?.());
    this.#input.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  async close(): Promise<void> {
    this.#input.destroy();
    this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  #add(piece: Buffer): void {
    if (this.#isSkipping || piece.length === 0) return;
    this.#bytes += piece.length;
    if (this.#bytes <= longestLine) {
      this.#pieces.push(piece);
      return;
    }
    this.#pieces = [];
    this.#isSkipping = true;
    this.#refuse(invalidRequest, `the message is longer than ${longestLine} bytes`);
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces).toString('utf8');
    const isWhole = !this.#isSkipping;
    this.#pieces = [];
    this.#bytes = 0;
    this.#isSkipping = false;
    if (isWhole && line.trim() !== '') this.#read(line);
  }

  #read(line: string): void {
    const value = parseJson(line);
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) this.onmessage?.(message.data);
    else if (value === undefined) this.#refuse(parseError, 'the line is not JSON');
    else this.#refuse(invalidRequest, 'the line is not a message of JSON-RPC 2.0', asObject(value)?.id);
  }

  #refuse(code: number, message: string, id?: JsonValue): void {
    const known = typeof id === 'string' || typeof id === 'number' ? { id } : {};
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...known, error: { code, message } })}\n`);
  }
}
