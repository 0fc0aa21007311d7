// The HTTP API of the page's server as one type: path → method → input and output. The client (`hc`) and the server's
// handlers are both checked against it, so a route that is renamed on one side does not compile on the other.
import type { Hono } from 'hono';
import type { FindResult, SessionHead, TextSlice, TurnView } from '../../export/wire/index.ts';
import type {
  ActionDone,
  ActionOptions,
  ActionPreview,
  ActionRequest,
  BulkDone,
  BulkPreview,
  BulkQuestion,
  BulkRequest,
  ExportFormat,
} from './actions.ts';
import type { ContextAnswer, ContextQuery } from './context.ts';
import type { AppliedFix, ApplyFix, DiagnosisAnswer, FixAnswer, LibraryDoctorAnswer, OperationRow } from './health.ts';
import type { PeopleAnswer, PeopleQuery } from './people.ts';
import type { SessionPresence } from './presence.ts';
import type { SearchAnswer, SearchQuery } from './search.ts';
import type {
  FindQuery,
  HeadAnswer,
  HeadQuery,
  LineAnswer,
  MarkdownQuery,
  PlaceAnswer,
  SessionPart,
  SliceQuery,
  TurnsAnswer,
  TurnsQuery,
  ValueQuery,
} from './session.ts';
import type { EditsAnswer, EditsQuery, SideAnswer, SideQuery } from './side.ts';
import type {
  CacheAnswer,
  ReceiptsAnswer,
  SpendingAnswer,
  ToolsAnswer,
  TopAnswer,
  UsageAnswer,
  UsageQuery,
} from './usage.ts';
import type { LiveAnswer, ProjectRow, SessionPage, SessionsQuery, Status } from './wire.ts';

/** Server-sent events: `EventsQuery` in, `Events` of wire.ts out. The only route that is not answered by Hono. */
export const eventsPath = '/api/events';

export interface EventsQuery {
  /** Keys of sessions. */
  readonly watch: readonly string[];
  /** `1`: the lines of all live sessions. */
  readonly live?: '1';
}

/** A type alias, not an interface: `hc` needs its implicit index signature. */
type Endpoint<Input, Output, Format extends 'json' | 'text' | 'body' = 'json'> = {
  readonly input: Input;
  readonly output: Output;
  readonly outputFormat: Format;
  readonly status: 200;
};

/** A `SessionRow.key`, encoded for a path. */
interface Key {
  readonly param: { readonly key: string };
}
/** A `SessionRow.key` and an `ActionName`. */
interface KeyAndAction {
  readonly param: { readonly key: string; readonly action: string };
}
interface OnlyAction {
  readonly param: { readonly action: string };
}
/** The page sends no body, but a change must be JSON (guard.ts). */
interface NoBody {
  readonly json: Readonly<Record<string, never>>;
}
type Nothing = Readonly<Record<never, never>>;

export type ApiSchema = {
  '/api/status': { $get: Endpoint<Nothing, Status> };
  [eventsPath]: { $get: Endpoint<{ readonly query: EventsQuery }, ReadableStream, 'body'> };
  '/api/sessions': { $get: Endpoint<{ readonly query?: SessionsQuery }, SessionPage> };
  '/api/projects': { $get: Endpoint<Nothing, readonly ProjectRow[]> };
  '/api/search': { $get: Endpoint<{ readonly query: SearchQuery }, SearchAnswer> };
  '/api/live': { $get: Endpoint<Nothing, LiveAnswer> };
  '/api/usage': { $get: Endpoint<{ readonly query?: UsageQuery }, UsageAnswer> };
  '/api/usage/tools': { $get: Endpoint<{ readonly query?: UsageQuery }, ToolsAnswer> };
  '/api/usage/spending': { $get: Endpoint<{ readonly query?: UsageQuery }, SpendingAnswer> };
  '/api/usage/cache': { $get: Endpoint<{ readonly query?: UsageQuery }, CacheAnswer> };
  '/api/usage/top': { $get: Endpoint<{ readonly query?: UsageQuery }, TopAnswer> };
  '/api/usage/receipts': { $get: Endpoint<{ readonly query?: UsageQuery }, ReceiptsAnswer> };
  /** Of a store. */
  '/api/people': { $get: Endpoint<{ readonly query?: PeopleQuery }, PeopleAnswer> };
  '/api/doctor': {
    $get: Endpoint<Nothing, LibraryDoctorAnswer>;
    /** Examines every session again; progress arrives as events. */
    $post: Endpoint<NoBody, LibraryDoctorAnswer>;
  };
  /** The user confirms that this page may change sessions; needs `--allow-changes`. */
  '/api/changes': { $post: Endpoint<NoBody, Status> };
  '/api/actions/:action/preview': { $post: Endpoint<OnlyAction & { readonly json: BulkQuestion }, BulkPreview> };
  '/api/actions/:action': { $post: Endpoint<OnlyAction & { readonly json: BulkRequest }, BulkDone> };
  '/api/operations': { $get: Endpoint<Nothing, readonly OperationRow[]> };
  '/api/operations/:id/undo': {
    $post: Endpoint<NoBody & { readonly param: { readonly id: string } }, OperationRow>;
  };
  '/api/sessions/:key': { $get: Endpoint<Key & { readonly query?: HeadQuery }, HeadAnswer<SessionHead>> };
  '/api/sessions/:key/presence': { $get: Endpoint<Key, SessionPresence> };
  '/api/sessions/:key/turns': { $get: Endpoint<Key & { readonly query?: TurnsQuery }, TurnsAnswer<TurnView>> };
  '/api/sessions/:key/place': {
    $get: Endpoint<Key & { readonly query: SessionPart & { readonly line: number } }, PlaceAnswer>;
  };
  '/api/sessions/:key/lines/:line': {
    $get: Endpoint<
      { readonly param: { readonly key: string; readonly line: string }; readonly query?: SessionPart },
      LineAnswer
    >;
  };
  /** The whole text that a view shows shortened. */
  '/api/sessions/:key/text': { $get: Endpoint<Key & { readonly query: ValueQuery }, string, 'text'> };
  '/api/sessions/:key/image': { $get: Endpoint<Key & { readonly query: ValueQuery }, Blob, 'body'> };
  '/api/sessions/:key/find': { $get: Endpoint<Key & { readonly query: FindQuery }, FindResult> };
  '/api/sessions/:key/slice': { $get: Endpoint<Key & { readonly query: SliceQuery }, TextSlice> };
  '/api/sessions/:key/markdown': { $get: Endpoint<Key & { readonly query?: MarkdownQuery }, string, 'text'> };
  /** The files that were changed up to a turn and the to-do list after it; the changes of one file. */
  '/api/sessions/:key/side': { $get: Endpoint<Key & { readonly query?: SideQuery }, SideAnswer> };
  '/api/sessions/:key/edits': { $get: Endpoint<Key & { readonly query: EditsQuery }, EditsAnswer> };
  /** What the context of a request was made of. */
  '/api/sessions/:key/context': { $get: Endpoint<Key & { readonly query?: ContextQuery }, ContextAnswer> };
  '/api/sessions/:key/export': {
    $get: Endpoint<Key & { readonly query: { readonly format: ExportFormat } }, string, 'text'>;
  };
  '/api/sessions/:key/actions/:action': {
    $get: Endpoint<KeyAndAction & { readonly query?: ActionOptions }, ActionPreview>;
    $post: Endpoint<KeyAndAction & { readonly json: ActionRequest }, ActionDone>;
  };
  '/api/sessions/:key/doctor': { $get: Endpoint<Key, DiagnosisAnswer> };
  '/api/sessions/:key/fix': {
    $get: Endpoint<Key, FixAnswer>;
    $post: Endpoint<Key & { readonly json: ApplyFix }, AppliedFix>;
  };
};

// biome-ignore lint/complexity/noBannedTypes: Hono's own name for an app without bindings
export type AppType = Hono<{}, ApiSchema, '/'>;
