// The sub-agents that a call may have started, for a view of a session from its start to its end: those of the session,
// and in one of them also its own. Each is shown once.
import { unreadableCode } from '../base/errors.ts';
import type { AgentSource } from './agents.ts';
import { loadAgent, type Session } from './session.ts';
import type { ToolCall } from './tool-calls.ts';

export interface AgentBook {
  readonly root: Session;
  readonly byCall: ReadonlyMap<string, AgentSource>;
  readonly byId: ReadonlyMap<string, AgentSource>;
  /** The ids of those shown so far. One that is resumed has several calls, and damage may lead an agent to itself. */
  readonly shown: Set<string>;
}

export function newAgentBook(root: Session): AgentBook {
  return withAgents({ root, byCall: new Map(), byId: new Map(), shown: new Set() }, root.agents);
}

export function withAgents({ root, byCall, byId, shown }: AgentBook, agents: readonly AgentSource[]): AgentBook {
  const linked = agents.flatMap((agent) => (agent.toolUseId === undefined ? [] : [[agent.toolUseId, agent] as const]));
  const named = agents.map((agent) => [agent.agentId, agent] as const);
  return { root, byCall: new Map([...byCall, ...linked]), byId: new Map([...byId, ...named]), shown };
}

export function agentOf({ byCall, byId }: AgentBook, call: Pick<ToolCall, 'id' | 'agentId'>): AgentSource | undefined {
  return byCall.get(call.id) ?? byId.get(call.agentId ?? '');
}

/** Its session, or the reason why its file cannot be read. */
export async function openAgent(root: Session, agent: AgentSource): Promise<Session | { readonly unreadable: string }> {
  try {
    return await loadAgent(root, agent);
  } catch (error) {
    const unreadable = unreadableCode(error);
    if (unreadable === undefined) throw error;
    return { unreadable };
  }
}
