// The branches and the sub-agents of a session as rows: what can be switched to, and what can be opened.
import type { AgentSource } from '../../session/agents.ts';
import type { Branch } from '../../session/branch.ts';
import type { Session } from '../../session/session.ts';
import { countTurns } from '../../session/turns.ts';
import { firstChars, timeOf } from './text.ts';
import type { AgentRow, BranchRow } from './view.ts';

/** Remembered, because every range of the page marks where the others leave. */
export function branchRows(session: Session): readonly BranchRow[] {
  const known = remembered.get(session.branches);
  if (known !== undefined) return known;
  const rows = session.branches.map((branch, i) => ({
    number: i + 1,
    active: branch.active,
    leafUuid: branch.leaf.uuid ?? null,
    forkLine: branch.fork?.line ?? null,
    lines: branch.nodes.length,
    turns: countTurns(session.transcript, branch.nodes),
    endedAt: timeOf(branch.leaf.time),
    isReplay: branch.isReplay,
  }));
  remembered.set(session.branches, rows);
  return rows;
}

const remembered = new WeakMap<readonly Branch[], readonly BranchRow[]>();

export function agentRow(agent: AgentSource): AgentRow {
  return {
    agentId: agent.agentId,
    agentType: agent.agentType === undefined ? null : firstChars(agent.agentType, 100),
    description: agent.description === undefined ? null : firstChars(agent.description, 300),
    toolUseId: agent.toolUseId ?? null,
    workflow: agent.workflow ?? null,
  };
}
