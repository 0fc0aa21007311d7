// Where the session page gets its data from: the server, or (in an exported file) the page itself. The page knows only
// this, so that it is the same page in both.
import type { FindResult, Ref, SessionHead, TurnView } from '../../../export/page/view.ts';

export interface RawLine {
  readonly text: string;
  readonly sizeBytes: number;
  readonly isCut: boolean;
}

export interface SessionSource {
  /** Names the session in addresses. */
  readonly key: string;
  /** The sub-agent whose transcript this is. */
  readonly agentId: string | null;
  head(branch: number, signal?: AbortSignal): Promise<SessionHead>;
  /** Parts from `from` to before `to`; fewer where the answer would be too large. */
  parts(branch: number, from: number, to: number, signal?: AbortSignal): Promise<readonly TurnView[]>;
  text(ref: Ref): Promise<string>;
  imageUrl(ref: Ref): string;
  line(line: number): Promise<RawLine>;
  find(query: { text: string; branch: number; from: number }, signal?: AbortSignal): Promise<FindResult>;
  markdown(query: { branch: number; turn?: number }): Promise<string>;
  /** The branch and the part that show a line. */
  place(line: number): Promise<LinePlace>;
  ofAgent(agentId: string): SessionSource;
  /** Calls back whenever the transcript has grown; the answer ends it. */
  watch(onChange: (change: SourceChange) => void): () => void;
}

export interface LinePlace {
  readonly branch: number;
  readonly part: number | null;
  /** For a line of a sub-agent: the line with the call that it is shown under. */
  readonly under: { readonly line: number; readonly branch: number; readonly part: number | null } | null;
}

export interface SourceChange {
  readonly agentId: string | null;
  /** The first part that may have changed. */
  readonly fromPart: number;
}
