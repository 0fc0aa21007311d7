// The query and the answer of the context ledger of a session. The ledger is what `clew context --json` prints.
import type { ContextLedger } from '../../context/wire/index.ts';
import type { SessionPart } from './session.ts';

export interface ContextQuery extends SessionPart {
  /** From 1, the active branch; default 1. */
  readonly branch?: number;
  /** The context at the last request of this turn; default: the last one of the branch. */
  readonly turn?: number;
}

export interface ContextAnswer {
  /** Changes with the transcript. */
  readonly version: string;
  readonly ledger: ContextLedger;
}
