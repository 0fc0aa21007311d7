// A session → what all checks ask of it, worked out once: what is expected of a resume, and what the current client and
// the older ones leave out.

import { type Expectation, expectedOf, missingFrom, type Reachable } from '../../session/facts/index.ts';
import type { Session } from '../../session/load/index.ts';
import { clientsWithout, oldestClient } from '../../session/resume/client/index.ts';
import { resumeLines } from '../../session/resume/request/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import type { FindingPlace, Severity } from './finding.ts';

export interface ExaminedSession extends Expectation {
  readonly session: Session;
  readonly file: string;
  readonly refused: string | undefined;
  /** The lines that a resume by the current client holds; for a sub-agent, which is not resumed, all that it reads. */
  readonly chain: ReadonlySet<Node>;
  readonly oldChain: ReadonlySet<Node>;
  /** What of the expected entries the two do not hold. */
  readonly lost: ReadonlySet<Node>;
  readonly oldLost: ReadonlySet<Node>;
  readonly places: ReadonlyMap<Node, number>;
  /** For each place of the order: how many entries right before it are lost, up to one that is not. */
  readonly lostBefore: Int32Array;
  readonly oldLostBefore: Int32Array;
}

export function examine(session: Session): ExaminedSession {
  const expected = expectedOf(session);
  const { transcript, isAgent } = session;
  const resumed = isAgent ? { lines: transcript.nodes.filter((node) => !node.hidden) } : resumeLines(transcript);
  const chain = new Set('lines' in resumed ? resumed.lines : []);
  const old = isAgent ? resumed : resumeLines(transcript, oldestClient);
  const oldChain = new Set('lines' in old ? old.lines : []);
  const lost = missingFrom(chain, expected, session);
  const oldLost = missingFrom(oldChain, expected, session);
  return {
    ...expected,
    session,
    file: transcript.path,
    refused: 'refused' in resumed ? resumed.refused : undefined,
    chain,
    oldChain,
    lost,
    oldLost,
    places: new Map(expected.order.map((node, place) => [node, place])),
    lostBefore: countBefore(expected, lost),
    oldLostBefore: countBefore(expected, oldLost),
  };
}

function countBefore({ order, entries }: Expectation, lost: ReadonlySet<Node>): Int32Array {
  const counts = new Int32Array(order.length);
  if (lost.size === 0) return counts;
  const expected = new Set(entries);
  let run = 0;
  for (const [place, node] of order.entries()) {
    counts[place] = run;
    if (lost.has(node)) run++;
    else if (expected.has(node)) run = 0;
  }
  return counts;
}

export function reachOf(examined: ExaminedSession): Reachable {
  return { loaded: examined.entries.length - examined.lost.size, of: examined.entries.length };
}

export function oldReachOf(examined: ExaminedSession): Reachable {
  return { loaded: examined.entries.length - examined.oldLost.size, of: examined.entries.length };
}

export function findingPlace({ file }: Pick<ExaminedSession, 'file'>, node: Node): FindingPlace {
  return { file, line: node.line, offset: node.offset, uuid: node.uuid };
}

export interface Cost {
  readonly severity: Severity;
  readonly effect: string;
}

/** What a break in the chain at this line costs: the entries before it that are not loaded, up to one that is. */
export function costOfBreak(examined: ExaminedSession, node: Node): Cost {
  const place = examined.places.get(node);
  if (place === undefined) return { severity: 'info', effect: 'it is on a branch that a resume does not take' };
  if (examined.session.isAgent) return { severity: 'info', effect: 'a sub-agent is not resumed; nothing is lost' };
  if ((examined.lostBefore[place] ?? 0) > 0) {
    const isStart = examined.chain.has(node);
    const where = isStart ? 'a resume begins here' : 'a resume begins further on, and would begin here without that';
    return { severity: 'loss', effect: `${where}: ${reachText(reachOf(examined))}` };
  }
  if ((examined.oldLostBefore[place] ?? 0) > 0) {
    const old = reachText(oldReachOf(examined));
    return {
      severity: 'warn',
      effect: `the current client bridges it; ${clientsWithout('followsFileOrder')} begin here: ${old}`,
    };
  }
  return { severity: 'info', effect: 'nothing is lost by it' };
}

export function reachText({ loaded, of }: Reachable): string {
  return `it loads ${loaded} of ${of} ${of === 1 ? 'entry' : 'entries'}`;
}

/** A range of lines of the active branch that a resume treats in the same way. */
export interface Segment {
  /** `compacted`: before the last compaction. `branch`: another branch, which a resume does not take. */
  readonly kind: 'compacted' | 'loaded' | 'lost' | 'branch';
  /** Of a compacted piece the lines, of the others the entries of the conversation. */
  readonly entries: number;
  readonly fromLine: number;
  readonly toLine: number;
  /** How many of the entries hang next to the chain. */
  readonly beside: number;
}

export function segmentsOf(examined: ExaminedSession): readonly Segment[] {
  const { session } = examined;
  const [active, ...others] = session.branches;
  if (active === undefined) return [];
  const before = active.nodes.slice(0, examined.compacted);
  const sideNodes = new Set([...active.sideLines.values()].flat());
  return [
    ...(before.length === 0 ? [] : [segment('compacted', before, new Set())]),
    ...runs(examined).map(({ kind, nodes }) => segment(kind, nodes, sideNodes)),
    ...others
      .filter((branch) => !branch.isReplay && !branch.nodes.some((node) => examined.places.has(node)))
      .map((branch) => segment('branch', branch.nodes, new Set())),
  ];
}

interface Run {
  readonly kind: 'loaded' | 'lost';
  readonly nodes: Node[];
}

function runs({ entries, lost }: ExaminedSession): readonly Run[] {
  const found: Run[] = [];
  for (const node of entries) {
    const kind = lost.has(node) ? 'lost' : 'loaded';
    const last = found.at(-1);
    if (last?.kind === kind) last.nodes.push(node);
    else found.push({ kind, nodes: [node] });
  }
  return found;
}

function segment(kind: Segment['kind'], nodes: readonly Node[], sideNodes: ReadonlySet<Node>): Segment {
  let [fromLine, toLine, beside] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const node of nodes) {
    fromLine = Math.min(fromLine, node.line);
    toLine = Math.max(toLine, node.line);
    if (sideNodes.has(node)) beside++;
  }
  return { kind, entries: nodes.length, fromLine, toLine, beside };
}
