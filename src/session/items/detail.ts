// The detail of a tool call by what it is for a reader: the part of the vocabulary (item.ts) that knows the tools.
import type { JsonObject } from '../../base/json/index.ts';
import type { Ref, StoryText } from './story-text.ts';

export type CallDetail =
  | DiffDetail
  | ShellDetail
  | FileDetail
  | SearchDetail
  | TodoDetail
  | WebSearchDetail
  | WebFetchDetail
  | AgentDetail
  | QuestionDetail
  | PlanDetail
  | JsonDetail;

export interface DiffDetail {
  readonly as: 'diff';
  readonly file: string;
  readonly isNew: boolean;
  readonly change: Change;
  readonly at: Ref;
}

/** The patch that the client stored, else what the model asked for. */
export type Change =
  | { readonly from: 'patch'; readonly hunks: readonly StoredHunk[] }
  | { readonly from: 'edits'; readonly input: JsonObject }
  | { readonly from: 'content'; readonly content: string | null };

/** `lines` begin with a space, `+` or `-`. */
export interface HunkView {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

export interface StoredHunk extends HunkView {
  readonly oldLines: number;
  readonly newLines: number;
}

export interface ShellDetail {
  readonly as: 'shell';
  readonly command: StoryText;
  readonly description: string | null;
  /** With their terminal colours. */
  readonly stdout: StoryText;
  readonly stderr: StoryText;
  readonly exitCode: number | null;
  readonly isInterrupted: boolean;
  readonly backgroundId: string | null;
  /** The file in which the client keeps the whole of a long output. */
  readonly persisted: { readonly path: string; readonly sizeBytes: number } | null;
}

export interface FileDetail {
  readonly as: 'file';
  readonly file: string;
  readonly firstLine: number;
  readonly totalLines: number | null;
  readonly content: StoryText;
  /** In place of the content: unchanged, a PDF, a notebook. */
  readonly note: string | null;
}

export interface SearchDetail {
  readonly as: 'search';
  readonly pattern: string;
  readonly folder: string | null;
  readonly mode: string | null;
  readonly files: readonly string[];
  readonly fileCount: number;
  readonly isCut: boolean;
  readonly content: StoryText;
}

export interface TodoDetail {
  readonly as: 'todos';
  readonly todos: readonly TodoLine[];
}

export interface TodoLine {
  readonly content: string;
  readonly status: string;
}

export interface WebSearchDetail {
  readonly as: 'web-search';
  readonly query: string;
  readonly links: readonly Link[];
  readonly text: StoryText;
}

export interface Link {
  readonly title: string;
  readonly url: string;
}

export interface WebFetchDetail {
  readonly as: 'web-fetch';
  readonly url: string;
  readonly prompt: string | null;
  readonly code: number | null;
  readonly sizeBytes: number | null;
  readonly text: StoryText;
}

export interface AgentDetail {
  readonly as: 'agent';
  readonly agentType: string | null;
  readonly description: string | null;
  readonly prompt: StoryText;
  readonly result: StoryText;
  readonly status: string | null;
  readonly tokens: number | null;
  readonly calls: number | null;
  readonly durationMs: number | null;
}

export interface QuestionDetail {
  readonly as: 'questions';
  readonly questions: readonly Question[];
}

export interface Question {
  readonly question: string;
  readonly header: string | null;
  readonly options: readonly { readonly label: string; readonly description: string | null }[];
  readonly answer: string | null;
}

export interface PlanDetail {
  readonly as: 'plan';
  readonly plan: StoryText;
}

/** Any other tool: input and output. */
export interface JsonDetail {
  readonly as: 'json';
  readonly input: StoryText;
  readonly output: StoryText;
}
