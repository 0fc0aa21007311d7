// Queries of the right side of the session page. Its views are defined in export/wire.
import type { FileEdits, SideView } from '../../export/wire/index.ts';
import type { SessionPart } from './session.ts';

export interface SideQuery extends SessionPart {
  /** From 1, the active branch; default 1. */
  readonly branch?: number;
  /** The state after this turn; default: the last one of the branch. */
  readonly turn?: number;
}

export interface EditsQuery extends SideQuery {
  /** `TouchedFile.file`. */
  readonly file: number;
}

export type SideAnswer = SideView;
export type EditsAnswer = FileEdits;
