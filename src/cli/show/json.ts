// A session → the JSON of `clew show --json` (docs/json.md), a turn at a time, so that a long session is never held
// as one string.

import { isoDate, jsonText } from '../../base/json/index.ts';
import { compactionJson, promptJson } from '../../export/index.ts';
import { type Block, contentOf, textOf } from '../../format/entry/index.ts';
import type { Relation } from '../../library/lineage/index.ts';
import { sessionUsage, tagOf, titleOf, turnUsage } from '../../session/facts/index.ts';
import {
  type AgentSource,
  type Branch,
  compactionsOf,
  cwdOf,
  diagnosticsOf,
  readEntry,
  type Session,
  versionsOf,
} from '../../session/load/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import { countTurns, type Message, messagesOf, type Turn, toolCallsOf } from '../../session/turns/index.ts';
import { type Lineage, relationJson } from '../input/index.ts';

export interface ShowJsonOptions {
  readonly full: boolean;
  readonly lineage: Lineage | undefined;
  readonly relations: readonly Relation[];
}

export function* showJson(
  session: Session,
  turns: readonly Turn[],
  { full, lineage, relations }: ShowJsonOptions,
): Generator<string> {
  const head = {
    sessionId: session.id,
    path: session.transcript.path,
    cwd: cwdOf(session) ?? null,
    title: titleOf(session) ?? null,
    tag: tagOf(session) ?? null,
    lineage: lineage ?? null,
    relations: relations.map(relationJson),
    versions: versionsOf(session),
    entries: entryCounts(session.transcript.nodes),
    diagnostics: diagnosticsOf(session),
    branches: session.branches.map((branch) => branchJson(session, branch)),
    compactions: compactionsOf(session).map((each) => ({
      ...compactionJson(each),
      preservedUuids: each.preservedUuids,
    })),
    agents: session.agents.map(agentJson),
  };
  yield `${jsonText(head, 2).slice(0, -2)},\n  "turns": [`;
  for (const [i, turn] of turns.entries()) {
    yield `${i === 0 ? '\n' : ',\n'}    ${jsonText(turnJson(session, turn, full))}`;
  }
  yield `${turns.length === 0 ? '' : '\n  '}],\n  "usage": ${jsonText(sessionUsage(session))}\n}\n`;
}

function entryCounts(nodes: readonly Node[]): object {
  // Without a prototype: a line may be of type `__proto__`.
  const byType: Record<string, number> = Object.create(null);
  for (const { type } of nodes) byType[type || 'untyped'] = (byType[type || 'untyped'] ?? 0) + 1;
  return { total: nodes.length, byType };
}

function branchJson(session: Session, branch: Branch): object {
  return {
    active: branch.active,
    leafUuid: branch.leaf.uuid ?? null,
    forkUuid: branch.fork?.uuid ?? null,
    entries: branch.nodes.length,
    turns: countTurns(session.transcript, branch.nodes),
    isReplay: branch.isReplay,
  };
}

function agentJson(agent: AgentSource): object {
  return {
    agentId: agent.agentId,
    path: agent.path ?? null,
    agentType: agent.agentType ?? null,
    description: agent.description ?? null,
    toolUseId: agent.toolUseId ?? null,
  };
}

function turnJson(session: Session, turn: Turn, full: boolean): object {
  return {
    index: turn.index,
    prompt: promptJson(session, turn),
    messages: messagesOf(turn).map((message) => messageJson(session, message, full)),
    toolCalls: toolCallsOf(session, turn).map((call) => ({
      id: call.id,
      name: call.name,
      isError: call.isError,
      answered: call.result !== undefined,
      agentId: call.agentId ?? null,
    })),
    usage: turnUsage(session, turn),
  };
}

function messageJson(session: Session, message: Message, full: boolean): object {
  const blocks: Block[] = message.nodes.flatMap((node) => contentOf(readEntry(session, node, 'sent')));
  return {
    role: message.role,
    id: message.id ?? null,
    model: message.model ?? null,
    stopReason: message.stopReason ?? null,
    timestamp: isoDate(message.time),
    uuids: message.nodes.map((node) => node.uuid ?? null),
    ...(full ? { content: blocks } : { text: textOf(blocks) }),
  };
}
