// What is known about the author of a line, as commands print it.
import type { FileEdit } from '../calls/index.ts';
import type { Version } from '../history/index.ts';
import type { Doubt, Origin } from '../replay/index.ts';

/** Who wrote a line. */
export interface LineAnswer {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** `agent`: a call of a session wrote it · `not-agent`: no call did · `unknown`: the records do not decide it. */
  readonly verdict: 'agent' | 'not-agent' | 'unknown';
  /** The call that wrote it, or for `unknown` the one that may have. */
  readonly edit: FileEdit | undefined;
  /** What happened to the line since the call. */
  readonly how: 'same' | 'reformatted' | 'moved' | 'restored' | undefined;
  readonly doubt: Doubt | undefined;
  /** The commit that has it first; `undefined` if it is not committed. */
  readonly commit: string | undefined;
  /** When that commit was written. */
  readonly commitTime: number;
}

export function answerOf(origin: Origin, line: number, text: string, versions: readonly Version[]): LineAnswer {
  const version = versions[origin.version];
  const base = { line, text, commit: version?.commit, commitTime: version?.time ?? Number.NaN };
  switch (origin.kind) {
    case 'edit':
      return { ...base, verdict: 'agent', edit: origin.edit, how: origin.how, doubt: undefined };
    case 'outside':
      return { ...base, verdict: 'not-agent', edit: undefined, how: undefined, doubt: undefined };
    case 'unclear':
      return { ...base, verdict: 'unknown', edit: origin.edit, how: undefined, doubt: origin.doubt };
  }
}
