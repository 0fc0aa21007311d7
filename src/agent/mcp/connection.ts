// A connection to one configured server. It lists and calls the tools, and reconnects after the server died. The SDK is
// loaded with the first connection. Every failure is an Error with one readable line.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { withoutOwnKeys } from '../../api/connection/index.ts';
import { asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import { type Fetch, makeFetch } from '../../base/network/index.ts';
import { version } from '../../base/version/index.ts';
import type { CallContext, HostServers } from '../contract/index.ts';
import { ChildTransport } from './child-transport.ts';
import type { ServerConfig } from './config.ts';
import { HostTransport } from './host-transport.ts';

export interface ConnectionOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly graceMs: number;
  readonly host?: HostServers | undefined;
  /** The server has other tools now. */
  readonly onToolsChanged?: () => void;
}

const maxMessageBytes = 16 * 1024 * 1024;
const maxTools = 500;
const maxPages = 50;
const maxResources = 1000;

type RequestContext = Pick<CallContext, 'signal' | 'progress'>;

export class ServerConnection {
  readonly config: ServerConfig;
  tools: readonly JsonObject[] = [];
  instructions: string | undefined;
  /** The name and version that the server reports. */
  info: { readonly name: string; readonly version: string } | undefined;
  hasResources = false;
  readonly #options: ConnectionOptions;
  #client: Client | undefined;
  #transport: Transport | undefined;
  #opening: Promise<Client> | undefined;
  #isClosed = false;

  constructor(config: ServerConfig, options: ConnectionOptions) {
    this.config = config;
    this.#options = options;
  }

  /** The server's process, if there is one. */
  get pid(): number | undefined {
    return this.#transport instanceof ChildTransport ? this.#transport.pid : undefined;
  }

  async open(): Promise<void> {
    await this.#connect();
  }

  call(tool: string, input: JsonObject, context: RequestContext): Promise<JsonObject> {
    return this.#request('tools/call', { name: tool, arguments: input }, context);
  }

  async listResources(context: RequestContext): Promise<readonly JsonObject[]> {
    const resources: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages && resources.length < maxResources; page++) {
      const answer = await this.#request('resources/list', cursor === undefined ? {} : { cursor }, context);
      if (isArray(answer.resources)) resources.push(...answer.resources.filter(isObject));
      cursor = asString(answer.nextCursor);
      if (cursor === undefined) break;
    }
    return resources.slice(0, maxResources);
  }

  readResource(uri: string, context: RequestContext): Promise<JsonObject> {
    return this.#request('resources/read', { uri }, context);
  }

  async #request(method: string, params: JsonObject, { signal, progress }: RequestContext): Promise<JsonObject> {
    const wasOpen = this.#client !== undefined;
    // The SDK would also cancel a call that has ended, when the turn ends.
    const open = new AbortController();
    const cancel = (): void => open.abort(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const request = async (): Promise<JsonObject> => {
      const client = this.#client ?? (await unlessAborted(this.#connect(), signal));
      const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const result = await client.request({ method, params }, ResultSchema, {
        signal: open.signal,
        timeout: this.#options.callTimeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: this.#options.callTimeoutMs * 6,
        onprogress: (update) => progress({ kind: 'status', text: describeProgress(update) }),
      });
      return result as JsonObject; // an object of JSON, as the schema says
    };
    try {
      return await request();
    } catch (error) {
      if (signal.aborted || !wasOpen || !hasNotArrived(error)) throw this.#explain(error);
      await this.#drop();
      try {
        return await request();
      } catch (again) {
        throw this.#explain(again);
      }
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    await this.#drop();
  }

  /** Concurrent calls open it once. */
  #connect(): Promise<Client> {
    if (this.#isClosed) return Promise.reject(new Error('the connection was closed'));
    this.#opening ??= this.#openClient().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openClient(): Promise<Client> {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { ListRootsRequestSchema, ToolListChangedNotificationSchema } = await import(
      '@modelcontextprotocol/sdk/types.js'
    );
    const transport = await makeTransport(this.config, this.#options);
    this.#transport = transport;
    const client = new Client({ name: 'clew', version }, { capabilities: { roots: {} } });
    const { cwd, connectTimeoutMs } = this.#options;
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: pathToFileURL(cwd).href, name: path.basename(cwd) }],
    }));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#listAgain(client));
    client.onclose = () => {
      if (this.#client === client) this.#client = undefined;
    };
    try {
      await withDeadline(this.#introduce(client, transport), connectTimeoutMs);
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw this.#explain(error, lostAtStart);
    }
    this.#client = client;
    return client;
  }

  async #introduce(client: Client, transport: Transport): Promise<void> {
    const timeout = this.#options.connectTimeoutMs;
    await client.connect(transport, { timeout });
    this.instructions = client.getInstructions();
    const info = client.getServerVersion();
    this.info = info === undefined ? undefined : { name: info.name, version: info.version };
    this.hasResources = client.getServerCapabilities()?.resources !== undefined;
    if (client.getServerCapabilities()?.tools === undefined) return;
    this.tools = await listTools(client, timeout);
  }

  async #listAgain(client: Client): Promise<void> {
    if (this.#client !== client) return;
    // A server that cannot list its tools any more keeps those that are known.
    const tools = await listTools(client, this.#options.connectTimeoutMs).catch(() => undefined);
    if (tools === undefined || this.#client !== client) return;
    this.tools = tools;
    this.#options.onToolsChanged?.();
  }

  async #drop(): Promise<void> {
    const transport = this.#transport;
    this.#client = undefined;
    this.#transport = undefined;
    if (transport === undefined) return;
    await withDeadline(endSession(transport), this.#options.graceMs).catch(() => undefined);
    await transport.close().catch(() => undefined);
  }

  #explain(error: unknown, lost = lostCall): Error {
    const isLost = error instanceof Error && 'code' in error && error.code === connectionClosed;
    const said = isLost ? lost : error instanceof Error ? error.message : String(error);
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    const stderr = this.#transport instanceof ChildTransport ? this.#transport.stderr.trim() : '';
    const last = stderr.split('\n').at(-1) ?? '';
    const text = `${said}${cause}${last === '' ? '' : `; its last words: ${last}`}`;
    return new Error(text.replace(/\s+/g, ' ').slice(0, 600).toWellFormed(), { cause: error });
  }
}

async function listTools(client: Client, timeout: number): Promise<readonly JsonObject[]> {
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const tools: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && tools.length < maxTools; page++) {
    const params = cursor === undefined ? {} : { cursor };
    // Without the SDK's schema of tools: one invalid tool would hide all others.
    const answer = (await client.request({ method: 'tools/list', params }, ResultSchema, { timeout })) as JsonObject;
    if (isArray(answer.tools)) tools.push(...answer.tools.filter(isObject));
    cursor = asString(answer.nextCursor);
    if (cursor === undefined) break;
  }
  return tools.slice(0, maxTools);
}

/** The SDK's ErrorCode.ConnectionClosed. */
const connectionClosed = -32_000;
const lostAtStart = 'it ended before it was ready';
const lostCall = 'it ended during the call, which may have had its effect; it is started again with the next call';

async function makeTransport(config: ServerConfig, options: ConnectionOptions): Promise<Transport> {
  if (config.transport === 'invalid') throw new Error(config.problem);
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const readMessage = (value: unknown): JSONRPCMessage | undefined => JSONRPCMessageSchema.safeParse(value).data;
  if (config.transport === 'sdk') {
    if (options.host === undefined) throw new Error('no program runs the agent');
    return new HostTransport(options.host.connect(config.name), readMessage);
  }
  if (config.transport === 'stdio') {
    return new ChildTransport({
      command: config.command,
      args: config.args,
      cwd: options.cwd,
      env: { ...withoutOwnKeys(options.env), ...config.env },
      maxMessageBytes,
      graceMs: options.graceMs,
      readMessage,
    });
  }
  const settings = {
    requestInit: { headers: { ...config.headers } },
    fetch: boundFetch(makeFetch(options.env), maxMessageBytes),
  };
  const url = new URL(config.url);
  if (config.transport === 'http') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    // Its `sessionId` may be undefined, which the interface of the same package does not allow.
    return new StreamableHTTPClientTransport(url, settings) as Transport;
  }
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  return new SSEClientTransport(url, settings);
}

async function endSession(transport: Transport): Promise<void> {
  if ('terminateSession' in transport && typeof transport.terminateSession === 'function')
    await transport.terminateSession();
}

/** Whether the server cannot have started the work, so that the call may be repeated. */
function hasNotArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message === 'the server has ended' || error.message === 'Not connected') return true;
  const code = 'code' in error ? error.code : undefined;
  if (code === 404 || code === 400 || /\(HTTP 40[04]\)/.test(error.message)) return true;
  const cause = error.cause;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

function describeProgress(update: {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}): string {
  const count = update.total === undefined ? `${update.progress}` : `${update.progress} of ${update.total}`;
  return (update.message === undefined ? count : `${update.message} (${count})`).slice(0, 200).toWellFormed();
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Later results are ignored.
    work.catch(() => undefined);
  }
}

function boundFetch(fetch: Fetch, maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const bounded = new Response(response.body.pipeThrough(countBytes(maxBytes, isStream)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
    // The SDK compares the URL with the requested one to detect redirects.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

function countBytes(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      bytes = lineEnd < 0 ? bytes + chunk.length : chunk.length - lineEnd;
      if (bytes > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
