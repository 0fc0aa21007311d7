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
import type { IndexState, SessionRow, Status } from '../wire.ts';
import { Assets } from './assets.ts';
import { untilCalm } from './calm.ts';
import type { DoctorNews } from './doctor-work.ts';
import { EventHub } from './event-hub.ts';
import { hasToken, judgeRequest, type RequestHead } from './guard.ts';
import type { IndexNews } from './index-work.ts';
import { type DoctorProgress, NewsDesk } from './news-desk.ts';
import { answerRefusal, refuse } from './refused.ts';
import { Roster } from './roster.ts';
import { makeFileRoutes, makeRoutes } from './routes.ts';
import type { RunningServer, ServerSetup } from './server-setup.ts';
import { type Role, Thread } from './thread.ts';
import type { WatchNews } from './watch-work.ts';

const tickMs = 5_000;
/** What is done without being asked, and again by the next worker where one died. */
const tasks: Partial<Record<Role, string>> = { index: 'changed', watch: 'watch' };
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
  readonly #roster = new Roster();
  readonly #threads: Readonly<Record<Role, Thread>>;
  readonly #hub: EventHub;
  readonly #news: NewsDesk;
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
      index: this.#thread('index'),
      reader: this.#thread('reader'),
      doctor: this.#thread('doctor'),
      watch: this.#thread('watch'),
    };
    this.#hub = new EventHub(() => this.#status());
    this.#news = new NewsDesk(this.#hub, this.#roster, this.#threads.reader);
    const assets = new Assets(setup.pageFolder);
    const app = makeRoutes({
      roster: this.#roster,
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
    const key = this.#roster.keyOf(path);
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
    this.#threads.index.tell('proceed', {});
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
    this.#news.close();
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
    else if (/^\/api\/events(?:\?|$)/.test(head.url)) this.#listenTo(request, response);
    else void this.#routes(request, response);
  }

  /** The page of a session asks for it once its code has run: until then it can be read. */
  #foresee(url: string): void {
    if (!url.startsWith('/api/')) this.#enteredAt = performance.now();
    const named = /^\/s\/([^/?]+)(\?.*)?$/.exec(url);
    if (named === null) return;
    const prepare = async (): Promise<void> => {
      await this.#isReady;
      const path = this.#roster.pathOf(decodeURIComponent(named[1] ?? ''));
      this.#threads.reader.tell('prepare', { path });
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
    this.#isReady.then(() => this.#news.listen(keys, wantsLive)).catch(() => {}); // a key that is gone is heard of no more
  }

  #changed(paths: readonly string[]): void {
    this.#threads.index.tell('changed', { files: paths });
    const folders = projectsFolders(this.#setup.roots);
    for (const path of paths) {
      const place = placeOf(path, folders);
      if (place !== undefined) this.#news.transcriptChanged(place);
    }
  }

  #tick(): void {
    this.#tellRows(this.#roster.tick(runningClients(this.#setup.roots)));
  }

  #thread(role: Role): Thread {
    const { roots, state, isDemo, env, onFault } = this.#setup;
    const onNews = (name: string, value: unknown): void => this.#hear(name, value);
    const task = tasks[role];
    return new Thread(
      { role, roots, state, isDemo },
      { env, onFault, onNews, ...(task === undefined ? {} : { task }) },
    );
  }

  #hear(name: string, value: unknown): void {
    // Each name has the shape that its worker declares.
    switch (name as keyof IndexNews | keyof DoctorNews | keyof WatchNews) {
      case 'changed':
        this.#changed(value as WatchNews['changed']);
        break;
      case 'watching':
        // What changed since it was read, and before this, is looked for once more.
        this.#threads.index.tell('changed', {});
        this.#news.lookAtAll();
        break;
      case 'rows':
        this.#takeRows(value as IndexNews['rows']);
        break;
      case 'state':
        this.#index = value as IndexState;
        this.#news.stateChanged(this.#index);
        break;
      case 'judged':
        this.#judge(value as DoctorNews['judged']);
        break;
      case 'doctor':
        this.#news.doctorChanged(value as DoctorProgress);
        break;
      case 'notice':
        this.#notice(String(value));
        break;
    }
  }

  #takeRows({ changed, gone, total }: IndexNews['rows']): void {
    this.#news.rowsChanged(this.#roster.take(changed, gone, total));
    this.#haveNewest();
    if (total !== null) return;
    this.#becomeReady();
    void this.#proceed();
  }

  #tellRows(changed: readonly SessionRow[]): void {
    this.#news.rowsChanged({ changed, gone: [], isMany: false });
  }

  #judge({ path, severity }: DoctorNews['judged']): void {
    this.#roster.judge(path, severity);
    const row = this.#roster.rowOf(path);
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
