// What the right side of the session page shows of a turn, apart from the context ledger: the files that were changed up
// to it, and the state of the to-do list after it. Types only.
import type * as story from '../../session/items/index.ts';
import type { DiffDetail, Place } from './view.ts';

export interface SideView {
  /** From 1, along the branch. */
  readonly turn: number;
  /** The one that was changed last comes first. */
  readonly files: readonly TouchedFile[];
  /** All, also those that are not listed. */
  readonly fileCount: number;
  /** `null`: there was none up to this turn. */
  readonly todos: TodoState | null;
}

export interface TouchedFile {
  /** Its number among the files of the branch, in the order of their first change: for `FileEdits`. */
  readonly file: number;
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** Changes that were made; those that failed or were rejected are not among them. */
  readonly edits: number;
  readonly failed: number;
  /** The turn of the last change. */
  readonly turn: number;
}

export interface FileEdits {
  readonly path: string;
  /** In order. */
  readonly edits: readonly FileEdit[];
  /** Later changes that are not listed. */
  readonly more: number;
}

export interface FileEdit {
  readonly place: Place;
  readonly turn: number;
  readonly tool: string;
  readonly state: story.CallItem['state'];
  readonly diff: DiffDetail;
}

export interface TodoState {
  readonly todos: readonly TodoRow[];
  /** The line of the call that changed it last. */
  readonly line: number;
}

export interface TodoRow {
  readonly content: string;
  readonly status: string;
}
