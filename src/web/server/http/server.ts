// The page's server on 127.0.0.1: it owns the session list and the workers, and every request passes its guard.

import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { systemErrorCode, UserError } from '../../../base/errors/index.ts';
import { readInode } from '../../../base/files/index.ts';
import { growSlowly, makeSecret } from '../../../base/process/index.ts';
import { version } from '../../../base/version/index.ts';
import { runningClients } from '../../../library/session-files/index.ts';
import { readStars } from '../../../library/stars/index.ts';
import { projectsFolders, transcriptPlace } from '../../../store/index.ts';
import type { StoreChoice } from '../../../team/source/index.ts';
import { eventsPath, type IndexState, type SessionRow, type Status, type StoreStatus } from '../../wire/index.ts';
import { newArchivedFolder, removeAbandoned } from '../archived/index.ts';
import { Refusal } from '../protocol/index.ts';
import { type Role, Thread, type ThreadOptions, type WorkerEvents } from '../workers/index.ts';
import { Assets } from './assets.ts';
import { ChangeNotifier, EventHub } from './change-notifier.ts';
import { answerRefusal, hasToken, judgeRequest, type RequestHead, refuse } from './guard.ts';
import { untilIdle } from './idle.ts';
import { makeFileRoutes, makeRoutes } from './routes.ts';
import { SessionList } from './session-list.ts';

const runningMs = 5_000;
const maxNotices = 20;
/** A page that was requested this recently may not have asked its first question yet. */
const pageMs = 600;

export async function startServer(setup: ServerSetup): Promise<RunningServer> {
  growSlowly();
  const running = new LibraryServer(setup);
  await running.listen();
  return running;
}

class LibraryServer implements RunningServer {
  readonly #setup: ServerSetup;
  readonly #sessions: SessionList;
  readonly #threads: { readonly [R in Role]: Thread<R> };
  readonly #hub: EventHub;
  readonly #notifier: ChangeNotifier;
  readonly #server: Server;
  readonly #token = makeSecret();
  readonly #notices: string[] = [];
  readonly #routes: ReturnType<typeof getRequestListener>;
  /** Only the page's own files, for requests without a token. */
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
  #isIdle: Promise<void> | undefined;
  readonly #archivedFolder: string;
  /** The last reading of the archive. */
  #archiveRead: Promise<void> | undefined;
  /** Of the packs, when they were last read. */
  #archiveState = '';
  /** The user has confirmed in the page that it may change sessions. */
  #isConfirmed = false;
  readonly #stopped = new AbortController();
  #runningTimer: NodeJS.Timeout | undefined;
  /** When a page or its code was last requested. */
  #pageAskedAt = Number.NEGATIVE_INFINITY;

  constructor(setup: ServerSetup) {
    this.#setup = setup;
    this.#sessions = new SessionList({ isStored: setup.store !== undefined });
    this.#archivedFolder = newArchivedFolder(setup.state);
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
          archived: (row) => this.#sessions.setArchived(row),
          judged: (judged) => this.#setSeverity(judged),
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
            this.#notifier.checkAll();
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
      exportFolder: path.join(setup.pageFolder, '..', 'standalone'),
      status: () => this.#status(),
      confirmChanges: () => {
        this.#isConfirmed = true;
      },
      changed: (from, to) => {
        this.#notifier.rowsChanged(this.#sessions.written(from, to, existsSync));
        this.#updateStars();
        void this.#updateArchive();
      },
      hasArchive: () => (setup.store === undefined ? this.#updateArchive() : Promise.resolve()),
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
    return (this.#server.address() as AddressInfo).port; // it listens on a port
  }

  get url(): string {
    return this.#addressOf('/');
  }

  async urlOf(path: string): Promise<string | undefined> {
    await this.#isReady;
    const key = this.#sessions.keyOf(path);
    return key === undefined ? undefined : this.#addressOf(`/s/${encodeURIComponent(key)}`);
  }

  async urlOfId(id: string): Promise<string | undefined> {
    await this.#isReady;
    try {
      const key = this.#sessions.keyOf(this.#sessions.pathOf(id));
      return key === undefined ? undefined : this.#addressOf(`/s/${encodeURIComponent(key)}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 404) return undefined;
      throw new UserError(error.message, 'give more of the id');
    }
  }

  async listen(): Promise<void> {
    const { port } = this.#setup;
    // The first page waits for its rows.
    this.#threads.index.begin();
    try {
      this.#server.listen({ port, host: '127.0.0.1' });
      await once(this.#server, 'listening');
    } catch (error) {
      await this.#threads.index.close();
      if (systemErrorCode(error) === 'EADDRINUSE')
        throw new UserError(`port ${port} is in use`, 'choose another port, or omit --port');
      if (systemErrorCode(error) === 'EACCES')
        throw new UserError(`no permission to bind port ${port}`, 'try `--port 8080`');
      throw error;
    }
    this.#lookAround();
    this.#runningTimer = setInterval(() => {
      this.#lookAround();
      if (this.#archiveRead !== undefined) void this.#updateArchive();
    }, runningMs);
  }

  /** What changes without a file of a session: stars and running clients, or the sessions of a store while a page is open. */
  #lookAround(): void {
    if (this.#setup.store === undefined) {
      this.#updateRunning();
      this.#updateStars();
    } else if (this.#hub.size > 0) this.#threads.index.send('changed', {});
  }

  /** Reads and watches the rest of the library once no page is loading; also after the index worker restarted. */
  async #proceed(): Promise<void> {
    this.#isIdle ??= this.#awaitIdle();
    await this.#isIdle;
    this.#threads.index.send('proceed', {});
  }

  async #awaitIdle(): Promise<void> {
    const isBusy = (): boolean => this.#threads.reader.isBusy || this.#pageAskedAt > performance.now() - pageMs;
    const { signal } = this.#stopped;
    await untilIdle(isBusy, { signal });
    if (signal.aborted) return;
    removeAbandoned(this.#setup.state);
    if (this.#setup.store !== undefined) return;
    // The watcher scans all files too; its `watching` event covers what changed before.
    this.#threads.watch.begin();
    void this.#updateArchive();
  }

  async close(): Promise<void> {
    clearInterval(this.#runningTimer);
    this.#stopped.abort();
    this.#notifier.close();
    this.#hub.close();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([closed, ...Object.values(this.#threads).map((thread) => thread.close())]);
    // If Clew's own folder is a file, there is nothing to remove, and `force` does not help.
    if (existsSync(this.#archivedFolder)) rmSync(this.#archivedFolder, { recursive: true, force: true });
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const head: RequestHead = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
    const refused = judgeRequest(head, { port: this.port, token: this.#token });
    if (refused === undefined) this.#prepare(head.url);
    if (refused !== undefined) refuse(request, response, refused);
    else if (!head.url.startsWith('/api/') || !hasToken(head, this.#token)) void this.#files(request, response);
    else if (head.url.split('?', 1)[0] === eventsPath) this.#listenTo(request, response);
    else void this.#routes(request, response);
  }

  /** Starts reading a session while its page is still loading. */
  #prepare(url: string): void {
    if (!url.startsWith('/api/')) this.#pageAskedAt = performance.now();
    // Any site may open the address of a page, which has no token yet: that must not read the text of someone else.
    if (this.#setup.store !== undefined) return;
    const named = /^\/s\/([^/?]+)(\?.*)?$/.exec(url);
    if (named === null) return;
    const prepareReader = async (): Promise<void> => {
      await this.#isReady;
      const path = this.#sessions.pathOf(decodeURIComponent(named[1] ?? ''));
      this.#threads.reader.send('prepare', { path });
    };
    this.#threads.reader.start();
    prepareReader().catch(() => {}); // an unknown session: the page gets the error when it asks
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
    const listener = this.#hub.add(response, { keys, wantsLive });
    this.#lookAround();
    this.#isReady.then(() => this.#notifier.listen(listener)).catch(() => {}); // the session no longer exists
  }

  #changed(paths: readonly string[]): void {
    this.#threads.index.send('changed', { files: paths });
    const folders = projectsFolders(this.#setup.roots);
    for (const path of paths) {
      const place = transcriptPlace(path, folders);
      if (place !== undefined) this.#notifier.transcriptChanged(place);
    }
  }

  #updateRunning(): void {
    this.#notifyRows(this.#sessions.setRunning(runningClients(this.#setup.roots)));
  }

  /** `clew star` may have changed them. */
  #updateStars(): void {
    try {
      this.#notifyRows(this.#sessions.setStars(readStars(this.#setup.state)));
    } catch (error) {
      this.#notice(error instanceof Error ? error.message : String(error));
    }
  }

  /** Reads the archive again only if a pack, a trace of deleted sessions, or the list of transcripts changed. */
  #updateArchive(): Promise<void> {
    const state = archiveState(this.#setup.state) + traceState(this.#setup.roots);
    if (this.#archiveRead === undefined || state !== this.#archiveState) {
      this.#archiveState = state;
      this.#archiveRead = this.#readArchive();
    }
    return this.#archiveRead;
  }

  async #readArchive(): Promise<void> {
    try {
      const found = await this.#threads.doctor.askValue('archive', {});
      this.#notifier.rowsChanged(this.#sessions.setArchive(found));
    } catch (error) {
      this.#archiveState = '';
      if (!this.#stopped.signal.aborted) this.#notice(error instanceof Error ? error.message : String(error));
    }
  }

  #threadOf<R extends Role>(role: R, options: Pick<ThreadOptions<R>, 'on' | 'task'>): Thread<R> {
    const { roots, state, isDemo, store, env, onFault } = this.#setup;
    return new Thread(
      { role, roots, state, isDemo, store, archivedFolder: this.#archivedFolder },
      { env, onFault, ...options },
    );
  }

  #takeRows({ changed, gone, total }: WorkerEvents['index']['rows']): void {
    this.#notifier.rowsChanged(this.#sessions.take(changed, gone, total));
    this.#haveNewest();
    if (gone.length > 0 && this.#archiveRead !== undefined) {
      // What is left of a removed session may be in traces that did not change.
      this.#archiveState = '';
      void this.#updateArchive();
    }
    if (total !== null) return;
    this.#becomeReady();
    void this.#proceed();
  }

  #notifyRows(changed: readonly SessionRow[]): void {
    this.#notifier.rowsChanged({ changed, gone: [], isMany: false });
  }

  #setSeverity({ path, severity }: WorkerEvents['doctor']['judged']): void {
    this.#sessions.setSeverity(path, severity);
    const row = this.#sessions.rowOf(path);
    this.#notifyRows(row === undefined ? [] : [row]);
  }

  #notice(message: string): void {
    if (this.#notices.includes(message)) return;
    this.#notices.push(message);
    if (this.#notices.length > maxNotices) this.#notices.shift();
    this.#setup.onNotice(message);
  }

  #status(): Status {
    const { isDemo, allowsChanges, roots, store } = this.#setup;
    return {
      version,
      isDemo,
      allowsChanges,
      changes: allowsChanges ? (this.#isConfirmed ? 'allowed' : 'ask') : 'off',
      roots,
      store: store === undefined ? null : storeStatus(store),
      index: this.#index,
      notices: this.#notices,
    };
  }

  #addressOf(path: string): string {
    return `http://127.0.0.1:${this.port}${path}#token=${this.#token}`;
  }
}

/** The user and the password are not for the page. */
function storeStatus({ address, people }: StoreChoice): StoreStatus {
  const url = new URL(address);
  return {
    name: `${url.hostname}${url.pathname}`,
    people: 'name' in people ? `${people.kind} ${people.name}` : people.kind,
    namesPeople: people.kind !== 'me',
  };
}

/** Where the client leaves most of what outlives a transcript; empty if there is nothing. */
function traceState(roots: readonly string[]): string {
  return projectsFolders(roots)
    .flatMap(({ projects }) => ['history.jsonl', 'file-history'].map((name) => path.join(path.dirname(projects), name)))
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats === undefined ? '' : `${readInode(file, stats)} ${stats.size} ${stats.mtimeMs}\n`;
    })
    .join('');
}

/** Empty if there is no archive. */
function archiveState(state: string): string {
  const folder = path.join(state, 'archive');
  try {
    const packs = readdirSync(folder).filter((name) => name.endsWith('.pack'));
    return packs
      .map((name) => {
        const file = path.join(folder, name);
        const stats = statSync(file);
        return `${name} ${readInode(file, stats)} ${stats.size} ${stats.mtimeMs}`;
      })
      .join('\n');
  } catch {
    return '';
  }
}

const maxWatched = 20;

export interface ServerSetup {
  readonly roots: readonly string[];
  /** Clew's own state folder. */
  readonly state: string;
  readonly isDemo: boolean;
  readonly allowsChanges: boolean;
  /** Shows the sessions of a store instead of those below the roots. */
  readonly store?: StoreChoice | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onNotice: (message: string) => void;
  /** Bugs, with their stack. */
  readonly onFault: (message: string) => void;
}

export interface RunningServer {
  readonly port: number;
  /** With the token, which gives access to all data. */
  readonly url: string;
  /** The address of a session's page, with the token; `undefined` for a file that is not a session below the roots. */
  urlOf(path: string): Promise<string | undefined>;
  /** The same of a key, an id or the beginning of an id; throws if several sessions have it. */
  urlOfId(id: string): Promise<string | undefined>;
  close(): Promise<void>;
}
