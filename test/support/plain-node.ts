// A node as a plain object with everything it tells, so that two nodes can be compared as a whole.
import { Node } from '../../src/session/node.ts';

export function plainNode(node: Node): Record<string, unknown> {
  const told = Object.entries(Object.getOwnPropertyDescriptors(Node.prototype)).filter(([, each]) => each.get);
  const values = told.map(([name]) => [name, node[name as keyof Node]] as const);
  return { ...node, ...Object.fromEntries(values) };
}
