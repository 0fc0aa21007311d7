// A session's sub-agents, in all three layouts, each linked to the tool call that started it: by the meta file, else
// by the result that names the agent, else (1.0.x, where agents are in the main file without an id) by prompt and
// order.

import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../base/json/index.ts';
import { asEntry, contentOf, textOf } from '../../format/entry/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { agentIdOf, readLineBatches, type SessionFiles } from '../../store/index.ts';
import { type Graph, isLinked } from '../graph/index.ts';
import { callsOf, isMessage, type Node, type Transcript } from '../transcript/index.ts';

/** A sub-agent of a session and where its lines are. */
export interface AgentSource {
  readonly agentId: string;
  /** Its transcript; `undefined` if it is in the main file. */
  readonly path: string | undefined;
  /** Its lines in the main file (1.0.x); empty where it has a file of its own. */
  readonly nodes: readonly Node[];
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  /** The tool call that started it; `undefined` where nothing says so. */
  readonly toolUseId: string | undefined;
  readonly workflow: string | undefined;
}

/** `isAgent`: the transcript is a sub-agent's own, so its sidechain lines are not agents of it. */
export function findAgents(
  files: SessionFiles,
  main: Transcript,
  graph: Graph,
  isAgent: boolean,
): readonly AgentSource[] {
  const byResult = new Map<string, string>();
  for (const node of main.nodes) {
    const call = node.message?.results[0];
    if (node.resultAgentId !== undefined && call !== undefined) byResult.set(node.resultAgentId, call.toolUseId);
  }
  const filed = files.agents.map((file) => ({ ...file, meta: readMeta(file.metaPath) }));
  const flat = files.flatAgents
    .filter((path) => ownerOf(path) === files.sessionId)
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
  return [...linkByPrompt(separate, main, isAgent), ...(isAgent ? [] : inlineAgents(main, graph))];
}

/** How many `findAgents` would find, without opening their files. */
export function countAgents(files: SessionFiles, main: Transcript, graph: Graph, isAgent: boolean): number {
  return countSeparateAgents(files) + (isAgent ? 0 : sideChains(main, graph).size);
}

/** Those that have a transcript of their own. */
export function countSeparateAgents(files: SessionFiles): number {
  return files.agents.length + files.flatAgents.filter((path) => ownerOf(path) === files.sessionId).length;
}

/** The sub-agents that one transcript started: for nested ones, a sub-agent's own transcript. */
export function agentsStartedBy(transcript: Transcript, agents: readonly AgentSource[]): readonly AgentSource[] {
  const calls = new Set(transcript.nodes.flatMap((node) => callsOf(node).map((call) => call.id)));
  if (calls.size === 0) return [];
  const others = agents.filter((agent) => agent.path !== transcript.path);
  return linkByPrompt(others, transcript, true).filter(
    ({ toolUseId }) => toolUseId !== undefined && calls.has(toolUseId),
  );
}

/** An agent whose call is not named anywhere is linked to the call with the same prompt. */
function linkByPrompt(
  agents: readonly AgentSource[],
  transcript: Transcript,
  isAgent: boolean,
): readonly AgentSource[] {
  if (agents.every((agent) => agent.toolUseId !== undefined)) return agents;
  const taken = new Set(agents.map((agent) => agent.toolUseId));
  const byPrompt = callsByPrompt(taskCalls(transcript, isAgent).filter((call) => !taken.has(call.id)));
  if (byPrompt.size === 0) return agents;
  return agents.map((agent) => {
    if (agent.toolUseId !== undefined || agent.path === undefined) return agent;
    const call = byPrompt.get(openingOf(agent.path)?.prompt ?? '')?.shift();
    if (call === undefined) return agent;
    const { agentType = call.agentType, description = call.description } = agent;
    return { ...agent, agentType, description, toolUseId: call.id };
  });
}

function callsByPrompt(calls: readonly TaskCall[]): Map<string, TaskCall[]> {
  const byPrompt = new Map<string, TaskCall[]>();
  for (const call of calls) {
    if (call.prompt === undefined || call.prompt === '') continue;
    const same = byPrompt.get(call.prompt);
    if (same === undefined) byPrompt.set(call.prompt, [call]);
    else same.push(call);
  }
  return byPrompt;
}

function readMeta(path: string | undefined): JsonObject | undefined {
  if (path === undefined) return undefined;
  try {
    return asObject(parseJson(readRegularText(path)));
  } catch {
    return undefined; // gone or unreadable: the agent is shown without it
  }
}

// All sessions of a folder share its flat agents: without this each of them would open every file.
const owners = new Map<string, string>();

/** A reader of the whole file knows its owner: then `ownerOf` does not open it. */
export function rememberOwner(path: string, sessionId: string): void {
  owners.set(path, sessionId);
}

export function ownerOf(path: string): string | undefined {
  const known = owners.get(path);
  if (known !== undefined) return known;
  const owner = openingOf(path)?.sessionId;
  if (owner !== undefined) owners.set(path, owner);
  return owner;
}

interface Opening {
  readonly sessionId: string | undefined;
  readonly prompt: string;
}

/** The first message of a transcript; `undefined` if there is none or the file cannot be read. */
function openingOf(path: string): Opening | undefined {
  try {
    for (const batch of readLineBatches(path, { chunkBytes: 64 * 1024 })) {
      for (const line of batch) {
        const sessionId = scanRecord(line.bytes)?.sessionId;
        if (sessionId === undefined) continue;
        return { sessionId, prompt: textOf(contentOf(asEntry(parseJson(line.bytes.toString('utf8'))) ?? {})) };
      }
    }
  } catch {
    return undefined; // gone or unreadable
  }
  return undefined;
}

function inlineAgents(main: Transcript, graph: Graph): AgentSource[] {
  const chains = sideChains(main, graph);
  if (chains.size === 0) return [];
  const byPrompt = callsByPrompt(taskCalls(main, false));
  return [...chains].map(([root, nodes], i) => {
    const calls = byPrompt.get(textOf(contentOf(asEntry(main.read(root)) ?? {})));
    const call = calls?.[0] !== undefined && calls[0].node.index < root.index ? calls.shift() : undefined;
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

/** The sidechain lines of the main file by the first line of their chain; a chain without messages is not an agent. */
function sideChains(main: Transcript, graph: Graph): ReadonlyMap<Node, readonly Node[]> {
  const rootOf = new Map<Node, Node>();
  const chains = new Map<Node, Node[]>();
  for (const node of main.nodes) {
    if (!node.isSidechain || !isLinked(node)) continue;
    const way: Node[] = [];
    let at: Node | undefined = node;
    for (; at?.isSidechain && !rootOf.has(at); at = graph.parentOf(at)) way.push(at);
    const root = (at?.isSidechain ? rootOf.get(at) : undefined) ?? way.at(-1) ?? node;
    for (const each of way) rootOf.set(each, root);
    const chain = chains.get(root);
    if (chain === undefined) chains.set(root, [node]);
    else chain.push(node);
  }
  return new Map([...chains].filter(([, nodes]) => nodes.some(isMessage)));
}

interface TaskCall {
  readonly id: string;
  readonly node: Node;
  readonly prompt: string | undefined;
  readonly description: string | undefined;
  readonly agentType: string | undefined;
}

/** `isAgent`: sidechain lines are its own; otherwise they belong to agents in the main file. */
function taskCalls(main: Transcript, isAgent: boolean): TaskCall[] {
  const calls: TaskCall[] = [];
  for (const node of main.nodes) {
    if (node.isSidechain && !isAgent) continue;
    if (!callsOf(node).some((call) => call.name === 'Task' || call.name === 'Agent')) continue;
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
