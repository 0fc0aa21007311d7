// The ids of the calls to strip. A call is removed with all its results or not at all, and never from a message with a line
// after the limit.
import { callsOf, type Node, resultsOf } from '../../session/transcript/node.ts';

export interface CallChoice {
  readonly nodes: readonly Node[];
  /** Whether the line may be changed. */
  isOpen(node: Node): boolean;
  isMatch(name: string): boolean;
  /** Also remove results without a call. */
  readonly takesOrphans: boolean;
}

export function callsToStrip({ nodes, isOpen, isMatch, takesOrphans }: CallChoice): ReadonlySet<string> {
  const closedMessages = new Set<string>();
  for (const node of nodes) if (!isOpen(node)) for (const key of messageKeys(node)) closedMessages.add(key);
  const chosen = new Set<string>();
  const called = new Set<string>();
  const vetoed = new Set<string>();
  for (const node of nodes) {
    const isClosed = !isOpen(node) || messageKeys(node).some((key) => closedMessages.has(key));
    for (const { id, name } of callsOf(node)) {
      called.add(id);
      if (isClosed || id === '') vetoed.add(id);
      else if (isMatch(name)) chosen.add(id);
    }
  }
  for (const node of nodes) {
    for (const { toolUseId } of resultsOf(node)) {
      if (!isOpen(node)) vetoed.add(toolUseId);
      else if (takesOrphans && !called.has(toolUseId)) chosen.add(toolUseId);
    }
  }
  return new Set([...chosen].filter((id) => !vetoed.has(id)));
}

function messageKeys(node: Node): string[] {
  const key = messageKey(node);
  return key === undefined ? [] : [key];
}

/** The client joins lines with the same key; a line without one is a message of its own. */
export function messageKey({ type, message }: Node): string | undefined {
  if (type !== 'assistant') return undefined;
  return message?.id || (message?.requestId ? `request ${message.requestId}` : undefined);
}
