// A line of a session or of one of its sub-agents → where the page draws it: the branch and the part, the sub-agents that
// must be open, and the line of the block that shows it.
import { compactionsOf, type Session } from '../../session/load/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import { promptsWithoutLine } from '../../session/turns/index.ts';
import type { ShownPlace } from '../wire/index.ts';
import { findLine, type LinePlace, type Parts, partsOf } from './parts.ts';

/** A session whose sub-agents can be opened. */
export interface OpenSession {
  readonly session: Session;
  /** `undefined`: it is unknown, or cannot be read. */
  openAgent(agentId: string): Promise<Session | undefined>;
}

/** `null`: the page does not draw the line. */
export async function shownPlace(
  opened: OpenSession,
  agentId: string | null,
  line: number,
): Promise<ShownPlace | null> {
  const { session } = opened;
  const own = agentId ?? inlineAgentOf(session, line);
  if (own === null) {
    const drawn = drawnPlace(session, line);
    return drawn === undefined ? null : { ...drawn, trail: [], agentPart: 0 };
  }
  const trail = await trailTo(opened, own);
  const first = trail?.[0];
  const call = first === undefined ? undefined : callOf(session, first);
  const under = call === undefined ? undefined : findLine(session, call.line);
  const agent = await opened.openAgent(own);
  const drawn = agent === undefined ? undefined : drawnPlace(agent, line);
  // Below a call the active branch of the sub-agent is drawn.
  if (trail === undefined || under === undefined || drawn === undefined || drawn.branch !== 1) return null;
  return { ...under, trail, agentPart: drawn.part, line: drawn.line };
}

/** The sub-agent in the main file that a line belongs to. */
function inlineAgentOf(session: Session, line: number): string | null {
  return session.agents.find(({ nodes }) => nodes.some((node) => node.line === line))?.agentId ?? null;
}

type DrawnPlace = LinePlace & { readonly line: number };

function drawnPlace(session: Session, line: number): DrawnPlace | undefined {
  const node = session.transcript.nodes.find((each) => each.line === line);
  if (node === undefined) return undefined;
  const shownBy = showing(session, node);
  // A result is drawn with its call, which may be in an earlier part.
  const call = callAnsweredBy(session, node);
  const place = findLine(session, (call ?? shownBy).line) ?? queuedPlace(session, shownBy);
  return place === undefined ? undefined : { ...place, line: shownBy.line };
}

/** The summary of a compaction is drawn with its boundary. */
function showing(session: Session, node: Node): Node {
  if (!node.isCompactSummary) return node;
  return compactionsOf(session).find(({ summary }) => summary === node)?.boundary ?? node;
}

function callAnsweredBy(session: Session, node: Node): Node | undefined {
  const id = node.message?.results[0]?.toolUseId;
  return id === undefined ? undefined : nodeWithCall(session, id);
}

/** A prompt without a line of its own is drawn before the next line of the turn in which it was delivered. */
function queuedPlace(session: Session, node: Node): LinePlace | undefined {
  if (node.type !== 'queue-operation') return undefined;
  const isDelivered = promptsWithoutLine(session.transcript).some(
    (prompt) => prompt.node === node && prompt.outcome === 'delivered' && prompt.shownBy === undefined,
  );
  if (!isDelivered) return undefined;
  for (const [i, branch] of session.branches.entries()) {
    const parts = partsOf(session, branch);
    const place = placeAround(parts, node.index);
    if (place !== undefined) return { branch: i + 1, ...place };
  }
  return undefined;
}

function placeAround({ all, turns }: Parts, record: number): Omit<LinePlace, 'branch'> | undefined {
  const turn = turns.find(({ nodes }) => {
    const records = nodes.map((node) => node.index);
    return records.length > 0 && Math.min(...records) <= record && record <= Math.max(...records);
  });
  if (turn === undefined) return undefined;
  const next = turn.nodes.findIndex((node) => node.index > record);
  const at = next < 0 ? turn.nodes.length - 1 : next;
  const part = all.find((each) => each.turn === turn && at >= each.from && at < each.to);
  return part === undefined ? undefined : { turn: turn.index, part: part.index };
}

/** The line of the call that started a sub-agent. */
function callOf(session: Session, agentId: string): Node | undefined {
  const toolUseId = session.agents.find((each) => each.agentId === agentId)?.toolUseId;
  return toolUseId === undefined ? undefined : nodeWithCall(session, toolUseId);
}

function nodeWithCall({ transcript }: Session, id: string): Node | undefined {
  return transcript.nodes.find((node) => callsOf(node).some((call) => call.id === id));
}

const trails = new WeakMap<Session, Map<string, readonly string[] | undefined>>();

/** The sub-agents from the main transcript to this one, each started by the one before. */
async function trailTo(opened: OpenSession, agentId: string): Promise<readonly string[] | undefined> {
  const { session } = opened;
  const known = trails.get(session) ?? new Map<string, readonly string[] | undefined>();
  trails.set(session, known);
  if (known.has(agentId)) return known.get(agentId);
  // Damage may lead an agent to itself.
  known.set(agentId, undefined);
  const trail = callOf(session, agentId) === undefined ? await trailThrough(opened, agentId) : [agentId];
  known.set(agentId, trail);
  return trail;
}

async function trailThrough(opened: OpenSession, agentId: string): Promise<readonly string[] | undefined> {
  for (const { agentId: other } of opened.session.agents) {
    if (other === agentId) continue;
    const parent = await opened.openAgent(other);
    if (parent === undefined || callOf(parent, agentId) === undefined) continue;
    const trail = await trailTo(opened, other);
    if (trail !== undefined) return [...trail, agentId];
  }
  return undefined;
}
