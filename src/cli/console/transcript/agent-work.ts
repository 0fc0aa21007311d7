// Reduces the events of sub-agents to their current step and totals, shown below the call that started them.
import type { AgentEvent } from '../../../agent/contract/event.ts';
import { oneLine } from '../../../base/text/terminal-text.ts';
import { readUsage } from '../../../format/entry/usage.ts';
import { summariseInput } from '../../../session/calls/tool-summary.ts';
import type { AgentWork } from './item.ts';

export function agentsAfter(agents: readonly AgentWork[], event: AgentEvent): readonly AgentWork[] {
  if (event.type === 'agent-started') {
    const { agentId, parentCallId, agentType, description, at } = event;
    const started = { agentId, parentCallId, agentType, description, startedMs: at.getTime() };
    return [...agents, { ...started, calls: 0, tokens: 0, doing: 'starting' }];
  }
  if (event.type === 'agent-finished') {
    const end = { endedMs: event.at.getTime(), isFailed: event.outcome.isError, doing: '' };
    return agents.map((agent) => (agent.agentId === event.agentId ? { ...agent, ...end } : agent));
  }
  const id = event.agent?.agentId;
  return id === undefined ? agents : agents.map((agent) => (agent.agentId === id ? workAfter(agent, event) : agent));
}

/** Longer than any screen is wide. */
const longestDoing = 200;

function workAfter(work: AgentWork, event: AgentEvent): AgentWork {
  switch (event.type) {
    case 'call': {
      const { name, input } = event.call;
      return { ...work, calls: work.calls + 1, doing: oneLine(`${name} ${summariseInput(name, input)}`, longestDoing) };
    }
    case 'request':
      return { ...work, doing: 'thinking' };
    case 'retry':
      return { ...work, doing: oneLine(`waiting to retry: ${event.error.message}`, longestDoing) };
    case 'part':
      return event.kind === 'text' && work.doing !== 'writing' ? { ...work, doing: 'writing' } : work;
    case 'answer': {
      const usage = readUsage(event.usage);
      return { ...work, tokens: work.tokens + (usage?.outputTokens ?? 0) };
    }
    default:
      return work;
  }
}
