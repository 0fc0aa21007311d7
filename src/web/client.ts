// A base address and a token → functions that ask the server, one for each route, typed by wire.ts; in the browser and in
// Node.
import { readEvents, type StreamEvent } from './event-stream.ts';
import {
  type Failure,
  type LiveAnswer,
  type ProjectRow,
  type SearchAnswer,
  type SearchQuery,
  type SessionPage,
  type SessionsQuery,
  type Status,
  tokenHeader,
} from './wire.ts';
import type {
  AppliedFix,
  ApplyFix,
  DiagnosisAnswer,
  FixAnswer,
  LibraryDoctorAnswer,
  OperationRow,
} from './wire-health.ts';
import type {
  FindQuery,
  HeadAnswer,
  HeadQuery,
  LineAnswer,
  MarkdownQuery,
  PlaceAnswer,
  SessionPart,
  TurnsAnswer,
  TurnsQuery,
  ValueQuery,
} from './wire-session.ts';
import type { ReceiptsAnswer, ToolsAnswer, TopAnswer, UsageAnswer, UsageQuery } from './wire-usage.ts';

export interface ClientOptions {
  /** `''` in the page: the server it came from. */
  readonly base?: string;
  /** As in the printed address, behind `#token=`. */
  readonly token: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The token was refused: it is of an earlier start. */
  readonly onTokenRefused?: () => void;
}

/** An answer of the server that is no success. */
export class ServerFailure extends Error {
  readonly status: number;
  readonly next: string;

  constructor(status: number, { error, next }: Failure) {
    super(error);
    this.name = 'ServerFailure';
    this.status = status;
    this.next = next;
  }
}

/** What a listener wants to hear of beyond the list and the index. */
export interface Wanted {
  /** Keys of sessions. */
  readonly watch: readonly string[];
  readonly live: boolean;
}

type Query = object | undefined;

/** `SessionHead`, `TurnView` and `FindResult` of export/page, which the page names. */
export class Client<Head = unknown, Turn = unknown, Found = unknown> {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #onTokenRefused: () => void;

  constructor({ base = '', token, headers = {}, onTokenRefused = () => {} }: ClientOptions) {
    this.#base = base;
    this.#headers = { ...headers, [tokenHeader]: token };
    this.#onTokenRefused = onTokenRefused;
  }

  status(signal?: AbortSignal): Promise<Status> {
    return this.#get('/api/status', undefined, signal);
  }

  sessions(query: SessionsQuery = {}, signal?: AbortSignal): Promise<SessionPage> {
    return this.#get('/api/sessions', query, signal);
  }

  projects(signal?: AbortSignal): Promise<readonly ProjectRow[]> {
    return this.#get('/api/projects', undefined, signal);
  }

  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> {
    return this.#get('/api/search', query, signal);
  }

  live(signal?: AbortSignal): Promise<LiveAnswer> {
    return this.#get('/api/live', undefined, signal);
  }

  head(key: string, query: HeadQuery = {}, signal?: AbortSignal): Promise<HeadAnswer<Head>> {
    return this.#get(sessionPath(key), query, signal);
  }

  turns(key: string, query: TurnsQuery = {}, signal?: AbortSignal): Promise<TurnsAnswer<Turn>> {
    return this.#get(sessionPath(key, 'turns'), query, signal);
  }

  place(key: string, line: number, part: SessionPart = {}, signal?: AbortSignal): Promise<PlaceAnswer> {
    return this.#get(sessionPath(key, 'place'), { line, ...part }, signal);
  }

  line(key: string, line: number, part: SessionPart = {}, signal?: AbortSignal): Promise<LineAnswer> {
    return this.#get(sessionPath(key, `lines/${line}`), part, signal);
  }

  /** The whole of a text that a view has cut. */
  async text(key: string, query: ValueQuery, signal?: AbortSignal): Promise<string> {
    return (await this.#fetch(sessionPath(key, 'text') + queryText(query), signal)).text();
  }

  async image(key: string, query: ValueQuery, signal?: AbortSignal): Promise<Blob> {
    return (await this.#fetch(sessionPath(key, 'image') + queryText(query), signal)).blob();
  }

  find(key: string, query: FindQuery, signal?: AbortSignal): Promise<Found> {
    return this.#get(sessionPath(key, 'find'), query, signal);
  }

  async markdown(key: string, query: MarkdownQuery = {}, signal?: AbortSignal): Promise<string> {
    return (await this.#fetch(sessionPath(key, 'markdown') + queryText(query), signal)).text();
  }

  diagnosis(key: string, signal?: AbortSignal): Promise<DiagnosisAnswer> {
    return this.#get(sessionPath(key, 'doctor'), undefined, signal);
  }

  previewFix(key: string, signal?: AbortSignal): Promise<FixAnswer> {
    return this.#get(sessionPath(key, 'fix'), undefined, signal);
  }

  applyFix(key: string, fix: ApplyFix): Promise<AppliedFix> {
    return this.#post(sessionPath(key, 'fix'), fix);
  }

  operations(signal?: AbortSignal): Promise<readonly OperationRow[]> {
    return this.#get('/api/operations', undefined, signal);
  }

  undo(operation: string): Promise<OperationRow> {
    return this.#post(`/api/operations/${encodeURIComponent(operation)}/undo`, {});
  }

  libraryDoctor(signal?: AbortSignal): Promise<LibraryDoctorAnswer> {
    return this.#get('/api/doctor', undefined, signal);
  }

  /** Looks at every session anew; how far it is comes as events, what it found with `libraryDoctor`. */
  startLibraryDoctor(): Promise<LibraryDoctorAnswer> {
    return this.#post('/api/doctor', {});
  }

  usage(query: UsageQuery = {}, signal?: AbortSignal): Promise<UsageAnswer> {
    return this.#get('/api/usage', query, signal);
  }

  tools(query: UsageQuery = {}, signal?: AbortSignal): Promise<ToolsAnswer> {
    return this.#get('/api/usage/tools', query, signal);
  }

  top(query: UsageQuery = {}, signal?: AbortSignal): Promise<TopAnswer> {
    return this.#get('/api/usage/top', query, signal);
  }

  receipts(query: UsageQuery = {}, signal?: AbortSignal): Promise<ReceiptsAnswer> {
    return this.#get('/api/usage/receipts', query, signal);
  }

  /** Until the stream ends or `signal` ends it; the names and shapes of the events are `Events`. */
  async listen(wanted: Wanted, onEvent: (event: StreamEvent) => void, signal: AbortSignal): Promise<void> {
    const query = [
      ...wanted.watch.map((key) => `watch=${encodeURIComponent(key)}`),
      ...(wanted.live ? ['live=1'] : []),
    ];
    const { body } = await this.#fetch(`/api/events${query.length === 0 ? '' : `?${query.join('&')}`}`, signal);
    if (body !== null) await readEvents(body, onEvent);
  }

  async #get<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
    const response = await this.#fetch(path + queryText(query), signal);
    return (await response.json()) as T; // both sides are checked against wire.ts
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const response = await this.#send(path, { method: 'POST', body: JSON.stringify(body), headers });
    return (await response.json()) as T; // both sides are checked against wire.ts
  }

  #fetch(path: string, signal: AbortSignal | undefined): Promise<Response> {
    return this.#send(path, signal === undefined ? {} : { signal });
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...this.#headers, ...(init.headers as Record<string, string> | undefined) }; // given above
    const response = await fetch(this.#base + path, { ...init, headers });
    if (response.status === 401) this.#onTokenRefused();
    if (!response.ok) throw new ServerFailure(response.status, await failureOf(response));
    return response;
  }
}

function sessionPath(key: string, rest?: string): string {
  return `/api/sessions/${encodeURIComponent(key)}${rest === undefined ? '' : `/${rest}`}`;
}

function queryText(query: Query): string {
  const pairs = Object.entries(query ?? {})
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `${name}=${encodeURIComponent(value === true ? '1' : String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

async function failureOf(response: Response): Promise<Failure> {
  try {
    return (await response.json()) as Failure; // what every refusal of the server holds
  } catch {
    return { error: `the server answered ${response.status}`, next: '' };
  }
}
