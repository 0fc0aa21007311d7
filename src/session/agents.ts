// A session's sub-agents, in all three layouts, each linked to the tool call that started it: by the meta file, else
// by the result that names the agent, else (1.0.x, where agents stand in the main file without an id) by prompt and
// order.
import { readFileSync } from 'node:fs';
import { asObject, asString, type JsonObject, parseJson } from '../base/json.ts';
import { textOf } from '../format/block.ts';
import { asEntry, contentOf } from '../format/entry.ts';
import { scanRecord } from '../format/scan.ts';
import { readLines } from '../store/lines.ts';
import { agentIdOf, type SessionFiles } from '../store/session-files.ts';
import type { Graph } from './graph.ts';
import { callsOf, isMessage, type Node } from './node.ts';
import type { Transcript } from './transcript.ts';

export interface AgentSource {
  readonly agentId: string;
  /** Its transcript; `undefined` where it stands in the main file. */
  readonly path: string | undefined;
  /** Its lines in the main file (1.0.x); empty where it has a file of its own. */
  readonly nodes: readonly Node[];
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  /** The tool call that started it; `undefined` where nothing says so. */
  readonly toolUseId: string | undefined;
  readonly workflow: string | undefined;
}

export function findAgents(files: SessionFiles, main: Transcript, graph: Graph): readonly AgentSource[] {
  const byResult = new Map<string, string>();
  for (const node of main.nodes) {
    const call = node.message?.results[0];
    if (node.resultAgentId !== undefined && call !== undefined) byResult.set(node.resultAgentId, call.toolUseId);
  }
  const filed = files.agents.map((file) => ({ ...file, meta: readMeta(file.metaPath) }));
  const flat = files.flatAgents
    .filter((path) => sessionIdIn(path) === files.sessionId)
    .map((path) => ({ agentId: agentIdOf(path) ?? '', path, meta: undefined, workflow: undefined }));
  const separate = [...filed, ...flat].map(({ agentId, path, meta, workflow }) => ({
    agentId,
    path,
    nodes: [],
    agentType: asString(meta?.agentType),
    description: asString(meta?.description),
    toolUseId: asString(meta?.toolUseId) ?? byResult.get(agentId),
    workflow,
  }));
  return [...separate, ...inlineAgents(main, graph)];
}

function readMeta(path: string | undefined): JsonObject | undefined {
  if (path === undefined) return undefined;
  try {
    return asObject(parseJson(readFileSync(path, 'utf8')));
  } catch {
    return undefined; // gone or unreadable: the agent is shown without it
  }
}

/** The session that the first record of a file names. */
function sessionIdIn(path: string): string | undefined {
  try {
    for (const batch of readLines(path, { chunkBytes: 64 * 1024 })) {
      for (const line of batch) {
        const sessionId = scanRecord(line.bytes)?.sessionId;
        if (sessionId !== undefined) return sessionId;
      }
    }
  } catch {
    return undefined; // unreadable: whose it is cannot be told
  }
  return undefined;
}

/** Side chains in the main file, one for each root among its side lines. */
function inlineAgents(main: Transcript, graph: Graph): AgentSource[] {
  const chains = new Map<Node, Node[]>();
  const rootOf = new Map<Node, Node>();
  for (const node of main.nodes) {
    if (!node.isSidechain || !isMessage(node)) continue;
    const parent = graph.parentOf(node);
    const root = (parent?.isSidechain ? rootOf.get(parent) : undefined) ?? node;
    rootOf.set(node, root);
    chains.set(root, [...(chains.get(root) ?? []), node]);
  }
  if (chains.size === 0) return [];
  const calls = taskCalls(main);
  return [...chains].map(([root, nodes], i) => {
    const prompt = textOf(contentOf(asEntry(main.read(root)) ?? {}));
    const at = calls.findIndex((call) => call.prompt === prompt && call.node.index < root.index);
    const call = at < 0 ? undefined : calls.splice(at, 1)[0];
    return {
      agentId: root.agentId ?? `inline-${i + 1}`,
      path: undefined,
      nodes,
      agentType: call?.agentType,
      description: call?.description,
      toolUseId: call?.id,
      workflow: undefined,
    };
  });
}

interface TaskCall {
  readonly id: string;
  readonly node: Node;
  readonly prompt: string | undefined;
  readonly description: string | undefined;
  readonly agentType: string | undefined;
}

function taskCalls(main: Transcript): TaskCall[] {
  const calls: TaskCall[] = [];
  for (const node of main.nodes) {
    if (node.isSidechain || !callsOf(node).some((call) => call.name === 'Task' || call.name === 'Agent')) continue;
    for (const block of contentOf(asEntry(main.read(node)) ?? {})) {
      const input = asObject(block.type === 'tool_use' ? (block as JsonObject).input : undefined);
      const id = asString((block as JsonObject).id);
      if (input === undefined || id === undefined) continue;
      calls.push({
        id,
        node,
        prompt: asString(input.prompt),
        description: asString(input.description),
        agentType: asString(input.subagent_type),
      });
    }
  }
  return calls;
}
