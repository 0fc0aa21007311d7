// The session page as data: what its builders (head.ts, turn-view.ts) make of a session, and everything the page needs to
// draw it. JSON only and types only: the server sends it, the HTML export embeds it, the browser imports nothing else.
//
// A transcript may hold anything, so every text here is hostile: whoever draws it must escape it.
//
// Its items are those of session/story with other leaves: a place for a line, a cut text for a whole one.
import type * as detail from '../../session/items/index.ts';
import type * as story from '../../session/items/index.ts';
import type { Ref, StoryText } from '../../session/items/index.ts';
import type { UsageTotals } from '../../session/usage/index.ts';
import type { ToolCount } from './part-facts.ts';

export type HunkView = detail.HunkView;
export type { Ref };

/** The line of a block. */
export interface Place {
  /** In the file, from 1. */
  readonly line: number;
  /** Among the records of the transcript, from 0: a damaged line may hold several. Stays as the file grows. */
  readonly record: number;
  readonly uuid: string | null;
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
  /** What each of its parts holds: bits of `partBits`. */
  readonly partBits: readonly number[];
  /** The tools that each of its parts calls: positions in `SessionHead.tools`. */
  readonly partTools: readonly (readonly number[])[];
  /** The beginning of the prompt, on one line; empty where a branch begins without one. */
  readonly prompt: string;
  readonly promptKind: string | null;
  readonly startedAt: number | null;
  readonly durationMs: number;
  readonly lines: number;
  /** Its lines without those that only the model or the client needs. */
  readonly shownLines: number;
  readonly calls: number;
  readonly errors: number;
  readonly agents: number;
  readonly compactions: number;
  /** Sub-agents included. */
  readonly usage: UsageTotals;
  /** `null` where no message has a price; a lower bound where `unpriced` is not 0. */
  readonly costMicros: number | null;
  readonly unpriced: number;
  /** Input and output of the last request of the turn: the size of the conversation after it. */
  readonly contextTokens: number | null;
  /** The largest size during the turn: a compaction in the middle of it makes the last one smaller. */
  readonly peakTokens: number | null;
  /** The compactions that made the requests of this turn smaller; their lines may be in the turn before. */
  readonly drops: readonly CompactionDrop[];
  readonly model: string | null;
}

/** A compaction, as the size of the context shows it. */
export interface CompactionDrop {
  /** Of the boundary, or of the summary if there is no boundary. */
  readonly line: number;
  readonly before: number | null;
  /** The input of the first request after it; `null` if there was none and the client wrote no size. */
  readonly after: number | null;
  /** Whether the turn begins with it, has answers before and after it, or ends with it. */
  readonly place: 'start' | 'middle' | 'end';
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
  /** The largest context that the client gives its last model. */
  readonly contextLimit: number | null;
  /** The client compacts a conversation of this size before the next prompt; `null` where that is not known. */
  readonly compactsAt: number | null;
  readonly usage: UsageTotals;
  readonly costMicros: number | null;
  readonly unpriced: number;
  readonly branches: readonly BranchRow[];
  /** The number of the branch that `turns` shows; 0 if there is no conversation. */
  readonly branch: number;
  readonly compactions: readonly CompactionRow[];
  readonly agents: readonly AgentRow[];
  /** The tools of the branch, in the order of their first call. */
  readonly tools: readonly ToolCount[];
  readonly damage: readonly DamageRow[];
  readonly damageCount: number;
  /** The notice for a pinned system prompt that is not known to be Claude Code's. */
  readonly strangePrompt: string | null;
  /** Typed, but never sent. */
  readonly waiting: readonly Text[];
  /** How many parts the branch has, and how many turns; `turns` may hold only the last of them. */
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

/** A value of the story as it is sent. */
export type Sent<Value> = Value extends StoryText
  ? Text
  : Value extends story.StoryImage
    ? ImageRef
    : Value extends readonly (infer Element)[]
      ? readonly Sent<Element>[]
      : Value extends object
        ? { readonly [Key in keyof Value]: Sent<Value[Key]> }
        : Value;

type SentItem<Item extends { readonly kind: string; readonly node: story.StoryLine }, Fields extends keyof Item> = {
  readonly kind: Item['kind'];
  readonly place: Place;
} & Sent<Pick<Item, Fields>>;

export interface PromptView extends Sent<Pick<story.PromptItem, 'text' | 'images' | 'documents'>> {
  readonly place: Place;
  /** The other lines of a prompt whose blocks are a line each. */
  readonly morePlaces: readonly Place[];
  readonly kind: story.PromptItem['promptKind'];
  readonly attached: readonly AttachedView[];
  readonly at: number | null;
}

/** What the client put next to the words of a prompt. */
export interface AttachedView {
  readonly source: story.AttachedContext['source'];
  /** What it is: `lines 3–9 of src/a.ts, selected in the editor`. */
  readonly label: string;
  /** Empty if the label says it all. */
  readonly text: Text;
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

/** When a message was written, and by which model. */
export interface Stamp {
  readonly at: number | null;
  readonly model: string | null;
}

export type TextItem = SentItem<story.TextItem, 'text'> & Stamp;
export type ThinkingItem = SentItem<story.ThinkingItem, 'text'>;
export type ImageItem = SentItem<story.ImageItem, 'image'>;
export type QueuedItem = SentItem<story.QueuedItem, 'text'>;
/** Notes, failed requests, and (folded) what the client sent to the model. */
export type NoteItem = SentItem<story.NoteItem, 'label' | 'tone' | 'isOutput' | 'text'> &
  Pick<story.ContextItem, 'isFolded'> & {
    /** The lines that repeat it: a retry is written as a line of its own. */
    readonly morePlaces: readonly Place[];
  };
export type CompactionItem = SentItem<
  story.CompactionItem,
  'trigger' | 'preTokens' | 'postTokens' | 'keptCount' | 'kept' | 'summary'
>;
export type ForkItem = SentItem<story.ForkItem, 'branch' | 'turns' | 'isReplay'>;
export type BlockItem = SentItem<story.BlockItem, 'type' | 'json'>;

export interface CallItem extends SentItem<story.CallItem, 'id' | 'state' | 'durationMs' | 'images'>, Stamp {
  readonly name: string;
  readonly summary: string;
  readonly outcome: string;
  /** What the user said when declining it. */
  readonly reply: Text | null;
  readonly resultPlace: Place | null;
  readonly agent: AgentRow | null;
  /** The text that the model got, if the call failed and the detail does not show it. */
  readonly error: Text | null;
  readonly detail: CallDetail;
}

export type CallDetail = Sent<Exclude<detail.CallDetail, detail.DiffDetail>> | DiffDetail;
export type DetailOf<As extends CallDetail['as']> = Extract<CallDetail, { readonly as: As }>;

export interface DiffDetail extends Pick<detail.DiffDetail, 'as' | 'file' | 'isNew'> {
  readonly hunks: readonly HunkView[];
  readonly added: number;
  readonly removed: number;
  /** Lines left out; `at` has them all, as a unified diff. */
  readonly more: number;
  readonly at: Ref | null;
}
