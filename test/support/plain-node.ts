// A node as a plain object with all its values, so that two nodes can be compared.
import { Node } from '../../src/session/transcript/node.ts';

export function plainNode(node: Node): Record<string, unknown> {
  const getters = Object.entries(Object.getOwnPropertyDescriptors(Node.prototype)).filter(([, each]) => each.get);
  const values = getters.map(([name]) => [name, node[name as keyof Node]] as const);
  return { ...node, ...Object.fromEntries(values) };
}
