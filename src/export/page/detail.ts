// A tool call as data, by what it is for a reader: the part of the view (view.ts) that knows the tools.
import type { Ref, Text } from './view.ts';

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
  readonly hunks: readonly HunkView[];
  readonly added: number;
  readonly removed: number;
  /** Lines left out; `at` has them all, as a unified diff. */
  readonly more: number;
  readonly at: Ref | null;
}

/** `lines` begin with a space, `+` or `-`. */
export interface HunkView {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

export interface ShellDetail {
  readonly as: 'shell';
  readonly command: Text;
  readonly description: string | null;
  /** With their terminal colours, as they came. */
  readonly stdout: Text;
  readonly stderr: Text;
  readonly exitCode: number | null;
  readonly isInterrupted: boolean;
  readonly backgroundId: string | null;
  /** Where the client kept the whole of a long output. */
  readonly persisted: { readonly path: string; readonly sizeBytes: number } | null;
}

export interface FileDetail {
  readonly as: 'file';
  readonly file: string;
  readonly firstLine: number;
  readonly totalLines: number | null;
  readonly content: Text;
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
  readonly content: Text;
}

export interface TodoView {
  readonly content: string;
  readonly status: string;
}

export interface TodoDetail {
  readonly as: 'todos';
  readonly todos: readonly TodoView[];
}

export interface LinkView {
  readonly title: string;
  readonly url: string;
}

export interface WebSearchDetail {
  readonly as: 'web-search';
  readonly query: string;
  readonly links: readonly LinkView[];
  readonly text: Text;
}

export interface WebFetchDetail {
  readonly as: 'web-fetch';
  readonly url: string;
  readonly prompt: string | null;
  readonly code: number | null;
  readonly sizeBytes: number | null;
  readonly text: Text;
}

export interface AgentDetail {
  readonly as: 'agent';
  readonly agentType: string | null;
  readonly description: string | null;
  readonly prompt: Text;
  readonly result: Text;
  readonly status: string | null;
  readonly tokens: number | null;
  readonly calls: number | null;
  readonly durationMs: number | null;
}

export interface QuestionView {
  readonly question: string;
  readonly header: string | null;
  readonly options: readonly { readonly label: string; readonly description: string | null }[];
  readonly answer: string | null;
}

export interface QuestionDetail {
  readonly as: 'questions';
  readonly questions: readonly QuestionView[];
}

export interface PlanDetail {
  readonly as: 'plan';
  readonly plan: Text;
}

/** Any other tool: what went in and what came out. */
export interface JsonDetail {
  readonly as: 'json';
  readonly input: Text;
  readonly output: Text;
}
