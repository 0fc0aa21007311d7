// What the rendering of any turn needs to know of its session, worked out once: looking it up again for every turn
// would make a long session cost the square of its length.
import { type AgentBook, newAgentBook, withAgents } from '../session/agent-book.ts';
import type { Branch } from '../session/branch.ts';
import { type Compaction, compactionsOf } from '../session/compaction.ts';
import type { Node } from '../session/node.ts';
import { promptsWithoutLine, type QueuedPrompt } from '../session/queue.ts';
import { cwdOf, type Session } from '../session/session.ts';
import { countTurns } from '../session/turns.ts';
import type { Lineage } from './lineage.ts';
import type { Style } from './terminal/style.ts';

export interface ShowOptions {
  readonly full: boolean;
  readonly style: Style;
  readonly width: number;
  /** Where a line of the header is cut; `width` unless it is given. */
  readonly cutWidth?: number;
  /** What the session was made from, for the header. */
  readonly lineage?: Lineage | undefined;
}

export interface ShowContext extends ShowOptions {
  readonly session: Session;
  readonly cwd: string | undefined;
  /** By their boundary lines. */
  readonly compactions: ReadonlyMap<Node, Compaction>;
  /** The prompts that no user line shows: given to the model in the middle of a turn, or never used. */
  readonly queued: readonly QueuedPrompt[];
  /** The branches that leave the shown one, by the line they leave at. */
  readonly forks: ReadonlyMap<Node, readonly Fork[]>;
  readonly agents: AgentBook;
}

export interface Fork {
  readonly number: number;
  readonly turns: number;
  readonly isReplay: boolean;
}

export function makeContext(session: Session, branch: Branch | undefined, options: ShowOptions): ShowContext {
  return {
    ...agentContext(session, newAgentBook(session), options),
    queued: promptsWithoutLine(session.transcript),
    forks: forksOf(session, branch),
  };
}

/** The context of a sub-agent's own turns: nobody types there, and its branches are not offered. */
export function agentContext(session: Session, agents: AgentBook, { full, style, width }: ShowOptions): ShowContext {
  const compactions = compactionsOf(session).flatMap((each) => (each.boundary ? [[each.boundary, each] as const] : []));
  return {
    full,
    style,
    width,
    session,
    cwd: cwdOf(session),
    compactions: new Map(compactions),
    queued: [],
    forks: new Map(),
    agents: withAgents(agents, session.agents),
  };
}

function forksOf(session: Session, shown: Branch | undefined): ReadonlyMap<Node, readonly Fork[]> {
  const forks = new Map<Node, Fork[]>();
  for (const [i, branch] of session.branches.entries()) {
    if (branch === shown || branch.fork === undefined) continue;
    const turns = countTurns(session.transcript, branch.nodes);
    const fork = { number: i + 1, turns, isReplay: branch.isReplay };
    const others = forks.get(branch.fork);
    if (others === undefined) forks.set(branch.fork, [fork]);
    else others.push(fork);
  }
  return forks;
}
