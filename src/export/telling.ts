// What telling any turn of an exported session needs to know, worked out once; the counterpart of cli/show-context.ts.
import { type AgentBook, newAgentBook, withAgents } from '../session/agent-book.ts';
import { type Compaction, compactionsOf } from '../session/compaction.ts';
import type { Node } from '../session/node.ts';
import { promptsWithoutLine, type QueuedPrompt } from '../session/queue.ts';
import { cwdOf, type Session } from '../session/session.ts';
import type { Subject } from './subject.ts';

/** Options of `exportMarkdown`. */
export interface MarkdownOptions {
  /** Whole paths and ids, and outputs without a cut. */
  readonly full?: boolean;
  readonly thinking?: boolean;
  /** From 1; the active one unless it is given. */
  readonly branch?: number;
  /** Only this turn of it, from 1, without the table of facts. */
  readonly turn?: number;
}

export interface Telling extends MarkdownOptions {
  readonly subject: Subject;
  /** The subject's, or that of one of its sub-agents. */
  readonly session: Session;
  readonly cwd: string | undefined;
  readonly compactions: ReadonlyMap<Node, Compaction>;
  readonly queued: readonly QueuedPrompt[];
  readonly agents: AgentBook;
  /** The level of the topmost headings in answers. */
  readonly top: number;
}

/** A block of the page; items that follow one another make one list. */
export interface Piece {
  readonly text: string;
  readonly isItem?: boolean;
  /** The turn that begins with it. */
  readonly opens?: number;
}

export function startTelling(subject: Subject, options: MarkdownOptions): Telling {
  const { session } = subject;
  return {
    ...options,
    subject,
    session,
    cwd: cwdOf(session),
    compactions: compactionsByLine(session),
    queued: promptsWithoutLine(session.transcript),
    agents: newAgentBook(session),
    top: 3,
  };
}

/** Nobody types in a sub-agent. */
export function tellAgent(telling: Telling, session: Session): Telling {
  return {
    ...telling,
    session,
    cwd: cwdOf(session) ?? telling.cwd,
    compactions: compactionsByLine(session),
    queued: [],
    agents: withAgents(telling.agents, session.agents),
    top: 5,
  };
}

function compactionsByLine(session: Session): ReadonlyMap<Node, Compaction> {
  return new Map(compactionsOf(session).flatMap((each) => (each.boundary ? [[each.boundary, each] as const] : [])));
}
