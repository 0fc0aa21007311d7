// How the lines hang together → findings about the graph (G). Each is judged by what it costs: what the current client
// leaves out for it, and what only older ones do.
import { isLinked } from '../../session/graph/graph.ts';
import { retractedBy } from '../../session/resume/messages/draft.ts';
import { isBoundary, isMessage, type Node } from '../../session/transcript/node.ts';
import { checkCopies } from './copies.ts';
import { costOfBreak, type ExaminedSession, findingPlace } from './examined-session.ts';
import { type DamageCode, type Finding, makeFinding } from './finding.ts';
import { checkBranches } from './graph-branches.ts';

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
  const effect = 'what stood before it is not in the file; what is there is loaded from the first line on';
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
      const message = `it hangs on a progress line that stands behind it (line ${parent.line})`;
      findings.push(makeFinding('G-progress-fork', severity, findingPlace(examined, node), message, effect));
    }
  }
  const [first] = passing;
  if (first === undefined) return findings;
  const message = `${counted(passing.length, 'line hangs', 'lines hang')} on progress lines`;
  const effect = 'Claude Code passes through them; readers that skip progress lines lose what stands before';
  return [...findings, makeFinding('G-progress-fork', 'info', findingPlace(examined, first), message, effect)];
}

function checkBoundaries(examined: ExaminedSession): Finding[] {
  const { graph, transcript } = examined.session;
  return transcript.nodes.filter(isBoundary).flatMap((node) => {
    const { severity } = costOfBreak(examined, behind(examined, node) ?? node);
    const isCut = severity === 'loss' && examined.places.has(node) && examined.chain.has(node);
    if (isCut) {
      const effect = `a resume begins here, with nothing in the place of what it cut off`;
      return makeFinding('G-boundary-parent', 'loss', findingPlace(examined, node), 'no summary follows it', effect);
    }
    const { logicalParentUuid } = node;
    if (logicalParentUuid === undefined || graph.byUuid(logicalParentUuid) !== undefined) return [];
    const message = `what it compacted, up to ${logicalParentUuid}, is not in the file`;
    const effect = 'nothing is lost by it: the summary stands in its place';
    return makeFinding('G-boundary-parent', 'info', findingPlace(examined, node), message, effect);
  });
}

/** The place right after the line: what is lost up to and with it counts. */
function behind({ order, places }: ExaminedSession, node: Node): Node | undefined {
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
  const message = `it takes back ${counted(retractedBy(node, read).length, 'message', 'messages')} after a refusal of the model`;
  const effect = `a resume sends none of its ${entries.length} entries`;
  return [makeFinding('G-retracted', 'loss', findingPlace(examined, node), message, effect)];
}

export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
