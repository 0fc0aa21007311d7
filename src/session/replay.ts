// Lines of a branch → those that repeat earlier ones. Some clients wrote the whole history again with new uuids
// (2.1.11 → 2.1.14 when resuming, 1.0.57 in stream-json mode); such a copy has the same message and tool ids, and
// prompts of the same time and text. It is shown and counted once.
import type { JsonObject } from '../base/json.ts';
import { callsOf, type Node, resultsOf } from './node.ts';
import type { Transcript } from './transcript.ts';

/** The copies among `nodes`, which are in the order of their branch. */
export function findReplayed(transcript: Transcript, nodes: readonly Node[]): ReadonlySet<Node> {
  if (!transcript.mayRepeat) return new Set();
  const seen = new Map<string, Node>();
  const copies = new Set<Node>();
  for (const node of nodes) {
    const key = keyOf(node);
    if (key === undefined) continue;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, node);
    else if (node.promptKind === undefined || isSameContent(transcript.read(earlier), transcript.read(node))) {
      copies.add(node);
    }
  }
  return copies;
}

function keyOf(node: Node): string | undefined {
  if (node.type === 'assistant' && node.message?.id !== undefined) {
    const call = callsOf(node)[0];
    return `${node.message.id} ${call?.id ?? `${node.message.blockTypes.join()} ${node.time}`}`;
  }
  if (node.promptKind !== undefined && !Number.isNaN(node.time)) return `prompt ${node.time}`;
  const result = resultsOf(node)[0];
  return result === undefined ? undefined : `result ${result.toolUseId}`;
}

function isSameContent(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a.message ?? a.content) === JSON.stringify(b.message ?? b.content);
}
