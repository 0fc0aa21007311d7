// The lines that old clients resume, which do not follow the order of the file (client-rules.ts). They start at the newest
// line by time, walk to the first missing parent, put back no lines next to the chain, and ignore pins and preserved
// history.
import type { Diagnostic } from '../../../base/errors/diagnostic.ts';
import { isBoundary, isMessage, isNote, type Node } from '../../transcript/node.ts';
import { refusal } from '../client/client.ts';

export interface OldResumeSource {
  readonly nodes: readonly Node[];
  readonly diagnostics?: readonly Diagnostic[];
}

export function oldResumeLines({
  nodes,
  diagnostics = [],
}: OldResumeSource): { readonly lines: readonly Node[] } | { readonly refused: string } {
  const unread = new Set(diagnostics.filter(({ code }) => spoilsLine.has(code)).map(({ line }) => line));
  const byUuid = new Map<string | undefined, Node>();
  for (const node of nodes) {
    if (node.hidden || unread.has(node.line)) continue;
    if (isMessage(node) || isNote(node) || node.type === 'progress') byUuid.set(node.uuid, node);
  }
  const chain = new Set<Node>();
  for (let line = newest(byUuid.values()); line !== undefined && !chain.has(line); ) {
    chain.add(line);
    line = isBoundary(line) ? undefined : byUuid.get(line.parentUuid ?? '');
  }
  const lines = [...chain].reverse().filter((line) => line.type !== 'progress');
  const broken = lines.find((line) => isMessage(line) && !line.hasContent);
  if (lines.length === 0) return { refused: `${refusal}: the file holds no message of a main conversation` };
  return broken === undefined
    ? { lines }
    : { refused: `line ${broken.line} has no content, and this version fails on it` };
}

/** These clients ignore a damaged line. */
const spoilsLine: ReadonlySet<string> = new Set(['L-joined', 'L-spliced', 'L-nul', 'L-not-json', 'L-torn-tail']);

function newest(lines: Iterable<Node>): Node | undefined {
  let found: Node | undefined;
  for (const line of lines) {
    if (line.isSidechain) continue;
    // A line without a time is neither newer nor older than another.
    if (found === undefined || line.time >= found.time) found = line;
  }
  return found;
}
