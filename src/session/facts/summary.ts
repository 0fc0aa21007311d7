// A session in one row: what a list of sessions shows.

import { isDamage } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { asEntry, contentOf } from '../../format/entry/index.ts';
import { diskError, type SessionFiles, sessionFiles } from '../../store/index.ts';
import { buildGraph, type Graph } from '../graph/index.ts';
import { activeLeaf, countAgents, cwdOf, diagnosticsOf, isAgentTranscript, type Session } from '../load/index.ts';
import {
  isMessage,
  loadTranscript,
  type Node,
  promptText,
  reloadTranscript,
  type Transcript,
} from '../transcript/index.ts';
import { countTurns, turnStarts, turnsOf } from '../turns/index.ts';

/** Returns the title of a session, or `undefined` if nothing in it can serve as one. */
export function titleOf(session: Pick<Session, 'transcript' | 'graph' | 'files'>): string | undefined {
  const { transcript } = session;
  return (
    lastValue(transcript, 'custom-title', 'customTitle') ??
    titleInFile(session.files.customTitle) ??
    lastValue(transcript, 'ai-title', 'aiTitle') ??
    summaryTitle(transcript, session.graph) ??
    lastValue(transcript, 'last-prompt', 'lastPrompt') ??
    firstPrompt(transcript)
  );
}

function lastValue(transcript: Transcript, type: string, key: string): string | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i];
    if (node?.type !== type) continue;
    const value = said(transcript.read(node)[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The last tag; an empty one removes the tag. */
export function tagOf({ transcript }: Pick<Session, 'transcript'>): string | undefined {
  const node = transcript.nodes.findLast(({ type }) => type === 'tag');
  return node === undefined ? undefined : said(transcript.read(node).tag);
}

/** Every line that a fork copies names the session it is from. */
export function forkedFromOf({ transcript }: Pick<Session, 'transcript'>): string | undefined {
  const first = transcript.nodes.find((node) => isMessage(node) && !node.isSidechain);
  return first === undefined ? undefined : said(asObject(transcript.read(first).forkedFrom)?.sessionId);
}

function titleInFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return said(asObject(parseJson(readRegularText(path)))?.customTitle);
  } catch {
    return undefined; // gone or unreadable: other titles serve
  }
}

/** A `summary` counts only if it names a line of this file: most of them belong to other sessions. */
function summaryTitle(transcript: Transcript, graph: Graph): string | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i];
    if (node?.type !== 'summary' || graph.byUuid(node.leafUuid) === undefined) continue;
    const value = said(transcript.read(node).summary);
    if (value !== undefined) return value;
  }
  return undefined;
}

function firstPrompt(transcript: Transcript): string | undefined {
  for (const node of transcript.nodes) {
    if (node.promptKind === undefined || node.promptKind === 'slash-command' || node.isSidechain) continue;
    const text = said(promptText(contentOf(asEntry(transcript.read(node)) ?? {})));
    if (text !== undefined) return text;
  }
  return undefined;
}

function said(value: unknown): string | undefined {
  return asString(value)?.trim() || undefined;
}

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

/** The messages are needed to find lines that repeat earlier ones. */
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
