// The web server in the process of a test, over a library that the test writes; with a client that has its token, a way
// to send raw requests, and a listener for its events.
import { mkdirSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Client, makeClient, readJson } from '../../src/web/client/client.ts';
import { type RunningServer, type ServerSetup, startServer } from '../../src/web/server/http/server.ts';
import type { Events } from '../../src/web/wire/wire.ts';
import { afterTest } from './after-test.ts';
import { dist } from './dist.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';
import { waitFor } from './wait.ts';

export interface WebServer {
  readonly root: string;
  readonly state: string;
  /** `http://127.0.0.1:…`, without a token. */
  readonly base: string;
  /** With its token. */
  readonly url: string;
  readonly token: string;
  readonly client: Client;
  readonly server: RunningServer;
  /** The internal errors it reported. */
  readonly faults: readonly string[];
  /** A request exactly as given. */
  send(options: RawRequest): Promise<RawAnswer>;
  listen(address: string): Listening;
  /** Once everything is indexed. */
  isCurrent(): Promise<void>;
}

export interface RawRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Without the token, if `false`. */
  readonly knowsToken?: boolean;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Listening {
  readonly events: readonly Heard[];
  /** The first event of this name that passes, past or future. */
  next<Name extends keyof Events>(name: Name, passes?: (value: Events[Name]) => boolean): Promise<Events[Name]>;
  stop(): void;
}

export interface Heard {
  readonly name: string;
  readonly value: unknown;
  readonly at: number;
}

/** `files` are written below the library's `projects` folder, by their path. */
export async function openWebServer(
  context: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<ServerSetup> = {},
): Promise<WebServer> {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'library');
  const state = path.join(folder, 'state');
  mkdirSync(path.join(root, 'projects'), { recursive: true });
  writeTree(path.join(root, 'projects'), files);
  const faults: string[] = [];
  const server = await startServer({
    roots: [root],
    state,
    isDemo: false,
    allowsChanges: false,
    port: 0,
    pageFolder: path.join(dist, 'page'),
    env: { ...process.env, CLEW_HOME: state },
    onNotice: () => {},
    onFault: (message) => faults.push(message),
    ...options,
  });
  afterTest(context, () => server.close());
  const base = `http://127.0.0.1:${server.port}`;
  const token = tokenOf(server.url);
  const client = makeClient({ base, token, headers: { origin: base } });
  return {
    root,
    state,
    base,
    url: server.url,
    token,
    client,
    server,
    faults,
    send: (raw) => sendRaw(server.port, token, raw),
    listen: (address) => listenTo(context, server.port, token, address),
    isCurrent: async () => {
      for (;;) {
        const { index } = await readJson(client.status.$get());
        if (index.phase === 'current') return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** The token of an address that `clew open` printed. */
export function tokenOf(url: string): string {
  return new URL(url).hash.replace(/^#token=/, '');
}

function sendRaw(port: number, token: string, raw: RawRequest): Promise<RawAnswer> {
  const { path: address, method = 'GET', headers = {}, body, knowsToken = true } = raw;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path: address,
        method,
        headers: { ...(knowsToken ? { 'x-clew-token': token } : {}), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks).toString('utf8') });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export function listenTo(context: TestContext, port: number, token: string, address: string): Listening {
  const events: Heard[] = [];
  let rest = '';
  const sent = request({ host: '127.0.0.1', port, path: address, headers: { 'x-clew-token': token } }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const name = /^event: (.*)$/m.exec(part)?.[1];
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (name !== undefined && data !== undefined)
          events.push({ name, value: JSON.parse(data), at: performance.now() });
      }
    });
    response.on('error', () => {});
  });
  sent.on('error', () => {});
  sent.end();
  context.after(() => sent.destroy());
  return {
    events,
    next: async <Name extends keyof Events>(name: Name, passes: (value: Events[Name]) => boolean = () => true) => {
      const found = await waitFor(
        () => events.find((each) => each.name === name && passes(each.value as Events[Name])), // sent under this name
        () => `${name} among ${events.map((each) => each.name).join(', ')}`,
      );
      return found.value as Events[Name]; // sent under this name
    },
    stop: () => sent.destroy(),
  };
}
