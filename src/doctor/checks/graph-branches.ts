// Branches and what hangs next to them → findings: results that are left out, newer work that is not resumed, lines of
// other sessions.

import type { Session } from '../../session/load/session.ts';
import { clientsWithout } from '../../session/resume/client/client-rules.ts';
import { isBoundary, isMessage, type Node } from '../../session/transcript/node.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type Finding, makeFinding } from './finding.ts';
import { counted } from './graph.ts';

export function checkBranches(examined: ExaminedSession): Finding[] {
  if (examined.session.isAgent) return [];
  return [...checkBeside(examined), ...checkLeaf(examined), ...checkForeign(examined)];
}

/** Results next to a line that is on the chain; what is after a break is the break's doing. */
function checkBeside(examined: ExaminedSession): Finding[] {
  const { session, lost, oldLost, chain, oldChain } = examined;
  const beside = [...(session.branches[0]?.sideLines ?? [])];
  const missed = (held: ReadonlySet<Node>, missing: ReadonlySet<Node>): readonly Node[] =>
    beside.flatMap(([anchor, lines]) =>
      held.has(anchor) ? lines.filter((line) => missing.has(line) && !line.hidden) : [],
    );
  const now = missed(chain, lost);
  const before = missed(oldChain, oldLost);
  const [first] = now.length > 0 ? now : before;
  if (first === undefined) return [];
  const count = now.length > 0 ? now.length : before.length;
  const message = `${counted(count, 'line hangs', 'lines hang')} beside the chain`;
  const effect =
    now.length > 0
      ? `a resume leaves ${count === 1 ? 'it' : 'them'} out`
      : `the current client puts ${count === 1 ? 'it' : 'them'} back; ${clientsWithout('followsFileOrder')} leave ${count === 1 ? 'it' : 'them'} out`;
  const severity = now.length > 0 ? 'loss' : 'info';
  return [makeFinding('G-parallel-lost', severity, findingPlace(examined, first), message, effect)];
}

/** The user who goes back to an earlier place leaves a pin that says so, or writes on: then the other branch is older. */
function checkLeaf(examined: ExaminedSession): Finding[] {
  const { session, order } = examined;
  const [active, ...others] = session.branches;
  const pin = session.transcript.nodes.findLast((node) => node.type === 'last-prompt' && node.leafUuid !== undefined);
  if (active === undefined || pin?.explicit === true) return [];
  const resumed = new Set(order);
  const newer = others.filter((branch) => {
    if (branch.isReplay || !branch.nodes.some(isSaid) || branch.nodes.some((node) => resumed.has(node))) return false;
    return branch.leaf.time > active.leaf.time && isSameSession(session, branch.leaf);
  });
  const newest = newer.toSorted((a, b) => b.leaf.time - a.leaf.time)[0];
  if (newest === undefined) return [];
  const count = newest.nodes.filter((node) => isMessage(node) && node.hasContent).length;
  const message = `the newest branch ends here, and a resume continues line ${active.leaf.line} instead`;
  const effect = `${counted(count, 'newer entry is', 'newer entries are')} left out`;
  return [makeFinding('G-lost-leaf', 'loss', findingPlace(examined, newest.leaf), message, effect)];
}

function isSaid(node: Node): boolean {
  if (node.isApiError || node.isSidechain || !node.hasContent || node.hidden) return false;
  return node.type === 'assistant' || node.promptKind !== undefined;
}

function isSameSession(session: Session, node: Node): boolean {
  return node.sessionId === undefined || node.sessionId === session.branches[0]?.leaf.sessionId;
}

function checkForeign(examined: ExaminedSession): Finding[] {
  const { session, order } = examined;
  const resumed = new Set(order);
  const leaf = session.branches[0]?.leaf;
  return [...strangersOf(examined)].map(([id, lines]) => {
    const takesOver = leaf !== undefined && lines.includes(leaf);
    const isSent = lines.some((line) => resumed.has(line));
    const message = `${counted(lines.length, 'line belongs', 'lines belong')} to session ${id}`;
    const effect = takesOver
      ? 'a resume continues that session instead of this one'
      : isSent
        ? 'a resume sends them with this session'
        : 'a resume does not take them; search and usage find them here';
    return makeFinding(
      'G-foreign',
      takesOver ? 'loss' : 'warn',
      findingPlace(examined, lines[0] as Node),
      message,
      effect,
    ); // a group is not empty
  });
}

/**
 * Lines of other sessions that hang on nothing of this one, by session. Those that do hang together are a fork or a
 * session that was renamed, which is no damage.
 */
export function strangersOf({ session, order }: ExaminedSession): ReadonlyMap<string, readonly Node[]> {
  const byId = new Map<string, Node[]>();
  const nodes = session.transcript.nodes.filter((node) => node.uuid !== undefined && node.sessionId !== undefined);
  const ownId = ownIdOf(session, nodes);
  if (ownId === undefined || nodes.every((node) => node.sessionId === ownId)) return byId;
  const roots = rootsByLinks(session);
  const home = new Set(nodes.filter((node) => node.sessionId === ownId).map((node) => roots.get(node)));
  const firstOwn = nodes.find((node) => node.sessionId === ownId)?.index ?? 0;
  const resumed = new Set(order);
  for (const node of nodes) {
    if (home.has(roots.get(node))) continue;
    // Before the first own line, and continued by it across a break: the beginning of a session that was forked or renamed.
    if (node.index < firstOwn && resumed.has(node)) continue;
    const id = node.sessionId ?? '';
    const known = byId.get(id);
    if (known === undefined) byId.set(id, [node]);
    else known.push(node);
  }
  return byId;
}

/** The id that the file is named after; where no line has it, the id of most messages, and of several such the first. */
function ownIdOf(session: Session, nodes: readonly Node[]): string | undefined {
  if (nodes.some((node) => node.sessionId === session.id)) return session.id;
  const counts = new Map<string | undefined, number>();
  for (const node of nodes)
    if (isMessage(node) && !node.isSidechain) counts.set(node.sessionId, (counts.get(node.sessionId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}

/** The line that each hangs on in the end, by the links as they are written. */
function rootsByLinks({ transcript, graph }: Session): ReadonlyMap<Node, Node> {
  const roots = new Map<Node, Node>();
  for (const start of transcript.nodes) {
    const way = new Set<Node>();
    let node = start;
    while (!roots.has(node) && !way.has(node)) {
      way.add(node);
      const named = typeof node.parentUuid === 'string' ? node.parentUuid : undefined;
      const parent = graph.byUuid(named ?? (isBoundary(node) ? node.logicalParentUuid : undefined));
      if (parent === undefined) break;
      node = parent;
    }
    const root = roots.get(node) ?? node;
    for (const each of way) roots.set(each, root);
  }
  return roots;
}
