// All attacks on the tools of the agent that a model, or a repository that steers it, may try, directly and through a
// sub-agent.
import type { AgentAttack, AttackCall } from './agent-attack.ts';
import { commands } from './agent-attack-commands.ts';
import { links, otherTools, renaming, writing } from './agent-attack-files.ts';
import { repository } from './agent-attack-repository.ts';
import { reading, searching } from './agent-attack-search.ts';

const direct: readonly AgentAttack[] = [
  ...reading,
  ...searching,
  ...writing,
  ...otherTools,
  ...links,
  ...renaming,
  ...repository,
  ...commands,
];

/** The same through a sub-agent: its calls follow the one that starts it. */
const bySubAgent = direct
  .filter(({ swap }, i) => swap === undefined && i % 4 === 1)
  .map((attack): AgentAttack => {
    const start: AttackCall = ['Agent', { description: 'work', prompt: 'work', subagent_type: 'general-purpose' }];
    return { ...attack, name: `a sub-agent: ${attack.name}`, answers: [[start], ...attack.answers] };
  });

export const agentAttacks: readonly AgentAttack[] = [...direct, ...bySubAgent];
