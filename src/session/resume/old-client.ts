// A transcript → the lines that clients up to 2.1.45 resume. They take the newest line by its time, walk to the first
// parent that is not there, put back nothing that hangs beside the chain, and ignore pins and preserved history.
// Checked against client 2.1.45 (test/interop/old-client.test.ts); what it makes of the lines is not predicted.
import type { Diagnostic } from '../../base/diagnostic.ts';
import { isBoundary, isMessage, isNote, type Node } from '../node.ts';

export interface OldResumeSource {
  readonly nodes: readonly Node[];
  readonly diagnostics: readonly Diagnostic[];
}

export function oldResumeLines({ nodes, diagnostics }: OldResumeSource): readonly Node[] {
  const unread = new Set(diagnostics.filter(({ code }) => spoilsLine.has(code)).map(({ line }) => line));
  const byUuid = new Map<string, Node>();
  for (const node of nodes) {
    if (node.uuid === undefined || node.hidden || unread.has(node.line)) continue;
    if (isMessage(node) || isNote(node) || node.type === 'progress') byUuid.set(node.uuid, node);
  }
  const chain = new Set<Node>();
  for (let line = newest(byUuid.values()); line !== undefined && !chain.has(line); ) {
    chain.add(line);
    line = isBoundary(line) ? undefined : byUuid.get(line.parentUuid ?? '');
  }
  return [...chain].reverse().filter((line) => line.type !== 'progress');
}

/** These clients parse a line as a whole or not at all. */
const spoilsLine: ReadonlySet<string> = new Set(['L-joined', 'L-spliced', 'L-nul', 'L-not-json', 'L-torn-tail']);

function newest(lines: Iterable<Node>): Node | undefined {
  let found: Node | undefined;
  for (const line of lines) {
    if (line.isSidechain || Number.isNaN(line.time)) continue;
    if (found === undefined || line.time >= found.time) found = line;
  }
  return found;
}
