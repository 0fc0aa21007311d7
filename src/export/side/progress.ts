// A branch → its calls that changed a file or the to-do list, each with what the list of files needs. Only the lines of
// these calls and of their results are read; a call that has its result is read once, however often the session grows.
import { setImmediate } from 'node:timers/promises';
import type { CallItem, DiffDetail } from '../../session/items/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import { hunksOf, Story } from '../../session/story/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import type { Turn } from '../../session/turns/index.ts';
import { type TodoChange, todoChange, todoTools } from './todo-list.ts';

/** A call of a branch, and where its line is. */
export interface ProgressCall {
  readonly turn: Turn;
  /** Its line among those of the turn. */
  readonly at: number;
  readonly node: Node;
  readonly id: string;
  readonly tool: string;
  readonly state: CallItem['state'];
  /** Of the result in the file; the order in which parallel calls took effect. */
  readonly order: number;
  readonly edit: Edit | undefined;
  readonly todo: TodoChange | undefined;
}

export interface Edit {
  readonly file: string;
  readonly added: number;
  readonly removed: number;
}

const editTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
/** Other questions are answered after this many calls. */
const callsAtOnce = 40;

type Known = Omit<ProgressCall, 'turn' | 'at' | 'node'>;
const remembered = new WeakMap<Node, readonly Known[]>();

/** In the order of the branch. */
export async function readProgress(session: Session, branch: Branch | undefined): Promise<readonly ProgressCall[]> {
  const story = new Story(session, { branch });
  const found: ProgressCall[] = [];
  let unread = 0;
  for (const turn of story.turns)
    for (const [at, node] of turn.nodes.entries()) {
      if (!callsOf(node).some(({ name }) => isRead(name))) continue;
      const known = remembered.get(node) ?? readCalls(story, turn, at);
      if (!remembered.has(node) && ++unread % callsAtOnce === 0) await setImmediate();
      if (known.every(({ state }) => state !== 'open')) remembered.set(node, known);
      for (const call of known) found.push({ ...call, turn, at, node });
    }
  return found;
}

function isRead(tool: string): boolean {
  return editTools.has(tool) || todoTools.has(tool);
}

function readCalls(story: Story, turn: Turn, at: number): readonly Known[] {
  return callItems(story, turn, at).map((call) => ({
    id: call.id,
    tool: call.tool,
    state: call.state,
    order: call.result?.index ?? Number.POSITIVE_INFINITY,
    edit: editOf(call),
    todo: todoTools.has(call.tool) ? todoChange(call) : undefined,
  }));
}

export function callItems(story: Story, turn: Turn, at: number): readonly CallItem[] {
  return [...story.items(turn, at, at + 1)].filter((item) => item.kind === 'call' && isRead(item.tool)) as CallItem[];
}

function editOf(call: CallItem): Edit | undefined {
  if (!editTools.has(call.tool)) return undefined;
  const { detail } = call;
  return detail.as === 'diff' && detail.file !== '' ? { file: detail.file, ...countLines(detail) } : undefined;
}

function countLines({ change }: DiffDetail): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { lines } of hunksOf(change))
    for (const line of lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
    }
  return { added, removed };
}
