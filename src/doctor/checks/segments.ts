// A examined → the active branch as a few pieces, for a picture: what was compacted, what is loaded, what is not, and
// what is next to it.
import type { Node } from '../../session/transcript/node.ts';
import type { ExaminedSession } from './examined-session.ts';

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
  const besides = new Set([...active.sideLines.values()].flat());
  return [
    ...(before.length === 0 ? [] : [segment('compacted', before, new Set())]),
    ...runs(examined).map(({ kind, nodes }) => segment(kind, nodes, besides)),
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

function segment(kind: Segment['kind'], nodes: readonly Node[], besides: ReadonlySet<Node>): Segment {
  let [fromLine, toLine, beside] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const node of nodes) {
    fromLine = Math.min(fromLine, node.line);
    toLine = Math.max(toLine, node.line);
    if (besides.has(node)) beside++;
  }
  return { kind, entries: nodes.length, fromLine, toLine, beside };
}
