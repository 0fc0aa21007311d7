// Roots → a server on 127.0.0.1 that shows them, until it is closed: the list in memory, workers that index, read and
// diagnose, one watcher for all pages, and the one door that every request comes through.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { systemErrorCode, UserError } from '../../base/errors.ts';
import { makeSecret } from '../../base/local-guard.ts';
import { growSlowly } from '../../base/memory.ts';
import { version } from '../../base/version.ts';
import { runningClients } from '../../library/running-clients.ts';
import { placeOf } from '../../library/transcript-files.ts';
import { projectsFolders } from '../../store/roots.ts';
import { eventsPath } from '../api.ts';
import type { IndexState, SessionRow, Status } from '../wire.ts';
import { Assets } from './assets.ts';
import { untilCalm } from './calm.ts';
import { EventHub } from './event-hub.ts';
import { hasToken, judgeRequest, type RequestHead } from './guard.ts';
import { ChangeNotifier } from './news-desk.ts';
import { answerRefusal, refuse } from './refused.ts';
import { SessionList } from './roster.ts';
import { makeFileRoutes, makeRoutes } from './routes.ts';
import type { RunningServer, ServerSetup } from './server-setup.ts';
import { Thread, type ThreadOptions } from './thread.ts';
import type { Role, WorkerEvents } from './worker-methods.ts';

const tickMs = 5_000;
const maxNotices = 20;
/** From the page's code to its first question: for so long it is taken to be on its way. */
const pageMs = 600;

export async function startServer(setup: ServerSetup): Promise<RunningServer> {
  growSlowly();
  const running = new LibraryServer(setup);
  await running.listen();
  return running;
}

class LibraryServer implements RunningServer {
  readonly #setup: ServerSetup;
  readonly #sessions = new SessionList();
  readonly #threads: { readonly [R in Role]: Thread<R> };
  readonly #hub: EventHub;
  readonly #notifier: ChangeNotifier;
  readonly #server: Server;
  readonly #token = makeSecret();
  readonly #notices: string[] = [];
  readonly #routes: ReturnType<typeof getRequestListener>;
  /** The page's own files, and nothing else: for who has no token. */
  readonly #files: ReturnType<typeof getRequestListener>;
  #index: IndexState = { phase: 'rows', bytesDone: 0, bytesTotal: 0, sessions: 0, generation: 0 };
  #haveNewest: () => void = () => {};
  readonly #hasNewest = new Promise<void>((resolve) => {
    this.#haveNewest = resolve;
  });
  #becomeReady: () => void = () => {};
  readonly #isReady = new Promise<void>((resolve) => {
    this.#becomeReady = resolve;
  });
  #isCalm: Promise<void> | undefined;
  readonly #stopped = new AbortController();
  #ticker: NodeJS.Timeout | undefined;
  /** When a page, or code of one, was last asked for. */
  #enteredAt = Number.NEGATIVE_INFINITY;

  constructor(setup: ServerSetup) {
    this.#setup = setup;
    this.#threads = {
      index: this.#threadOf('index', {
        task: 'changed',
        on: {
          rows: (rows) => this.#takeRows(rows),
          state: (state) => {
            this.#index = state;
            this.#notifier.stateChanged(state);
          },
          notice: (message) => this.#notice(message),
        },
      }),
      reader: this.#threadOf('reader', { on: {} }),
      doctor: this.#threadOf('doctor', {
        on: {
          doctor: (progress) => this.#notifier.doctorChanged(progress),
          judged: (judged) => this.#judge(judged),
          notice: (message) => this.#notice(message),
        },
      }),
      watch: this.#threadOf('watch', {
        task: 'watch',
        on: {
          changed: (paths) => this.#changed(paths),
          watching: () => {
            // Finds what changed between the first scan and now.
            this.#threads.index.send('changed', {});
            this.#notifier.lookAtAll();
          },
          notice: (message) => this.#notice(message),
        },
      }),
    };
    this.#hub = new EventHub(() => this.#status());
    this.#notifier = new ChangeNotifier(this.#hub, this.#sessions, this.#threads.reader);
    const assets = new Assets(setup.pageFolder);
    const app = makeRoutes({
      sessions: this.#sessions,
      reader: this.#threads.reader,
      doctor: this.#threads.doctor,
      allowsChanges: setup.allowsChanges,
      status: () => this.#status(),
      hasNewest: this.#hasNewest,
      isReady: this.#isReady,
      onFault: setup.onFault,
    });
    const files = makeFileRoutes(assets, setup.onFault);
    this.#routes = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    this.#files = getRequestListener(files.fetch, { overrideGlobalObjects: false });
    this.#server = createServer({ maxHeaderSize: 16_384, requestTimeout: 30_000, headersTimeout: 10_000 });
    this.#server.on('request', (request, response) => this.#receive(request, response));
    this.#server.on('clientError', (error, socket) => {
      const status = systemErrorCode(error) === 'HPE_HEADER_OVERFLOW' ? '431 Too Large' : '400 Bad Request';
      if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on a port, not on a pipe
  }

  get url(): string {
    return this.#addressOf('/');
  }

  async urlOf(path: string): Promise<string | undefined> {
    await this.#isReady;
    const key = this.#sessions.keyOf(path);
    return key === undefined ? undefined : this.#addressOf(`/s/${encodeURIComponent(key)}`);
  }

  listeners(): number {
    return this.#hub.size;
  }

  behind(): number {
    return this.#hub.behind;
  }

  async listen(): Promise<void> {
    const { port } = this.#setup;
    // Its rows are what the first page waits for.
    this.#threads.index.begin();
    try {
      this.#server.listen({ port, host: '127.0.0.1' });
      await once(this.#server, 'listening');
    } catch (error) {
      await this.#threads.index.close();
      if (systemErrorCode(error) === 'EADDRINUSE')
        throw new UserError(`port ${port} is in use`, 'choose another one, or leave out --port');
      if (systemErrorCode(error) === 'EACCES')
        throw new UserError(`no permission to bind port ${port}`, 'try `--port 8080`');
      throw error;
    }
    this.#tick();
    this.#ticker = setInterval(() => this.#tick(), tickMs);
  }

  /** The rest of the library is read, and watched, once nobody waits for a page; also by an index that is begun anew. */
  async #proceed(): Promise<void> {
    this.#isCalm ??= this.#awaitCalm();
    await this.#isCalm;
    this.#threads.index.send('proceed', {});
  }

  async #awaitCalm(): Promise<void> {
    const isBusy = (): boolean => this.#threads.reader.isBusy || this.#enteredAt > performance.now() - pageMs;
    const { signal } = this.#stopped;
    await untilCalm(isBusy, { signal });
    // It looks at all files too; `watching` makes up for what changes until then.
    if (!signal.aborted) this.#threads.watch.begin();
  }

  async close(): Promise<void> {
    clearInterval(this.#ticker);
    this.#stopped.abort();
    this.#notifier.close();
    this.#hub.close();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([closed, ...Object.values(this.#threads).map((thread) => thread.close())]);
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const head: RequestHead = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
    const refused = judgeRequest(head, { port: this.port, token: this.#token });
    if (refused === undefined) this.#foresee(head.url);
    if (refused !== undefined) refuse(request, response, refused);
    else if (!head.url.startsWith('/api/') || !hasToken(head, this.#token)) void this.#files(request, response);
    else if (head.url.split('?', 1)[0] === eventsPath) this.#listenTo(request, response);
    else void this.#routes(request, response);
  }

  /** The page of a session asks for it once its code has run: until then it can be read. */
  #foresee(url: string): void {
    if (!url.startsWith('/api/')) this.#enteredAt = performance.now();
    const named = /^\/s\/([^/?]+)(\?.*)?$/.exec(url);
    if (named === null) return;
    const prepare = async (): Promise<void> => {
      await this.#isReady;
      const path = this.#sessions.pathOf(decodeURIComponent(named[1] ?? ''));
      this.#threads.reader.send('prepare', { path });
    };
    this.#threads.reader.start();
    prepare().catch(() => {}); // there is no such session: the page will be told when it asks
  }

  #listenTo(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '' } = request;
    const words = new URLSearchParams(url.split('?', 2)[1] ?? '');
    const keys = new Set(words.getAll('watch').slice(0, maxWatched));
    const wantsLive = words.get('live') === '1';
    if (method !== 'GET' || this.#hub.isFull) {
      const error = this.#hub.isFull ? 'too many pages are open' : 'events are read with GET';
      answerRefusal(request, response, { status: this.#hub.isFull ? 503 : 405, error, next: '' });
      return;
    }
    this.#hub.add(response, { keys, wantsLive });
    this.#isReady.then(() => this.#notifier.listen(keys, wantsLive)).catch(() => {}); // a key that is gone is heard of no more
  }

  #changed(paths: readonly string[]): void {
    this.#threads.index.send('changed', { files: paths });
    const folders = projectsFolders(this.#setup.roots);
    for (const path of paths) {
      const place = placeOf(path, folders);
      if (place !== undefined) this.#notifier.transcriptChanged(place);
    }
  }

  #tick(): void {
    this.#tellRows(this.#sessions.tick(runningClients(this.#setup.roots)));
  }

  #threadOf<R extends Role>(role: R, options: Pick<ThreadOptions<R>, 'on' | 'task'>): Thread<R> {
    const { roots, state, isDemo, env, onFault } = this.#setup;
    return new Thread({ role, roots, state, isDemo }, { env, onFault, ...options });
  }

  #takeRows({ changed, gone, total }: WorkerEvents['index']['rows']): void {
    this.#notifier.rowsChanged(this.#sessions.take(changed, gone, total));
    this.#haveNewest();
    if (total !== null) return;
    this.#becomeReady();
    void this.#proceed();
  }

  #tellRows(changed: readonly SessionRow[]): void {
    this.#notifier.rowsChanged({ changed, gone: [], isMany: false });
  }

  #judge({ path, severity }: WorkerEvents['doctor']['judged']): void {
    this.#sessions.judge(path, severity);
    const row = this.#sessions.rowOf(path);
    this.#tellRows(row === undefined ? [] : [row]);
  }

  #notice(message: string): void {
    if (this.#notices.includes(message)) return;
    this.#notices.push(message);
    if (this.#notices.length > maxNotices) this.#notices.shift();
    this.#setup.onNotice(message);
  }

  #status(): Status {
    const { isDemo, allowsChanges, roots } = this.#setup;
    return {
      version,
      isDemo,
      allowsChanges,
      roots,
      index: this.#index,
      notices: this.#notices,
    };
  }

  #addressOf(path: string): string {
    return `http://127.0.0.1:${this.port}${path}#token=${this.#token}`;
  }
}

const maxWatched = 20;
