// A session in which every name is hostile (in hostile-session.ts, every text is): of its file, its folder, its sub-agents and
// its lines; and it is damaged, so that every report about it quotes those names. It cost money, was answered twice, and has just
// been written to: no report leaves it out.
import path from 'node:path';
import { attack as anyAttack } from './hostile-session.ts';
import { writeTree } from './temp-folder.ts';
import { text, thinking, toolResult, toolUse, transcript } from './transcript-builder.ts';

/** Half a character would be additional damage that hides the rest. */
const attack = anyAttack.toWellFormed();

/** As much of the attack as fits into a file name. */
export const hostileName = '<img src=x onerror=canary()>\u202e\u001b[31m\u0007\u2066';

export interface HostileDamage {
  readonly id: string;
  readonly file: string;
}

const folder = `projects/-damaged-${hostileName}`;
const lostId = 'aaaaaaaa-0000-4000-a000-00000000beef';

export function writeHostileDamage(root: string): HostileDamage {
  const id = `damaged ${hostileName}`;
  const agent = `${folder}/${id}/subagents/agent-${hostileName}`;
  writeTree(root, {
    [`${folder}/${id}.jsonl`]: damagedText(),
    [`${agent}.jsonl`]: transcript({ isSidechain: true, agentId: hostileName, cwd: attack, sessionId: id })
      .user('of an agent')
      .assistant([text('by an agent'), toolUse('in-agent', `agent tool: ${attack}`)], { message: { model: attack } })
      .text(),
    [`${agent}.meta.json`]: JSON.stringify({ agentType: attack, description: attack, toolUseId: 'task' }),
    // A deleted session, and one that is too deep: findings of the folder.
    [`${folder}/${lostId}/subagents/agent-x.jsonl`]: transcript().user('left').text(),
    [`${folder}/${hostileName}/${lostId}.jsonl`]: transcript().user('too deep').text(),
  });
  return { id, file: path.join(root, folder, `${id}.jsonl`) };
}

function damagedText(): string {
  const dear = { id: `dear ${attack}`, usage: { input_tokens: 900_000, output_tokens: 900_000 } };
  const now = new Date().toISOString();
  const lines = transcript({
    cwd: `/nowhere/project: ${hostileName}`,
    gitBranch: attack,
    version: attack,
    slug: attack,
  })
    .user(`dear prompt: ${attack}`)
    .assistant([thinking(attack)], { message: dear })
    .assistant([text(attack)], { message: dear, uuid: `again ${attack}` })
    .assistant([toolUse('task', 'Task', { subagent_type: attack, description: attack, prompt: attack })])
    .result('task', { toolUseResult: { agentId: hostileName, status: attack } })
    .assistant([toolUse(`call ${attack}`, `open tool: ${attack}`, { command: attack })])
    .user(`between: ${attack}`)
    .user([toolResult(`lone ${attack}`, attack, { is_error: true })])
    .user(`orphan: ${attack}`, { parentUuid: `phantom parent: ${attack}` })
    .assistant(attack, { sessionId: `other session: ${attack}` })
    .boundary({ trigger: attack, preTokens: 1 }, { logicalParentUuid: `compacted: ${attack}` })
    .summary(attack)
    .user(`last: ${attack}`, { timestamp: now })
    .assistant([toolUse('again', `last tool: ${attack}`, { command: attack })], { timestamp: now })
    .assistant([toolUse('again', `last tool: ${attack}`, { command: attack })], { timestamp: now })
    .text();
  return `${lines}{"type":"user","uuid":"torn","message":{"role":"user","content":"torn: <img src=x onerror=canary()>\u202e`;
}
