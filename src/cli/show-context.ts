// What the rendering of any turn needs to know of its session, worked out once: looking it up again for every turn
// would make a long session cost the square of its length.
import type { AgentSource } from '../session/agents.ts';
import type { Branch } from '../session/branch.ts';
import { type Compaction, compactionsOf } from '../session/compaction.ts';
import type { Node } from '../session/node.ts';
import { findQueuedPrompts, type QueuedPrompt } from '../session/queue.ts';
import { cwdOf, type Session } from '../session/session.ts';
import { countTurns } from '../session/turns.ts';
import type { Style } from './terminal/style.ts';

export interface ShowOptions {
  readonly full: boolean;
  readonly style: Style;
  readonly width: number;
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

/** The sub-agents that a call may have started: those of the session, and in one of them also its own. */
export interface AgentBook {
  /** The session they all belong to. */
  readonly root: Session;
  readonly byCall: ReadonlyMap<string, AgentSource>;
  readonly byId: ReadonlyMap<string, AgentSource>;
  /** The ids of those shown so far. One that is resumed has several calls, and damage may lead an agent to itself. */
  readonly shown: Set<string>;
}

export function makeContext(session: Session, branch: Branch | undefined, options: ShowOptions): ShowContext {
  return {
    ...agentContext(session, { root: session, byCall: new Map(), byId: new Map(), shown: new Set() }, options),
    queued: queuedPrompts(session),
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

function withAgents({ root, byCall, byId, shown }: AgentBook, agents: readonly AgentSource[]): AgentBook {
  const linked = agents.flatMap((agent) => (agent.toolUseId === undefined ? [] : [[agent.toolUseId, agent] as const]));
  const named = agents.map((agent) => [agent.agentId, agent] as const);
  return { root, byCall: new Map([...byCall, ...linked]), byId: new Map([...byId, ...named]), shown };
}

function queuedPrompts({ transcript }: Session): readonly QueuedPrompt[] {
  const all = findQueuedPrompts(transcript.nodes, (node) => transcript.read(node));
  return all.filter(({ outcome, text }) => (outcome === 'delivered' || outcome === 'waiting') && text.trim() !== '');
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
