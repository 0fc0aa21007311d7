// How the lines hang together → findings about the graph (G). Each is judged by what it costs: what the current client
// leaves out for it, and what only older ones do.
import { isLinked } from '../../session/graph/index.ts';
import type { Session } from '../../session/load/index.ts';
import { clientsWithout } from '../../session/resume/client/index.ts';
import { retractedBy } from '../../session/resume/messages/index.ts';
import { isBoundary, isMessage, type Node } from '../../session/transcript/index.ts';
import { checkCopies, countOf } from './copies.ts';
import { costOfBreak, type ExaminedSession, findingPlace } from './examined-session.ts';
import { type DamageCode, type Finding, makeFinding } from './finding.ts';

export function checkGraph(examined: ExaminedSession): Finding[] {
  const start = findMissingRoot(examined);
  return [
    ...(start === undefined ? [] : [missingRoot(examined, start)]),
    ...checkParents(examined, start),
    ...checkProgress(examined),
    ...checkBoundaries(examined),
    ...checkCycles(examined),
    ...checkRefusal(examined),
    ...checkRetraction(examined),
    ...checkBranches(examined),
    ...checkCopies(examined),
  ];
}

/** The nodes that the graph has this to say of. */
function nodesSaid({ session }: ExaminedSession, code: DamageCode): readonly Node[] {
  const places = new Set(session.graph.diagnostics.filter((said) => said.code === code).map((said) => said.offset));
  return places.size === 0 ? [] : session.transcript.nodes.filter((node) => places.has(node.offset));
}

function checkParents(examined: ExaminedSession, start: Node | undefined): Finding[] {
  return nodesSaid(examined, 'G-phantom-parent')
    .filter((node) => node !== start)
    .map((node) => {
      const { severity, effect } = costOfBreak(examined, node);
      const message = `its parent ${node.parentUuid} is not in the file`;
      return makeFinding('G-phantom-parent', severity, findingPlace(examined, node), message, effect);
    });
}

/** The first line of a conversation without a beginning. */
function findMissingRoot({ session }: ExaminedSession): Node | undefined {
  const { nodes } = session.transcript;
  const own = nodes.filter(
    (node) => isLinked(node) && node.uuid !== undefined && (session.isAgent || !node.isSidechain),
  );
  if (own.some((node) => typeof node.parentUuid !== 'string')) return undefined;
  return own.some(isMessage) ? own[0] : undefined;
}

function missingRoot(examined: ExaminedSession, start: Node): Finding {
  const effect = 'the lines before it are not in the file; a resume loads the rest, from the first line on';
  return makeFinding(
    'G-no-root',
    'warn',
    findingPlace(examined, start),
    'every line has a parent, none begins',
    effect,
  );
}

/** The client passes through a progress line that it has read before; one that is after its child is a dead end. */
function checkProgress(examined: ExaminedSession): Finding[] {
  const { graph, transcript } = examined.session;
  const findings: Finding[] = [];
  const passing: Node[] = [];
  for (const node of transcript.nodes) {
    if (node.type === 'progress' || typeof node.parentUuid !== 'string') continue;
    const parent = graph.byUuid(node.parentUuid);
    if (parent?.type !== 'progress') continue;
    if (parent.index < node.index) passing.push(node);
    else {
      const { severity, effect } = costOfBreak(examined, node);
      const message = `its parent is a progress line after it (line ${parent.line})`;
      findings.push(makeFinding('G-progress-fork', severity, findingPlace(examined, node), message, effect));
    }
  }
  const [first] = passing;
  if (first === undefined) return findings;
  const message = `${countOf(passing.length, 'line hangs', 'lines hang')} on progress lines`;
  const effect = 'Claude Code passes through them; readers that skip progress lines lose everything before them';
  return [...findings, makeFinding('G-progress-fork', 'info', findingPlace(examined, first), message, effect)];
}

function checkBoundaries(examined: ExaminedSession): Finding[] {
  const { graph, transcript } = examined.session;
  return transcript.nodes.filter(isBoundary).flatMap((node) => {
    const { severity } = costOfBreak(examined, lineAfter(examined, node) ?? node);
    const isCut = severity === 'loss' && examined.places.has(node) && examined.chain.has(node);
    if (isCut) {
      const effect = `a resume begins here, with nothing in the place of what it cut off`;
      return makeFinding('G-boundary-parent', 'loss', findingPlace(examined, node), 'no summary follows it', effect);
    }
    const { logicalParentUuid } = node;
    if (logicalParentUuid === undefined || graph.byUuid(logicalParentUuid) !== undefined) return [];
    const message = `what it compacted, up to ${logicalParentUuid}, is not in the file`;
    const effect = 'nothing is lost: the summary replaces it';
    return makeFinding('G-boundary-parent', 'info', findingPlace(examined, node), message, effect);
  });
}

/** The next line, so that the cost counts what is lost up to and with this one. */
function lineAfter({ order, places }: ExaminedSession, node: Node): Node | undefined {
  const place = places.get(node);
  return place === undefined ? undefined : order[place + 1];
}

function checkCycles(examined: ExaminedSession): Finding[] {
  return nodesSaid(examined, 'G-cycle').map((node) => {
    const cost = costOfBreak(examined, node);
    const hangs = 'the current client stops where the circle closes; clients up to 2.1.29 never come to an end';
    const [severity, effect] = cost.severity === 'loss' ? (['loss', cost.effect] as const) : (['warn', hangs] as const);
    return makeFinding('G-cycle', severity, findingPlace(examined, node), 'its parents lead back to itself', effect);
  });
}

function checkRefusal(examined: ExaminedSession): Finding[] {
  const { refused, entries } = examined;
  const last = entries.at(-1);
  if (refused === undefined || last === undefined) return [];
  const effect = `it loads 0 of ${entries.length} entries`;
  return [makeFinding('G-refused', 'fatal', findingPlace(examined, last), refused, effect)];
}

/** A refusal that names messages which it takes back: the client then sends none of the conversation at all. */
function checkRetraction(examined: ExaminedSession): Finding[] {
  const { session, chain, entries, refused } = examined;
  if (session.isAgent) return [];
  const read = (node: Node) => session.transcript.read(node);
  // A session that is refused for another reason has no chain; once that is repaired, this one counts.
  const lines = refused === undefined ? [...chain] : session.transcript.nodes;
  const node = lines.find((each) => retractedBy(each, read).length > 0);
  if (node === undefined) return [];
  const message = `it takes back ${countOf(retractedBy(node, read).length, 'message', 'messages')} after a refusal of the model`;
  const effect = `a resume sends none of its ${entries.length} entries`;
  return [makeFinding('G-retracted', 'loss', findingPlace(examined, node), message, effect)];
}

// Branches and what hangs next to them → findings: results that are left out, newer work that is not resumed, lines of
// other sessions.

function checkBranches(examined: ExaminedSession): Finding[] {
  if (examined.session.isAgent) return [];
  return [...checkSideLines(examined), ...checkLeaf(examined), ...checkForeign(examined)];
}

/** Results next to a line that is on the chain; what is after a break is the break's doing. */
function checkSideLines(examined: ExaminedSession): Finding[] {
  const { session, lost, oldLost, chain, oldChain } = examined;
  const sideLines = [...(session.branches[0]?.sideLines ?? [])];
  const missed = (held: ReadonlySet<Node>, missing: ReadonlySet<Node>): readonly Node[] =>
    sideLines.flatMap(([anchor, lines]) =>
      held.has(anchor) ? lines.filter((line) => missing.has(line) && !line.hidden) : [],
    );
  const now = missed(chain, lost);
  const before = missed(oldChain, oldLost);
  const [first] = now.length > 0 ? now : before;
  if (first === undefined) return [];
  const count = now.length > 0 ? now.length : before.length;
  const message = `${countOf(count, 'line is', 'lines are')} outside the chain`;
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
  const effect = `${countOf(count, 'newer entry is', 'newer entries are')} left out`;
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
    const message = `${countOf(lines.length, 'line belongs', 'lines belong')} to session ${id}`;
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
 * Lines of other sessions that hang on nothing of this one, by session. Those that are linked to it come from a
 * fork or from a session that was renamed, which is not damage.
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
