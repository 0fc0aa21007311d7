// A branch → its turns: from one prompt of the user to the next. Each line of the branch is in exactly one turn; its
// side lines (results of parallel calls, other lines of a message) are in the turn of their message.

import { findReplayed } from '../graph/index.ts';
import type { Branch, Session } from '../load/index.ts';
import type { Node, PromptKind, Transcript } from '../transcript/index.ts';
import { findQueuedPrompts } from './queue.ts';

/** A prompt and everything up to the next one. */
export interface Turn {
  /** From 1, along the branch. */
  readonly index: number;
  /** The line of the prompt; `undefined` where a branch begins without one. */
  readonly prompt: Node | undefined;
  readonly promptKind: PromptKind | undefined;
  /** The lines of the turn, the prompt first, in the order of the branch. */
  readonly nodes: readonly Node[];
  /** The ids of messages that began in an earlier turn: a prompt was given in the middle of them. */
  readonly continued: ReadonlySet<string>;
}

/** An API message: all its lines merged. */
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

/** Returns the turns of a session. */
export function turnsOf(session: Session, branch: Branch | undefined = session.branches[0]): readonly Turn[] {
  if (branch === undefined) return [];
  const { transcript } = session;
  const read = (node: Node) => transcript.read(node);
  const groups = groupByPrompt(branch.nodes, findReplayed(transcript, branch.nodes));
  const queued = findQueuedPrompts(transcript.nodes, read).filter((each) => each.whileWorking);
  const typedEarly = new Set(queued.map((each) => each.shownBy));
  const begun = new Set<string>();
  return groups.map(({ prompt, nodes }, i) => {
    const hasSideLines = branch.sideLines.size > 0 && nodes.some((node) => branch.sideLines.has(node));
    const lines = hasSideLines ? nodes.flatMap((node) => [node, ...(branch.sideLines.get(node) ?? [])]) : nodes;
    const ids = new Set(lines.flatMap((node) => (node.type === 'assistant' ? (node.message?.id ?? []) : [])));
    const continued = new Set([...ids].filter((id) => begun.has(id)));
    for (const id of ids) begun.add(id);
    const promptKind = prompt !== undefined && typedEarly.has(prompt) ? 'queued' : prompt?.promptKind;
    return { index: i + 1, prompt, promptKind, nodes: lines, continued };
  });
}

export function countTurns(transcript: Transcript, nodes: readonly Node[]): number {
  return turnStarts(transcript, nodes).length;
}

/** When each turn of these lines began: the first time on its lines, or `NaN`. */
export function turnStarts(transcript: Transcript, nodes: readonly Node[]): readonly number[] {
  return groupByPrompt(nodes, findReplayed(transcript, nodes)).map(
    (turn) => turn.nodes.find((node) => !Number.isNaN(node.time))?.time ?? Number.NaN,
  );
}

interface TurnLines {
  readonly prompt: Node | undefined;
  readonly nodes: Node[];
}

function groupByPrompt(nodes: readonly Node[], copies: ReadonlySet<Node>): readonly TurnLines[] {
  const groups: TurnLines[] = [];
  for (const node of nodes) {
    if (copies.has(node)) continue;
    const last = groups.at(-1);
    if (node.promptKind !== undefined || last === undefined) {
      groups.push({ prompt: node.promptKind === undefined ? undefined : node, nodes: [node] });
    } else last.nodes.push(node);
  }
  // The lines before the first prompt are a turn of their own only if there is a message among them.
  const [first, second] = groups;
  if (first === undefined || second === undefined || first.prompt !== undefined || first.nodes.some(isSpoken))
    return groups;
  return [{ prompt: second.prompt, nodes: [...first.nodes, ...second.nodes] }, ...groups.slice(2)];
}

function isSpoken(node: Node): boolean {
  return node.type === 'assistant' || (node.type === 'user' && node.userKind === 'human');
}

/** Returns the API messages of a turn. Assistant lines are merged by message id; every user line is a message. */
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
