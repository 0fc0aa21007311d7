// A session in one row: what a list of sessions shows.
import { isDamage } from '../../base/errors/diagnostic.ts';
import { diskError } from '../../store/disk.ts';
import { type SessionFiles, sessionFiles } from '../../store/session-files.ts';
import { buildGraph, type Graph } from '../graph/graph.ts';
import { countAgents } from '../load/agents.ts';
import { activeLeaf, isAgentTranscript } from '../load/branch.ts';
import { cwdOf, diagnosticsOf, type Session } from '../load/session.ts';
import type { Node } from '../transcript/node.ts';
import { loadTranscript, reloadTranscript, type Transcript } from '../transcript/transcript.ts';
import { countTurns, turnStarts, turnsOf } from '../turns/turns.ts';
import { forkedFromOf, tagOf, titleOf } from './title.ts';

/** The title, the times, the size and the counts of a session. */
export interface SessionSummary {
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
  if (light.foreign !== undefined) return undefined;
  const transcript = withMessagesIfNeeded(light);
  const graph = buildGraph(transcript.nodes);
  const isAgent = isAgentTranscript(transcript.nodes);
  const agents = countAgents(files, transcript, graph, isAgent);
  const session = { id: files.sessionId, files, transcript, graph };
  return makeSummary(session, countTurns(transcript, activeNodes(transcript, graph, isAgent)), agents);
}

/** The start of each turn that a summary counts, `NaN` if unknown; empty for a file of another program. */
export function turnStartsOf(path: string): readonly number[] {
  const light = loadTranscript(path, { withoutMessages: true });
  if (light.foreign !== undefined) return [];
  const transcript = withMessagesIfNeeded(light);
  const isAgent = isAgentTranscript(transcript.nodes);
  return turnStarts(transcript, activeNodes(transcript, buildGraph(transcript.nodes), isAgent));
}

/** Only the messages tell which lines repeat earlier ones. */
function withMessagesIfNeeded(light: Transcript): Transcript {
  return light.mayRepeat ? reloadTranscript(light, {}) : light;
}

/** Summarises a loaded session. */
export function summarise(session: Session): SessionSummary {
  return makeSummary(session, turnsOf(session).length, session.agents.length);
}

type SummarySource = Pick<Session, 'id' | 'files' | 'transcript' | 'graph'>;

function makeSummary(session: SummarySource, turns: number, agents: number): SessionSummary {
  const { transcript } = session;
  let startedAt = Number.NaN;
  let endedAt = Number.NaN;
  for (const { time } of transcript.nodes) {
    if (!(time >= startedAt)) startedAt = Number.isNaN(time) ? startedAt : time;
    if (!(time <= endedAt)) endedAt = Number.isNaN(time) ? endedAt : time;
  }
  const diagnostics = diagnosticsOf(session);
  return {
    sessionId: session.id,
    path: session.files.main,
    cwd: cwdOf(session),
    title: titleOf(session),
    startedAt,
    endedAt,
    entries: transcript.nodes.length,
    turns,
    agents,
    sizeBytes: transcript.sizeBytes,
    diagnostics: diagnostics.length,
    damage: diagnostics.filter(isDamage).length,
    tag: tagOf(session),
    forkedFrom: forkedFromOf(session),
  };
}

/** The lines of the active branch alone, without finding the others. */
function activeNodes(transcript: Transcript, graph: Graph, isAgent: boolean): readonly Node[] {
  const { nodes } = transcript;
  const way: Node[] = [];
  let node = activeLeaf({ nodes, isAgent, read: (each) => transcript.read(each) });
  for (; node !== undefined; node = graph.parentOf(node)) way.push(node);
  return way.reverse();
}
