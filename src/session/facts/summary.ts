// A session in one row: what a list of sessions shows.

import { isDamage } from '../../base/errors/index.ts';
import { diskError, type SessionFiles, sessionFiles } from '../../store/index.ts';
import { buildGraph, type Graph } from '../graph/index.ts';
import {
  chooseActiveLeaf,
  countAgents,
  countSeparateAgents,
  cwdOf,
  diagnosticsOf,
  isAgentTranscript,
  type Session,
} from '../load/index.ts';
import type { ResumeGraph } from '../resume/chain/index.ts';
import { isMessage, loadTranscript, type Node, reloadTranscript, type Transcript } from '../transcript/index.ts';
import { turnStarts, turnsOf } from '../turns/index.ts';
import { type Continuation, continuationOf } from './continuation.ts';
import { forkOf, type OriginFacts, originFactsOf } from './origin-facts.ts';
import { chooseTitle, said, titleInLines, titleOf } from './titles.ts';
import { lastMessageOf, type WorkFacts, workFactsOf } from './work-facts.ts';

/** The last tag; an empty one removes the tag. */
export function tagOf({ transcript }: Pick<Session, 'transcript'>): string | undefined {
  const node = transcript.nodes.findLast(({ type }) => type === 'tag');
  return node === undefined ? undefined : said(transcript.read(node).tag);
}

/** Every line that a fork copies names the session it is from. */
export function forkedFromOf({ transcript }: Pick<Session, 'transcript'>): string | undefined {
  const first = firstMessage(transcript);
  return first === undefined ? undefined : forkOf(transcript.read(first));
}

function firstMessage({ nodes }: Pick<Transcript, 'nodes'>): Node | undefined {
  return nodes.find((node) => isMessage(node) && !node.isSidechain);
}

/** The title, the times, the size and the counts of a session, and where its work was done. */
export interface SessionSummary extends WorkFacts {
  readonly sessionId: string;
  readonly path: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** The earliest and latest time on its lines, `NaN` where there is none; clocks run backwards in real files. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly entries: number;
  readonly turns: number;
  readonly agents: number;
  readonly sizeBytes: number;
  readonly diagnostics: number;
  readonly damage: number;
  readonly tag: string | undefined;
  /** The session that its lines say it is a copy of. */
  readonly forkedFrom: string | undefined;
  /** The uuid of the first message, which a fork has in common with its origin. */
  readonly firstUuid: string | undefined;
  /** What else its lines say about where it came from. */
  readonly origin: OriginFacts;
}

/** Summarises a session without keeping its content in memory. Returns `undefined` for a file of another program. */
export async function summariseFile(path: string): Promise<SessionSummary | undefined> {
  const files = sessionFiles(path);
  try {
    return summariseTranscript(files, loadTranscript(path, { withoutMessages: true }));
  } catch (error) {
    throw diskError(error, 'read', path);
  }
}

/** The same for a transcript that was loaded `withoutMessages`. */
export function summariseTranscript(files: SessionFiles, light: Transcript): SessionSummary | undefined {
  return summariseForMore(files, light)?.summary;
}

export interface MadeSummary {
  readonly summary: SessionSummary;
  /** What is needed to continue it when lines are appended. */
  readonly continuation: Continuation | undefined;
  /** As `turnStartsOf` returns them. */
  readonly turnStarts: readonly number[];
}

/** The same, with more that is known of a transcript that was read whole. */
export function summariseForMore(files: SessionFiles, light: Transcript): MadeSummary | undefined {
  if (light.foreign !== undefined) return undefined;
  const transcript = withMessagesIfNeeded(light);
  const graph = buildGraph(transcript.nodes);
  const isAgent = isAgentTranscript(transcript.nodes);
  const agents = countAgents(files, transcript, graph, isAgent);
  const session = { id: files.sessionId, files, transcript, graph };
  const { nodes, leaf, resume } = activeBranch(transcript, graph, isAgent);
  const title = titleInLines(session);
  const starts = turnStarts(transcript, nodes);
  const summary = makeSummary(session, starts.length, agents, chooseTitle(title, files));
  const inlineAgents = agents - countSeparateAgents(files);
  const continuation = continuationOf({ transcript, graph, resume, leaf, nodes, title, inlineAgents });
  return { summary, continuation, turnStarts: starts };
}

/** The start of each turn that a summary counts, `NaN` if unknown; empty for a file of another program. */
export function turnStartsOf(path: string): readonly number[] {
  const light = loadTranscript(path, { withoutMessages: true });
  if (light.foreign !== undefined) return [];
  const transcript = withMessagesIfNeeded(light);
  const isAgent = isAgentTranscript(transcript.nodes);
  return turnStarts(transcript, activeBranch(transcript, buildGraph(transcript.nodes), isAgent).nodes);
}

/** The messages are needed to find lines that repeat earlier ones. */
function withMessagesIfNeeded(light: Transcript): Transcript {
  return light.mayRepeat ? reloadTranscript(light, {}) : light;
}

/** Summarises a loaded session. */
export function summarise(session: Session): SessionSummary {
  return makeSummary(session, turnsOf(session).length, session.agents.length, titleOf(session));
}

type SummarySource = Pick<Session, 'id' | 'files' | 'transcript' | 'graph'>;

function makeSummary(session: SummarySource, turns: number, agents: number, title: string | undefined): SessionSummary {
  const { transcript } = session;
  let startedAt = Number.NaN;
  let endedAt = Number.NaN;
  for (const { time } of transcript.nodes) {
    if (!(time >= startedAt)) startedAt = Number.isNaN(time) ? startedAt : time;
    if (!(time <= endedAt)) endedAt = Number.isNaN(time) ? endedAt : time;
  }
  const diagnostics = diagnosticsOf(session);
  const firstNode = firstMessage(transcript);
  const first = firstNode === undefined ? undefined : transcript.read(firstNode);
  const last = lastMessageOf(transcript);
  return {
    sessionId: session.id,
    path: session.files.main,
    cwd: cwdOf(session),
    title,
    startedAt,
    endedAt,
    entries: transcript.nodes.length,
    turns,
    agents,
    sizeBytes: transcript.sizeBytes,
    diagnostics: diagnostics.length,
    damage: diagnostics.filter(isDamage).length,
    tag: tagOf(session),
    forkedFrom: first === undefined ? undefined : forkOf(first),
    firstUuid: firstNode?.uuid,
    origin: originFactsOf(transcript, session.id, { first, last }),
    ...workFactsOf(transcript, last),
  };
}

interface ActiveBranch {
  readonly nodes: readonly Node[];
  readonly leaf: Node | undefined;
  readonly resume: ResumeGraph | undefined;
}

/** The lines of the active branch alone, without finding the others. */
function activeBranch(transcript: Transcript, graph: Graph, isAgent: boolean): ActiveBranch {
  const { nodes } = transcript;
  const way: Node[] = [];
  const { leaf, resume } = chooseActiveLeaf({ nodes, isAgent, read: (each) => transcript.read(each) });
  for (let node = leaf; node !== undefined; node = graph.parentOf(node)) way.push(node);
  return { nodes: way.reverse(), leaf, resume };
}
