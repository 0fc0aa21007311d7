// Where the session page gets its data from: the server, or (in an exported file) the page itself. The page uses only
// this interface, so it is the same page in both.
import type { ContextLedger } from '../../../../context/wire/index.ts';
import {
  type FileEdits,
  type FindMode,
  type FindResult,
  findModes,
  type HitPlace,
  type Ref,
  type SessionHead,
  type ShownPlace,
  type SideView,
  type TextPlace,
  type TextSlice,
  type TurnView,
} from '../../../../export/wire/index.ts';
import { readFilter, type ViewFilter, writeFilter } from './view-filter.ts';

export interface RawLine {
  readonly text: string;
  readonly sizeBytes: number;
  readonly isCut: boolean;
}

/** All of a branch at once. */
export interface Printable {
  readonly head: SessionHead;
  readonly views: readonly TurnView[];
}

export interface FindWords {
  readonly text: string;
  readonly mode: FindMode;
  readonly from?: string;
  readonly limit?: number;
}

export interface SessionSource {
  /** Names the session in addresses. */
  readonly key: string;
  /** The sub-agent whose transcript this is. */
  readonly agentId: string | null;
  /** Set for an exported file, which has no list to go back to and nothing to resume. */
  readonly exported: { readonly note: string; readonly hasRaw: boolean } | null;
  /** The place that the browser's address names. */
  startPlace(): SessionAddress;
  /** The address of a place, from that of the page. */
  addressOf(place: Partial<SessionAddress>): string;
  /** `fromTurn`: rows of earlier turns, which have not changed, may be left out. */
  head(branch: number, signal?: AbortSignal, fromTurn?: number): Promise<SessionHead>;
  /** What can be shown of a large session before it is read to its end. Absent if there is no waiting. */
  start?(branch: number, signal?: AbortSignal): Promise<SessionStart>;
  /** Parts from `from` to before `to`; fewer where the answer would be too large. */
  parts(branch: number, from: number, to: number, signal?: AbortSignal): Promise<readonly TurnView[]>;
  text(ref: Ref): Promise<string>;
  /** Data of the page at once; from the server, a `blob:` address that whoever asked revokes. */
  imageUrl(ref: Ref, signal?: AbortSignal): string | Promise<string>;
  line(line: number): Promise<RawLine>;
  /** In the whole session, sub-agents included; `from` is `next` of the previous answer. */
  find(query: FindWords, signal?: AbortSignal): Promise<FindResult>;
  /** A stretch of one of the texts that `find` searches. */
  slice(place: TextPlace, from: number, to: number, signal?: AbortSignal): Promise<TextSlice>;
  markdown(query: { branch: number; turn?: number }): Promise<string>;
  /** Where a line is drawn; `null` if it is not. */
  place(line: number): Promise<ShownPlace | null>;
  ofAgent(agentId: string): SessionSource;
  /** What the right side shows. Absent in an exported file: it has no index of its calls and no ledger. */
  readonly side?: SideSource;
  /** Calls back whenever the transcript has grown; the returned function ends it. */
  watch(onChange: (change: SourceChange) => void): () => void;
  /** Calls back with the present state, and whenever it changes. Absent where nothing can run. */
  watchPresence?(onChange: (presence: Presence) => void): () => void;
  /** All turns at once, for paper, with the source of what is in them. Absent where the whole page prints itself. */
  printable?(head: SessionHead): { readonly pages: Printable; readonly source: SessionSource };
  /** The sessions that the key can mean if it is only the beginning of an id. */
  similar?(): Promise<readonly SimilarSession[]>;
}

/** The state after a turn of a branch. */
export interface SideSource {
  context(at: AfterTurn, signal: AbortSignal): Promise<ContextLedger>;
  view(at: AfterTurn, signal: AbortSignal): Promise<SideView>;
  /** The changes of a file: `TouchedFile.file`. */
  edits(at: AfterTurn & { readonly file: number }, signal: AbortSignal): Promise<FileEdits>;
}

export interface AfterTurn {
  readonly branch: number;
  readonly turn: number;
}

export interface SessionStart {
  readonly head: SessionHead;
  /** Waits for the whole; `undefined` if this is the whole. */
  readonly rest?: (signal?: AbortSignal) => Promise<{ readonly head: SessionHead; readonly fromPart: number }>;
}

export interface SourceChange {
  readonly agentId: string | null;
  /** The first part that may have changed. */
  readonly fromPart: number;
  /** Another program wrote the file again. */
  readonly isReplaced?: boolean;
}

/** Whether the session runs; `isGone`: its file was deleted. */
export interface Presence {
  readonly isLive: boolean;
  readonly pid: number | null;
  readonly changedAt: number;
  /** `false`: it is read from the archive, or made of what is left. */
  readonly isOnDisk: boolean;
  readonly isArchived: boolean;
  readonly isGone: boolean;
  /** It is read from a store, where this person pushed it. */
  readonly stored: { readonly person: string | null } | null;
  /** Where the session came from, and what came from it. */
  readonly relations: readonly RelatedSession[];
}

/** `label` is read before the title: `fork of`, `continued in`. */
export interface RelatedSession {
  readonly label: string;
  /** `null`: it is not in the library. */
  readonly key: string | null;
  readonly id: string;
  readonly title: string | null;
}

/** A session that an abbreviated id can mean. */
export interface SimilarSession {
  readonly key: string;
  readonly title: string;
  readonly project: string;
  readonly changedAt: number;
}

export interface SessionAddress {
  readonly branch: number | null;
  readonly turn: number | null;
  readonly line: number | null;
  readonly agentId: string | null;
  /** `end`: at the last line, which is followed. */
  readonly at: 'end' | null;
  readonly filter: ViewFilter;
  /** Which text of the line, and the offset in it. */
  readonly hit: Omit<HitPlace, 'line' | 'agentId'> | null;
  /** What the find bar looks for. */
  readonly q: string | null;
  readonly mode: FindMode;
}

export function readAddress(search: string): SessionAddress {
  const query = new URLSearchParams(search);
  return {
    branch: numberOf(query.get('branch')),
    turn: numberOf(query.get('turn')),
    line: numberOf(query.get('line')),
    agentId: query.get('agent'),
    at: query.get('at') === 'end' ? 'end' : null,
    filter: readFilter(query),
    hit: hitAt(query.get('hit')),
    q: query.get('q')?.slice(0, 500) || null,
    mode: findModes.find((mode) => mode === query.get('mode')) ?? 'text',
  };
}

function hitAt(text: string | null): SessionAddress['hit'] {
  const [, kind, nth, offset] = /^([a-z-]{1,40})\.(\d{1,9})\.(\d{1,10})$/.exec(text ?? '') ?? [];
  return kind === undefined ? null : { kind, nth: Number(nth), offset: Number(offset) };
}

function numberOf(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

export function writeAddress(key: string, place: Partial<SessionAddress>): string {
  const text = writeQuery(place);
  return `/s/${encodeURIComponent(key)}${text === '' ? '' : `?${text}`}`;
}

export function writeQuery(place: Partial<SessionAddress>): string {
  const query = new URLSearchParams();
  if (place.branch != null && place.branch > 1) query.set('branch', String(place.branch));
  if (place.turn != null) query.set('turn', String(place.turn));
  if (place.line != null && place.line > 0) query.set('line', String(place.line));
  if (place.agentId != null) query.set('agent', place.agentId);
  if (place.at != null) query.set('at', place.at);
  if (place.filter !== undefined) writeFilter(query, place.filter);
  if (place.hit != null) query.set('hit', `${place.hit.kind}.${place.hit.nth}.${place.hit.offset}`);
  if (place.q != null) query.set('q', place.q);
  if (place.q != null && place.mode !== undefined && place.mode !== 'text') query.set('mode', place.mode);
  return query.toString();
}
