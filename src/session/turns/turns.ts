// A branch → its turns: from one prompt of the user to the next. Each line of the branch is in exactly one turn; its
// side lines (results of parallel calls, other lines of a message) are in the turn of their message.

import { contentOf } from '../../format/entry/index.ts';
import { findReplayed } from '../graph/index.ts';
import { type Branch, readEntry, type Session } from '../load/index.ts';
import { type Node, type PromptKind, promptText, type Transcript } from '../transcript/index.ts';
import { findQueuedPrompts } from './queue.ts';

/** A prompt and everything up to the next one. */
export interface Turn {
  /** From 1, along the branch. */
  readonly index: number;
  /** The line with the words of the prompt; `undefined` where a branch begins without one. */
  readonly prompt: Node | undefined;
  /** All lines of the prompt: some clients write its blocks as a line each. */
  readonly promptLines: readonly Node[];
  readonly promptKind: PromptKind | undefined;
  /** The lines of the turn, those of the prompt first, in the order of the branch. */
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
  return groups.map(({ prompts, nodes }, i) => {
    const hasSideLines = branch.sideLines.size > 0 && nodes.some((node) => branch.sideLines.has(node));
    const lines = hasSideLines ? nodes.flatMap((node) => [node, ...(branch.sideLines.get(node) ?? [])]) : nodes;
    const ids = new Set(lines.flatMap((node) => (node.type === 'assistant' ? (node.message?.id ?? []) : [])));
    const continued = new Set([...ids].filter((id) => begun.has(id)));
    for (const id of ids) begun.add(id);
    const promptKind = prompts.some((line) => typedEarly.has(line)) ? 'queued' : kindOfPrompt(prompts);
    return { index: i + 1, prompt: lineOfWords(prompts), promptLines: prompts, promptKind, nodes: lines, continued };
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

/** What the turns and their count need. */
interface TurnLines {
  readonly prompts: Node[];
  readonly nodes: Node[];
}

function groupByPrompt(nodes: readonly Node[], copies: ReadonlySet<Node>): readonly TurnLines[] {
  const groups: TurnLines[] = [];
  for (const node of nodes) {
    if (copies.has(node)) continue;
    const last = groups.at(-1);
    const isPrompt = node.promptKind !== undefined;
    if (last === undefined || (isPrompt && !continuesPrompt(last, node))) {
      groups.push({ prompts: isPrompt ? [node] : [], nodes: [node] });
      continue;
    }
    if (isPrompt) last.prompts.push(node);
    last.nodes.push(node);
  }
  // The lines before the first prompt are a turn of their own only if there is a message among them.
  const [first, second] = groups;
  if (first === undefined || second === undefined || first.prompts.length > 0 || first.nodes.some(isSpoken))
    return groups;
  return [{ prompts: second.prompts, nodes: [...first.nodes, ...second.nodes] }, ...groups.slice(2)];
}

/**
 * On a resume, 2.1.22 and 2.1.29 write each block of a prompt (the file open in the editor, an image, the words) as a
 * line of its own: each is the child of the one before it, with the same time. What an editor attaches is never a
 * prompt alone.
 */
function continuesPrompt({ prompts, nodes }: TurnLines, node: Node): boolean {
  const before = prompts.at(-1);
  if (before === undefined || before !== nodes.at(-1) || before.uuid === undefined) return false;
  if (node.parentUuid !== before.uuid || !isTypedLine(before) || !isTypedLine(node)) return false;
  return node.time === before.time || before.promptKind === 'ide-selection' || before.promptKind === 'ide-opened-file';
}

function isTypedLine({ promptKind, userKind }: Node): boolean {
  return userKind === 'human' && promptKind !== undefined;
}

function lineOfWords(prompts: readonly Node[]): Node | undefined {
  return prompts.findLast(({ promptKind }) => promptKind === 'plain') ?? prompts[0];
}

const kindsInOrder: readonly PromptKind[] = ['ide-selection', 'ide-opened-file', 'image'];

function kindOfPrompt(prompts: readonly Node[]): PromptKind | undefined {
  const kinds = prompts.map(({ promptKind }) => promptKind);
  return kindsInOrder.find((kind) => kinds.includes(kind)) ?? kinds[0];
}

/** The text of a turn's prompt, without what the client added to it; `undefined` if there is no prompt. */
export function turnPromptText(session: Pick<Session, 'transcript'>, turn: Turn): string | undefined {
  if (turn.prompt === undefined) return undefined;
  return promptText(turn.promptLines.flatMap((line) => contentOf(readEntry(session, line))));
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
