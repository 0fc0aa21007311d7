// Under which turn and branch a line is shown, by looking through the whole session for each line.
import type { Database } from '../../../src/library/index/database.ts';
import type { Place } from '../../../src/library/places/place-table.ts';
import type { AgentSource } from '../../../src/session/load/agents.ts';
import type { Branch, Session } from '../../../src/session/load/session.ts';
import { callsOf, type Node } from '../../../src/session/transcript/node.ts';
import { turnsOf } from '../../../src/session/turns/turns.ts';

const nowhere: Place = { turn: undefined, branch: undefined };
const titleTypes: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'summary']);

export function plainPlace(database: Database, session: Session, file: string, line: number): Place {
  let at = { path: file, line };
  for (const seen = new Set<string>(); at.path !== session.transcript.path; ) {
    if (seen.has(at.path)) return nowhere;
    seen.add(at.path);
    const call = callOf(
      database,
      session,
      session.agents.find((each) => each.path === at.path),
    );
    if (call === undefined) return nowhere;
    at = call;
  }
  return placeOfLine(database, session, at.line);
}

function placeOfLine(database: Database, session: Session, line: number): Place {
  const { nodes } = session.transcript;
  const node = nodes.find((each) => each.line === line);
  if (node === undefined || titleTypes.has(node.type)) return nowhere;
  const found = placeOfNode(session, node);
  if (found !== undefined) return found;
  const agent = session.agents.find((each) => each.nodes.some((own) => own.line === line));
  if (agent !== undefined) {
    const call = callOf(database, session, agent);
    const start = nodes.find((each) => each.line === call?.line && !each.isSidechain);
    return (start === undefined ? undefined : placeOfNode(session, start)) ?? nowhere;
  }
  const twin = nodes.find((each) => each !== node && isTwin(each, node) && placeOfNode(session, each) !== undefined);
  return (twin === undefined ? undefined : placeOfNode(session, twin)) ?? placeBefore(session, node);
}

function placeOfNode(session: Session, node: Node): Place | undefined {
  for (const [i, branch] of session.branches.entries()) {
    if (!holds(branch, node)) continue;
    const turn = turnsOf(session, branch).find((each) => each.nodes.includes(node));
    if (turn !== undefined) return { turn: turn.index, branch: i === 0 ? undefined : i + 1 };
  }
  return undefined;
}

function placeBefore(session: Session, node: Node): Place {
  const turns = turnsOf(session);
  const turn = turns.findLast((each) => (each.nodes[0]?.index ?? 0) <= node.index) ?? turns[0];
  return { turn: turn?.index, branch: undefined };
}

function callOf(
  database: Database,
  session: Session,
  agent: AgentSource | undefined,
): { path: string; line: number } | undefined {
  const id = agent?.toolUseId;
  if (id === undefined) return undefined;
  const own = session.transcript.nodes.find((node) => callsOf(node).some((call) => call.id === id));
  if (own !== undefined) return { path: session.transcript.path, line: own.line };
  const row = database
    .prepare('SELECT f.path, c.line FROM tool_calls c JOIN files f ON f.id = c.file WHERE c.tool_use_id = ?')
    .all(id)
    .find((each) => session.agents.some((other) => other.path === each.path && other !== agent));
  return row === undefined ? undefined : { path: String(row.path), line: Number(row.line) };
}

function holds(branch: Branch, node: Node): boolean {
  return branch.nodes.includes(node) || [...branch.sideLines.values()].some((lines) => lines.includes(node));
}

function isTwin(a: Node, b: Node): boolean {
  if (a.uuid !== undefined && a.uuid === b.uuid) return true;
  return a.message?.id !== undefined && a.message.id === b.message?.id;
}
