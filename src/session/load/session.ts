// A session: its main transcript, its sub-agents, and how its lines are linked. Plain data; what is derived from
// it (turns, calls, usage, titles, what a resume sends) is a function in the file of that name.
import { type Diagnostic, unreadableCode } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { asEntry, type Entry } from '../../format/entry/index.ts';
import { diskError, type SessionFiles, sessionFiles } from '../../store/index.ts';
import { buildGraph, findRelatives, findSideLines, type Graph, type Relatives } from '../graph/index.ts';
import { buildResumeGraph, chooseLeaf, type ResumeGraph } from '../resume/chain/index.ts';
import {
  isMessage,
  loadTranscript,
  type NeededPart,
  type Node,
  type Transcript,
  type TranscriptOptions,
} from '../transcript/index.ts';
import { type AgentSource, agentsStartedBy, findAgents } from './agents.ts';

/** A session: its files, its entries and how they are linked. */
export interface Session {
  /** The id that the client knows it by: the name of its file. */
  readonly id: string;
  readonly files: SessionFiles;
  readonly transcript: Transcript;
  /** The transcript of a sub-agent. */
  readonly isAgent: boolean;
  readonly graph: Graph;
  readonly relatives: Relatives;
  /** The active branch first; none where the file holds no conversation. */
  readonly branches: readonly Branch[];
  readonly agents: readonly AgentSource[];
}

/**
 * Loads a session from the path of its main transcript. Every line is parsed, unless `strict: false` trades exactness
 * for speed.
 */
export async function loadSession(path: string, options: TranscriptOptions = {}): Promise<Session> {
  const files = sessionFiles(path);
  return makeSession(files, loadWhole(path, options));
}

export function makeSession(files: SessionFiles, transcript: Transcript): Session {
  const { nodes } = transcript;
  const isAgent = isAgentTranscript(nodes);
  const graph = buildGraph(nodes);
  const relatives = findRelatives(nodes, graph, isAgent);
  return {
    id: files.sessionId,
    files,
    transcript,
    isAgent,
    graph,
    relatives,
    branches: findBranches({ nodes, graph, relatives, isAgent, read: (node) => transcript.read(node) }),
    agents: findAgents(files, transcript, graph, isAgent),
  };
}

/**
 * Loads a sub-agent of a session as a session, from its own file or from its lines in the main transcript. Its agents
 * are those that it started.
 */
export async function loadAgent(
  session: Session,
  agent: AgentSource,
  options: TranscriptOptions = {},
): Promise<Session> {
  if (agent.path !== undefined) return agentSession(session, agent, loadWhole(agent.path, options));
  return makeSession(agentFiles(session), session.transcript.pick(agent.nodes));
}

/** The same from a sub-agent's file that is loaded. */
export function agentSession(session: Session, agent: AgentSource, transcript: Transcript): Session {
  const files = { ...agentFiles(session), sessionId: `agent-${agent.agentId}`, main: transcript.path };
  return { ...makeSession(files, transcript), agents: agentsStartedBy(transcript, session.agents) };
}

function agentFiles({ files }: Session): SessionFiles {
  const { customTitle, archived, ...main } = files;
  return { ...main, agents: [], flatAgents: [], toolResults: [], journals: [] };
}

function loadWhole(path: string, options: TranscriptOptions): Transcript {
  try {
    return loadTranscript(path, { strict: true, ...options });
  } catch (error) {
    throw diskError(error, 'read', path);
  }
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

/** Returns what is wrong with the lines and the graph of a session, in the order of the file. */
export function diagnosticsOf(session: Pick<Session, 'transcript' | 'graph'>): readonly Diagnostic[] {
  return [...session.transcript.diagnostics, ...session.graph.diagnostics].sort((a, b) => a.offset - b.offset);
}

/**
 * Returns the working directory that a session was started in, as its lines say. The name of the project folder cannot
 * be decoded into it.
 */
export function cwdOf(session: Pick<Session, 'transcript'>): string | undefined {
  return session.transcript.nodes.find((node) => node.cwd !== undefined)?.cwd;
}

/** Returns the versions of the client that wrote a session, in the order of their first line. */
export function versionsOf(session: Pick<Session, 'transcript'>): readonly string[] {
  return [...new Set(session.transcript.nodes.flatMap((node) => node.version ?? []))];
}

/** Reads the entry of a node; by default all of it. */
export function readEntry(session: Pick<Session, 'transcript'>, node: Node, needed?: NeededPart): Entry {
  return asEntry(session.transcript.read(node, needed)) ?? {};
}

/** One path through the conversation, from the first entry to a last one. */
export interface Branch {
  readonly active: boolean;
  readonly leaf: Node;
  /** Where it leaves an earlier branch of the list; `undefined` if it has a beginning of its own. */
  readonly fork: Node | undefined;
  /** Its own lines, oldest first: from the fork, or the beginning, to the leaf. */
  readonly nodes: readonly Node[];
  /** Lines off the branch that belong to its messages, by the line of the branch that they follow. */
  readonly sideLines: ReadonlyMap<Node, readonly Node[]>;
  /** All its messages are on an earlier branch of the list too: history that was written again. */
  readonly isReplay: boolean;
}

export interface BranchSource {
  readonly nodes: readonly Node[];
  readonly graph: Graph;
  readonly relatives: Relatives;
  /** A sub-agent's transcript: its lines are sidechain lines, but still its conversation. */
  readonly isAgent: boolean;
  read(node: Node): JsonObject;
}

/** The active branch first, then the others, newest first; empty if the file holds no conversation. */
function findBranches(source: BranchSource): readonly Branch[] {
  const leaf = activeLeaf(source);
  if (leaf === undefined) return [];
  const { nodes } = source;
  const covered = new Uint8Array(nodes.length);
  const seenMessages = new Set<string>();
  const branches: Branch[] = [];
  const add = (tip: Node, active: boolean): void => {
    const way = wayTo(source.graph, tip, covered);
    const ids = way.nodes.flatMap((node) => (node.type === 'assistant' && node.message?.id ? [node.message.id] : []));
    const isReplay = !active && ids.length > 0 && ids.every((id) => seenMessages.has(id));
    for (const id of ids) seenMessages.add(id);
    for (const node of way.nodes) covered[node.index] = 1;
    const sideLines = findSideLines(way.nodes, source, (node) => covered[node.index] === 1);
    for (const lines of sideLines.values()) for (const line of lines) covered[line.index] = 1;
    branches.push({ active, leaf: tip, fork: way.fork, nodes: way.nodes, sideLines, isReplay });
  };
  add(leaf, true);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i] as Node; // i is in range
    if (covered[i] === 0 && isMessage(node) && isOwn(source, node) && !source.graph.isReplaced(node)) add(node, false);
  }
  return branches;
}

export function isAgentTranscript(nodes: readonly Node[]): boolean {
  return nodes.some(isMessage) && nodes.every((node) => !isMessage(node) || node.isSidechain);
}

/** The line a resume continues from; the last message if the client refuses the file. */
export function activeLeaf(source: LeafSource): Node | undefined {
  return chooseActiveLeaf(source).leaf;
}

type LeafSource = Pick<BranchSource, 'nodes' | 'isAgent' | 'read'>;

/** The same, with the graph of the client that decided it; a sub-agent's transcript has none. */
export function chooseActiveLeaf(source: LeafSource): { leaf: Node | undefined; resume: ResumeGraph | undefined } {
  const resume = source.isAgent ? undefined : buildResumeGraph(source.nodes, (node) => source.read(node));
  const choice = resume === undefined ? undefined : chooseLeaf(resume);
  if (choice !== undefined && 'leaf' in choice && isMessage(choice.leaf)) return { leaf: choice.leaf, resume };
  return { leaf: source.nodes.findLast((node) => isMessage(node) && isOwn(source, node)), resume };
}

function isOwn(source: Pick<BranchSource, 'isAgent'>, node: Node): boolean {
  return source.isAgent || !node.isSidechain;
}

function wayTo(graph: Graph, tip: Node, covered: Uint8Array): { nodes: Node[]; fork: Node | undefined } {
  const nodes: Node[] = [];
  let node: Node | undefined = tip;
  for (; node !== undefined && covered[node.index] === 0; node = graph.parentOf(node)) nodes.push(node);
  return { nodes: nodes.reverse(), fork: node };
}
