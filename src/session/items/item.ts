// The vocabulary of a session as a reader sees it: the typed items of a turn. story.ts makes them; the terminal,
// Markdown, the page, `tail` and the live view are sinks that choose items and lay them out.
//
// It imports no file that needs Node.js, because the page derives its wire types from it.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import type { CallDetail } from './detail.ts';
import type { Ref, StoryText } from './story-text.ts';

/** A record of the transcript (session/transcript/node.ts), as far as sinks need it. */
export interface StoryLine {
  readonly index: number;
  readonly line: number;
  readonly uuid: string | undefined;
  readonly type: string;
  readonly subtype: string | undefined;
  readonly time: number;
  /** `undefined` for a line that is not a message. */
  readonly message?: { readonly model: string | undefined } | undefined;
}

/** A sub-agent (session/load/agents.ts), as far as sinks need it. */
export interface StoryAgent {
  readonly agentId: string;
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  readonly toolUseId: string | undefined;
  readonly workflow: string | undefined;
}

export type Item =
  | PromptItem
  | QueuedItem
  | ContextItem
  | TextItem
  | ThinkingItem
  | CallItem
  | ImageItem
  | CompactionItem
  | SummaryItem
  | ForkItem
  | ErrorItem
  | NoteItem
  | BlockItem;

interface ItemBase {
  /** The line that it was read from. */
  readonly node: StoryLine;
}

export interface PromptItem extends ItemBase {
  readonly kind: 'prompt';
  /** How it was given, such as `queued` or `slash-command`. */
  readonly promptKind: string;
  /** The lines of the prompt after `node`: some clients write each of its blocks as a line of its own. */
  readonly moreNodes: readonly StoryLine[];
  /** What the user typed, without what the client attached. */
  readonly text: StoryText;
  readonly attached: readonly AttachedContext[];
  readonly images: readonly StoryImage[];
  /** Titles of attached documents. */
  readonly documents: readonly string[];
}

/** What the client put next to the words of a prompt. */
export interface AttachedContext {
  readonly source: 'ide-selection' | 'opened-file' | 'diagnostics' | 'editor' | 'reminder';
  /** What it is, in a few words. */
  readonly label: string;
  readonly file: string | null;
  /** From 1. */
  readonly lines: { readonly from: number; readonly to: number } | null;
  /** The selected text, the diagnostics; empty if the line about it says it all. */
  readonly text: StoryText;
}

/** A prompt that was typed while the agent worked and given to it in the middle of the turn. */
export interface QueuedItem extends ItemBase {
  readonly kind: 'queued';
  readonly text: StoryText;
}

/** What the client sent to the model, or wrote for itself: a sink may fold it or leave it out. */
export interface ContextItem extends ItemBase {
  readonly kind: 'context';
  readonly source:
    | 'injected'
    | 'reminder'
    | 'command-caveat'
    | 'attachment'
    | 'hook-output'
    | 'queued-prompt'
    | 'stop-hook'
    | 'system';
  readonly label: string;
  readonly tone: Tone;
  readonly isOutput: boolean;
  /** `false`: a failure that a reader should see at once. */
  readonly isFolded: boolean;
  readonly text: StoryText;
}

export type Tone = 'plain' | 'warning' | 'error';

export interface TextItem extends ItemBase {
  readonly kind: 'text';
  readonly text: StoryText;
}

export interface ThinkingItem extends ItemBase {
  readonly kind: 'thinking';
  /** `null`: not readable (redacted, or only its signature is in the file). */
  readonly text: StoryText | null;
}

export interface CallItem extends ItemBase {
  readonly kind: 'call';
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue | undefined;
  /** The input summary; paths below the working directory are relative. */
  readonly summary: string;
  /** `declined`, `interrupted`: by the user, so it is not an error. */
  readonly state: 'done' | 'failed' | 'declined' | 'interrupted' | 'open';
  /** How it ended, in one line; empty if there is nothing to say. */
  readonly outcome: string;
  /** What the user said when declining it. */
  readonly reply: StoryText | null;
  readonly result: StoryLine | undefined;
  readonly durationMs: number | null;
  /** The sub-agent that it started; `Story.openAgent` has its items. */
  readonly agent: StoryAgent | undefined;
  /** The text of the result, without the tags of an error. */
  readonly output: string;
  readonly outputAt: Ref | null;
  readonly images: readonly StoryImage[];
  readonly detail: CallDetail;
}

export interface ImageItem extends ItemBase {
  readonly kind: 'image';
  readonly image: StoryImage;
}

export interface StoryImage {
  /** Of the image block. */
  readonly source: JsonObject;
  readonly at: Ref;
}

export interface CompactionItem extends ItemBase {
  readonly kind: 'compaction';
  /** `false`: an old client wrote only the summary. */
  readonly hasBoundary: boolean;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly keptCount: number;
  /** The first of the lines that stay after the summary. */
  readonly kept: readonly KeptLine[];
  readonly summary: StoryText | null;
}

export interface KeptLine {
  readonly line: number;
  readonly role: string;
  readonly text: string;
}

/** The line of a summary. */
export interface SummaryItem extends ItemBase {
  readonly kind: 'summary';
  readonly text: StoryText;
  /** A compaction item has the same text. */
  readonly isInCompaction: boolean;
}

/** Another branch starts here. */
export interface ForkItem extends ItemBase {
  readonly kind: 'fork';
  /** From 1, the active one first. */
  readonly branch: number;
  readonly turns: number;
  readonly isReplay: boolean;
}

/** A request that failed: the client's answer in its place, or a line about a retry. */
export interface ErrorItem extends ItemBase {
  readonly kind: 'error';
  readonly text: StoryText;
  /** The lines that repeat it, one for each retry. */
  readonly repeats: readonly StoryLine[];
}

export interface NoteItem extends ItemBase {
  readonly kind: 'note';
  /** `client`: filler that the client wrote as an answer, such as "No response requested." */
  readonly about: 'interrupt' | 'shell' | 'output' | 'notification' | 'message' | 'client' | 'system';
  readonly label: string;
  /** Of a `message`: the session or agent that sent it, if the line names it. */
  readonly from?: string | undefined;
  readonly tone: Tone;
  readonly isOutput: boolean;
  readonly text: StoryText;
}

/** A block of a type that Clew does not know. */
export interface BlockItem extends ItemBase {
  readonly kind: 'block';
  readonly type: string;
  readonly json: StoryText;
}
