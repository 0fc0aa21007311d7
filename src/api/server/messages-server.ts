// An HTTP server for the Messages API: reads requests, checks them as the API does, and answers with the result of the
// given function. A bad request gets the API's own error and never stops the server.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import { knownModels } from '../../models/index.ts';
import { viewRequest } from '../request/index.ts';
import { estimateTokens } from '../rules/index.ts';
import {
  judgeBody,
  judgeKey,
  judgeRequest,
  judgeSender,
  methodNotAllowed,
  notFound,
  readRequestBody,
} from './judge.ts';
import { sendError, sendJson, sendStep } from './reply.ts';
import {
  chooseStep,
  RequestLog,
  type Script,
  type ScriptedError,
  type ScriptStep,
  type ServedRequest,
} from './script.ts';
import { type AccountKind, judgeThinking, signReply } from './thinking-check.ts';

/** Options of both servers. */
export interface ServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Requests without this key are refused. If not set, keys are not checked. */
  readonly apiKey?: string;
  /** Whether a request that breaks a rule of the API is refused with the API's error. */
  readonly rules?: 'enforce' | 'ignore';
  /** The account for which thinking is signed and checked. Default: `unchecked`. */
  readonly account?: AccountKind;
  /** The organization of that account. Default: `org-1`. */
  readonly organization?: string;
  /** Called with every request, before it is answered. */
  readonly onRequest?: (request: ServedRequest) => void;
}

/** A running server for the Messages API. */
export interface MessagesServer {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  readonly port: number;
  /** All requests in order; old bodies are dropped. */
  readonly requests: readonly ServedRequest[];
  /** Closes all connections, also hanging ones. */
  close(): Promise<void>;
}

/** Answers a request for a message that has passed the rules. */
export type AnswerRequest = (request: ServedRequest, body: JsonObject) => ScriptStep | Promise<ScriptStep>;

export async function startMessagesServer(answer: AnswerRequest, options: ServerOptions): Promise<MessagesServer> {
  const { port = 0, host = '127.0.0.1' } = options;
  const log = new RequestLog();
  const closing = new AbortController();
  const server = createServer((incoming, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    // A client that leaves breaks its own connection; any other error is reported if that is still possible.
    new Exchange(response, answer, options, log, signal).serve(incoming).catch((error: unknown) => {
      if (response.headersSent || signal.aborted) response.destroy();
      else sendError(response, { status: 500, type: 'api_error', message: String(error) });
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await listen(server, port, host);
  const address = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    requests: log.requests,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const why = listenProblems[code] ?? `cannot be used (${code})`;
    throw new UserError(`port ${port} of ${host} ${why}`, 'choose another port, or leave it out for a free one');
  }
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'needs permission',
  EADDRNOTAVAIL: 'is not on this machine',
  ENOTFOUND: 'is unknown',
  ERR_SOCKET_BAD_PORT: 'is not a valid port',
};

const messagesPath = '/v1/messages';
const countPath = '/v1/messages/count_tokens';
const modelsPath = '/v1/models';
/** A client checks the connection before it sends its key. */
const helloPaths = ['/', '/api/hello'];
const loopbackHosts = ['127.0.0.1', 'localhost', '::1'];

/** One request and its response. */
class Exchange {
  readonly #response: ServerResponse;
  readonly #answer: AnswerRequest;
  readonly #options: ServerOptions;
  readonly #log: RequestLog;
  readonly #signal: AbortSignal;

  constructor(
    response: ServerResponse,
    answer: AnswerRequest,
    options: ServerOptions,
    log: RequestLog,
    signal: AbortSignal,
  ) {
    this.#response = response;
    this.#answer = answer;
    this.#options = options;
    this.#log = log;
    this.#signal = signal;
  }

  async serve(incoming: IncomingMessage): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const path = url.split('?')[0] ?? '';
    const refused = this.#judgeCaller(incoming, path);
    if (refused !== undefined) {
      incoming.resume(); // not stored
      return sendError(this.#response, refused);
    }
    const read = await readRequestBody(incoming);
    const bytes = 'bytes' in read ? read.bytes : Buffer.alloc(0);
    const body = parseJson(bytes.toString('utf8'));
    const request = this.#log.add({ method, path, headers, body, bodyBytes: bytes.length });
    this.#options.onRequest?.(request);
    if (helloPaths.includes(path)) sendJson(this.#response, 200, { message: 'hello' });
    else if (path === messagesPath || path === countPath) await this.#servePost(request, judgeBody(read, body), body);
    else this.#serveGet(request);
  }

  /** A request that is not allowed is neither read nor logged. */
  #judgeCaller({ headers, socket }: IncomingMessage, path: string): ScriptedError | undefined {
    const { host = '127.0.0.1', apiKey } = this.#options;
    // A server that listens to other machines may have host names that are unknown here.
    const stranger = loopbackHosts.includes(host) ? judgeSender(headers, socket.localPort ?? 0) : undefined;
    return stranger ?? (helloPaths.includes(path) ? undefined : judgeKey(headers, apiKey));
  }

  async #servePost(
    request: ServedRequest,
    problem: ScriptedError | undefined,
    body: JsonValue | undefined,
  ): Promise<void> {
    if (request.method !== 'POST') return sendError(this.#response, methodNotAllowed);
    if (problem !== undefined || !isObject(body)) return sendError(this.#response, problem ?? notFound);
    const isCount = request.path === countPath;
    const wrong = judgeRequest(body, isCount, this.#options.rules !== 'ignore');
    if (wrong !== undefined) return sendError(this.#response, wrong);
    const { account: kind = 'unchecked', organization = 'org-1' } = this.#options;
    const account = { kind, organization };
    const verdict =
      kind === 'unchecked' ? { transformations: undefined } : judgeThinking(body, request.headers, account);
    if ('error' in verdict) return sendError(this.#response, verdict.error);
    if (isCount) {
      const counted = estimateTokens(viewRequest({ ...body, messages: body.messages }));
      return sendJson(this.#response, 200, { input_tokens: counted });
    }
    const step = await this.#answer(request, body);
    const { transformations } = verdict;
    const signed = kind !== 'unchecked' && 'blocks' in step ? signReply(step, body, account) : step;
    const reply = transformations === undefined ? signed : { inputTransformations: transformations, ...signed };
    await sendStep(this.#response, body, reply, this.#signal);
  }

  #serveGet({ method, path }: ServedRequest): void {
    const found = path === modelsPath || path.startsWith(`${modelsPath}/`) ? modelsAt(path) : undefined;
    if (found === undefined) sendError(this.#response, notFound);
    else if (method !== 'GET') sendError(this.#response, methodNotAllowed);
    else sendJson(this.#response, 200, found);
  }
}

/** The list of models, or the one in the path. */
function modelsAt(path: string): JsonObject | undefined {
  const models = knownModels().map(modelObject);
  const name = path.slice(modelsPath.length + 1);
  if (name !== '') return models.find((model) => model.id === name);
  return { data: models, has_more: false, first_id: models[0]?.id, last_id: models.at(-1)?.id };
}

/** The API returns the epoch if it does not know the date of a model; this server always does. */
function modelObject(id: string): JsonObject {
  const words = id.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return { type: 'model', id, display_name: words.join(' '), created_at: '1970-01-01T00:00:00Z' };
}

/** Options of `startScriptedServer`. */
export interface ScriptedServerOptions extends ServerOptions {
  readonly script: Script;
}

/**
 * Starts a server that answers from a script. A request that breaks a rule of the API is refused and uses no step
 * of the script. Thinking is signed and checked as for a new account.
 */
export async function startScriptedServer({ script, ...options }: ScriptedServerOptions): Promise<MessagesServer> {
  let answered = 0;
  const account = options.rules === 'ignore' ? 'unchecked' : 'enforced';
  return startMessagesServer((request) => chooseStep(script, request, answered++), { account, ...options });
}
