// A transcript → the lines that a resume takes its messages from, in the order it sends them, or why it refuses.
// What becomes of each line on the way to a request is decided in request.ts; what is not among these is lost to it.
import type { JsonObject } from '../../base/json.ts';
import type { Node } from '../node.ts';
import { buildResumeGraph } from './graph.ts';
import { chooseLeaf } from './leaf.ts';
import { reattach } from './reattach.ts';
import { walkChain } from './walk.ts';

export interface ResumeSource {
  readonly nodes: readonly Node[];
  read(node: Node): JsonObject;
}

export type ResumeLines = { readonly lines: readonly Node[] } | { readonly refused: string };

export function resumeLines(session: { readonly transcript: ResumeSource }): ResumeLines {
  const source = session.transcript;
  const graph = buildResumeGraph(source.nodes, (node) => source.read(node));
  const choice = chooseLeaf(graph);
  if ('refused' in choice) return choice;
  return { lines: reattach(graph, walkChain(graph, choice.leaf)) };
}
