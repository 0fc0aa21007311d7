// A branch → its turns: from one prompt of a person to the next. Each line of the branch is in exactly one turn; the
// lines beside it (results of parallel calls, other lines of a message) are in the turn of their message.
import type { JsonObject } from '../base/json.ts';
import type { Branch, Relatives } from './branch.ts';
import type { Node } from './node.ts';
import { findReplayed } from './replay.ts';

export interface Turn {
  /** From 1, along the branch. */
  readonly index: number;
  /** The line of the prompt; `undefined` where a branch begins without one. */
  readonly prompt: Node | undefined;
  /** The lines of the turn, the prompt first, in the order of the branch. */
  readonly nodes: readonly Node[];
}

export interface Message {
  readonly role: 'user' | 'assistant';
  /** The API's id; lines without one are a message each. */
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  readonly time: number;
  /** Its lines, in file order; their blocks, one after the other, are its content. */
  readonly nodes: readonly Node[];
}

export function turnsOf(branch: Pick<Branch, 'nodes'>, relatives: Relatives, read: (node: Node) => JsonObject): Turn[] {
  const copies = findReplayed(branch.nodes, read);
  const groups: { prompt: Node | undefined; nodes: Node[] }[] = [];
  for (const node of branch.nodes) {
    if (copies.has(node)) continue;
    const last = groups.at(-1);
    if (node.promptKind !== undefined || last === undefined) {
      groups.push({ prompt: node.promptKind === undefined ? undefined : node, nodes: [node] });
    } else last.nodes.push(node);
  }
  const begun = new Set(branch.nodes.map((node) => node.index));
  return groups
    .filter((group, i) => i > 0 || group.prompt !== undefined || group.nodes.some(isSpoken))
    .map(({ prompt, nodes }, i) => ({ index: i + 1, prompt, nodes: withRelatives(nodes, relatives, begun) }));
}

function isSpoken(node: Node): boolean {
  return node.type === 'assistant' || (node.type === 'user' && node.userKind === 'human');
}

/** Adds the lines of its messages that stand beside the branch, each behind the first line of its message. */
function withRelatives(nodes: readonly Node[], relatives: Relatives, onBranch: Set<number>): Node[] {
  const lines: Node[] = [];
  for (const node of nodes) {
    lines.push(node);
    if (node.type !== 'assistant') continue;
    for (const relative of relatives.of(node)) {
      if (onBranch.has(relative.index)) continue;
      onBranch.add(relative.index);
      lines.push(relative);
    }
  }
  return lines;
}

/** The API messages of a turn: assistant lines merged by id over the whole turn, every user line by itself. */
export function messagesOf(turn: Pick<Turn, 'nodes'>): Message[] {
  const messages: { role: 'user' | 'assistant'; id: string | undefined; nodes: Node[] }[] = [];
  const byId = new Map<string, Node[]>();
  for (const node of turn.nodes) {
    if (node.type !== 'user' && node.type !== 'assistant') continue;
    const id = node.type === 'assistant' ? node.message?.id : undefined;
    const lines = id === undefined ? undefined : byId.get(id);
    if (lines !== undefined) {
      lines.push(node);
      continue;
    }
    const message: (typeof messages)[number] = { role: node.type, id, nodes: [node] };
    if (id !== undefined) byId.set(id, message.nodes);
    messages.push(message);
  }
  return messages.map(({ role, id, nodes }) => {
    const lines = [...nodes].sort((a, b) => a.index - b.index);
    return {
      role,
      id,
      model: lines.find((line) => line.message?.model !== undefined)?.message?.model,
      stopReason: lines.findLast((line) => line.message?.stopReason !== undefined)?.message?.stopReason,
      time: lines[0]?.time ?? Number.NaN,
      nodes: lines,
    };
  });
}
