// Runs a server that speaks JSON lines on its pipes. Unlike the SDK's transport it uses a guarded process group,
// because a server is often a wrapper (npx, sh -c, uvx) around the real program: the whole group ends with the server
// and with us. Output is limited, and a line that is not a message is skipped.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../base/json/index.ts';
import { type GuardedProcess, startGuarded } from '../../base/process/index.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly maxMessageBytes: number;
  /** How long a server may take to exit when its input closes, and again after SIGTERM. */
  readonly graceMs: number;
  /** A protocol message, or `undefined`. */
  readonly readMessage: (value: unknown) => JSONRPCMessage | undefined;
}

const maxStderrChars = 2000;

export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  /** The end of stderr, which usually explains a failure. */
  stderr = '';
  readonly #options: ChildOptions;
  #server: GuardedProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #pieces: Buffer[] = [];
  #pieceBytes = 0;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#server?.child.pid;
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#options;
    const server = startGuarded(command, args, { cwd, env });
    const { child } = server;
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    this.#server = server;
    child.on('error', (error) => this.onerror?.(error));
    server.stdin.on('error', (error) => this.onerror?.(error));
    server.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    server.stderr.on('data', (chunk: Buffer) => {
      this.stderr = `${this.stderr}${chunk.toString('utf8')}`.slice(-maxStderrChars);
    });
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => {
        server.signal('SIGKILL');
        this.#server = undefined;
        resolve();
      });
    });
    this.#watchEnd(server);
  }

  /** Called once, after all output is read; a process that left the group may hold the pipe open forever. */
  #watchEnd({ child }: GuardedProcess): void {
    let isReported = false;
    const report = (): void => {
      if (!isReported) this.onclose?.();
      isReported = true;
    };
    child.once('close', report);
    child.once('exit', () => setTimeout(report, this.#options.graceMs).unref());
  }

  send(message: JSONRPCMessage): Promise<void> {
    const server = this.#server;
    if (server === undefined) return Promise.reject(new Error('the server has ended'));
    return new Promise((resolve) => {
      if (server.stdin.write(`${JSON.stringify(message)}\n`)) resolve();
      else {
        // A server that stops reading must not keep the call open after it ended.
        server.stdin.once('drain', resolve);
        server.child.once('exit', () => resolve());
      }
    });
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    server.stdin.end();
    if (await this.#hasExited()) return;
    server.signal('SIGTERM');
    if (await this.#hasExited()) return;
    server.signal('SIGKILL');
    await this.#exited;
  }

  async #hasExited(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#options.graceMs);
    });
    const answer = await Promise.race([this.#exited.then(() => true), late]);
    clearTimeout(timer);
    return answer;
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      this.#deliver(Buffer.concat(this.#pieces).toString('utf8'));
      this.#pieces = [];
      this.#pieceBytes = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    this.#pieces.push(rest);
    this.#pieceBytes += rest.length;
    if (this.#pieceBytes <= this.#options.maxMessageBytes) return;
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.stderr = `it sent a message of more than ${this.#options.maxMessageBytes} bytes`;
    this.#server?.signal('SIGKILL');
  }

  #deliver(line: string): void {
    if (line.trim() === '') return;
    const value = parse(line);
    const message = this.#options.readMessage(value) ?? brokenAnswer(value);
    if (message === undefined) this.onerror?.(new Error(`not a message: ${line.slice(0, 200)}`));
    else this.onmessage?.(message);
  }
}

/** An invalid answer fails its call at once; if it were skipped, the call would wait for its timeout. */
function brokenAnswer(value: unknown): JSONRPCMessage | undefined {
  if (!isObject(value) || value.method !== undefined) return undefined;
  const { id } = value;
  if (typeof id !== 'number' && typeof id !== 'string') return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32_603, message: 'it gave an answer that is not one of the protocol' } };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
