// The session page as data: what its builders (head.ts, turn-view.ts) make of a session, and all that the page needs to
// draw it. JSON only and types only: the server sends it, the HTML export embeds it, the browser imports nothing else.
//
// A transcript may hold anything, so every text here is hostile: whoever draws it must escape it.
import type { UsageTotals } from '../../session/usage.ts';
import type { CallDetail } from './detail.ts';

/** Where a thing stands: the raw line behind every block. */
export interface Place {
  /** In the file, from 1. */
  readonly line: number;
  /** Among the records of the transcript, from 0: a damaged line may hold several. Stays as the file grows. */
  readonly record: number;
  readonly uuid: string | null;
}

/** A value inside a record, for `textAt` and `imageAt`: the JSON Pointer (RFC 6901) from its root. */
export interface Ref {
  readonly record: number;
  readonly pointer: string;
}

/** A text, or its beginning. */
export interface Text {
  readonly text: string;
  /** How many characters are left out; `at` has the whole. */
  readonly more: number;
  readonly at: Ref | null;
}

export interface ImageRef {
  /** `null`: the image is elsewhere (`url`), or broken. */
  readonly at: Ref | null;
  readonly mediaType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly sizeBytes: number;
  /** Of an image that the transcript only points to; never loaded. */
  readonly url: string | null;
}

/** One turn in the outline. */
export interface TurnRow {
  /** From 1, along the branch. */
  readonly index: number;
  /** Its first part among those of the branch, from 0: a long turn is drawn in several. */
  readonly firstPart: number;
  /** The first line of each of its parts. */
  readonly partLines: readonly number[];
  /** The beginning of the prompt, on one line; empty where a branch begins without one. */
  readonly prompt: string;
  readonly promptKind: string | null;
  readonly startedAt: number | null;
  readonly durationMs: number;
  readonly lines: number;
  readonly calls: number;
  readonly errors: number;
  readonly agents: number;
  readonly compactions: number;
  /** Sub-agents included. */
  readonly usage: UsageTotals;
  /** `null` where no message has a price; a lower bound where `unpriced` is not 0. */
  readonly costMicros: number | null;
  readonly unpriced: number;
  /** What the last request of the turn sent and got: the size of the conversation after it. */
  readonly contextTokens: number | null;
  readonly model: string | null;
}

export interface BranchRow {
  /** From 1, the active one first: `clew show --branch`. */
  readonly number: number;
  readonly active: boolean;
  readonly leafUuid: string | null;
  readonly forkLine: number | null;
  readonly lines: number;
  readonly turns: number;
  readonly endedAt: number | null;
  readonly isReplay: boolean;
}

export interface CompactionRow {
  readonly line: number;
  readonly uuid: string | null;
  readonly at: number | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly kept: number;
}

export interface AgentRow {
  readonly agentId: string;
  readonly agentType: string | null;
  readonly description: string | null;
  readonly toolUseId: string | null;
  readonly workflow: string | null;
}

export interface DamageRow {
  readonly code: string;
  readonly line: number;
  readonly message: string;
}

/** What the page knows of a session before it shows a turn. */
export interface SessionHead {
  readonly sessionId: string;
  /** A sub-agent's own transcript. */
  readonly isAgent: boolean;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly sizeBytes: number;
  readonly lines: number;
  readonly models: readonly string[];
  readonly versions: readonly string[];
  /** The largest context that its last model has room for. */
  readonly contextLimit: number | null;
  readonly usage: UsageTotals;
  readonly costMicros: number | null;
  readonly unpriced: number;
  readonly branches: readonly BranchRow[];
  /** The number of the branch that `turns` tells; 0 where there is no conversation. */
  readonly branch: number;
  readonly compactions: readonly CompactionRow[];
  readonly agents: readonly AgentRow[];
  readonly damage: readonly DamageRow[];
  readonly damageCount: number;
  /** What to say of a pinned system prompt that is not known to be Claude Code's. */
  readonly strangePrompt: string | null;
  /** Typed, but never sent. */
  readonly waiting: readonly Text[];
  /** How many parts the branch has, and how many turns; `turns` may tell only the last of them. */
  readonly parts: number;
  readonly turnCount: number;
  readonly turns: readonly TurnRow[];
}

/** A turn, or a part of a long one: what is drawn, loaded and dropped together. */
export interface TurnView {
  /** Among the parts of the branch, from 0. */
  readonly part: number;
  /** Of its turn, from 1. */
  readonly turn: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Only on the first part. */
  readonly prompt: PromptView | null;
  readonly items: readonly Item[];
}

export interface PromptView {
  readonly place: Place;
  readonly kind: string;
  readonly text: Text;
  readonly images: readonly ImageRef[];
  /** The names of documents that were given with it. */
  readonly documents: readonly string[];
  readonly at: number | null;
}

export type Item =
  | TextItem
  | ThinkingItem
  | CallItem
  | ImageItem
  | QueuedItem
  | NoteItem
  | CompactionItem
  | ForkItem
  | BlockItem;

export interface TextItem {
  readonly kind: 'text';
  readonly place: Place;
  readonly text: Text;
}

export interface ThinkingItem {
  readonly kind: 'thinking';
  readonly place: Place;
  /** `null`: it was kept from us (redacted, or only its signature is in the file). */
  readonly text: Text | null;
}

export interface ImageItem {
  readonly kind: 'image';
  readonly place: Place;
  readonly image: ImageRef;
}

/** A prompt that was typed while the agent worked and given to it in the middle of the turn. */
export interface QueuedItem {
  readonly kind: 'queued';
  readonly place: Place;
  readonly text: Text;
}

/** What is neither prompt nor answer: interrupts, local commands, hooks, failed requests, notices. */
export interface NoteItem {
  readonly kind: 'note';
  readonly place: Place;
  readonly tone: 'plain' | 'warning' | 'error';
  readonly label: string;
  readonly text: Text;
  /** Draw it as terminal output. */
  readonly isOutput: boolean;
  /** Only what the client told the model: folded away. */
  readonly isFolded: boolean;
}

export interface CompactionItem {
  readonly kind: 'compaction';
  readonly place: Place;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly keptCount: number;
  /** The first of the lines that stay behind the summary. */
  readonly kept: readonly KeptLine[];
  readonly summary: Text | null;
}

export interface KeptLine {
  readonly line: number;
  readonly role: string;
  readonly text: string;
}

/** Another branch leaves here. */
export interface ForkItem {
  readonly kind: 'fork';
  readonly place: Place;
  readonly branch: number;
  readonly turns: number;
  readonly isReplay: boolean;
}

/** A block of a type that the page does not know. */
export interface BlockItem {
  readonly kind: 'block';
  readonly place: Place;
  readonly type: string;
  readonly json: Text;
}

export interface CallItem {
  readonly kind: 'call';
  readonly place: Place;
  readonly id: string;
  readonly name: string;
  /** The part of the input that tells most, on one line. */
  readonly did: string;
  /** The outcome in a few words. */
  readonly came: string;
  readonly state: 'done' | 'failed' | 'open';
  readonly resultPlace: Place | null;
  readonly durationMs: number | null;
  readonly agent: AgentRow | null;
  /** What the model was told, where the call failed. */
  readonly error: Text | null;
  readonly images: readonly ImageRef[];
  readonly detail: CallDetail;
}

/** Where a word was found in a session. */
export interface FindHit {
  readonly part: number;
  readonly turn: number;
  readonly line: number;
  readonly record: number;
  /** What kind of text: prompt, answer, thinking, tool-input, tool-output, note. */
  readonly in: string;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export interface FindResult {
  readonly hits: readonly FindHit[];
  /** The part to go on from; `null`: everything was looked at. */
  readonly next: number | null;
}
