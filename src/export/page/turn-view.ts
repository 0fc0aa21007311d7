// A session and a range of parts → what the page shows of them, in the order of the branch. Only the lines of the range,
// and the results of their calls, are read: the end of a transcript costs no more than its beginning.
import { prettyJson } from '../../base/json-text.ts';
import { type Block, isDocument, isImage, isText, isThinking, isToolUse } from '../../format/block.ts';
import { contentOf, type Entry } from '../../format/entry.ts';
import { agentOf, newAgentBook } from '../../session/agent-book.ts';
import { compactionsOf } from '../../session/compaction.ts';
import type { Node } from '../../session/node.ts';
import { promptText } from '../../session/prompt-text.ts';
import { deliveredAt, promptsWithoutLine, type QueuedPrompt, typedDuring } from '../../session/queue.ts';
import { cwdOf, readEntry, type Session } from '../../session/session.ts';
import { type ToolCall, toolCallsOf } from '../../session/tool-calls.ts';
import type { Turn } from '../../session/turns.ts';
import { agentRow, branchRows } from './branch-rows.ts';
import { type CallContext, callItem } from './call-view.ts';
import { imageRef, imagesIn } from './image-ref.ts';
import { type NoteContext, noteItems } from './note-view.ts';
import { branchNumbered, nodesOf, type Part, partsOf } from './parts.ts';
import { blockRef, contentKeys, cutText, firstChars, placeOf, refTo, textChars, timeOf } from './text.ts';
import type { BranchRow, ForkItem, Item, PromptView, QueuedItem, Ref, TurnView } from './view.ts';

export interface PartRange {
  /** From 1, the active branch unless it is given. */
  readonly branch?: number;
  /** The first part, from 0, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

export function turnViews(session: Session, { branch = 1, from, to }: PartRange): readonly TurnView[] {
  const shown = branchNumbered(session, branch);
  const { all } = partsOf(session, shown);
  const parts = all.slice(Math.max(0, from), Math.max(0, to));
  const context = makeContext(session, branch);
  return parts.map((part) => partView(context, part));
}

interface ViewContext extends CallContext, NoteContext {
  readonly session: Session;
  readonly queued: readonly QueuedPrompt[];
  readonly forks: ReadonlyMap<Node, readonly BranchRow[]>;
  /** Of the turn in hand. */
  callsIn(turn: Turn): ReadonlyMap<string, ToolCall>;
}

function makeContext(session: Session, branch: number): ViewContext {
  const entries = new Map<Node, Entry>();
  const calls = new Map<Turn, ReadonlyMap<string, ToolCall>>();
  const book = newAgentBook(session);
  const compactions = compactionsOf(session).flatMap((each) => {
    const line = each.boundary ?? each.summary;
    return line === undefined ? [] : [[line, each] as const];
  });
  return {
    session,
    graph: session.graph,
    cwd: cwdOf(session),
    compactions: new Map(compactions),
    queued: session.isAgent ? [] : promptsWithoutLine(session.transcript),
    forks: forksOf(session, branch),
    // Parallel calls have their results in one line.
    read: (node) => remember(entries, node, () => readEntry(session, node)),
    callsIn: (turn) =>
      remember(calls, turn, () => new Map(toolCallsOf(session, turn).map((call) => [call.id, call] as const))),
    agentOf: (call) => {
      const agent = agentOf(book, call);
      return agent === undefined ? null : agentRow(agent);
    },
  };
}

function remember<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function forksOf(session: Session, shown: number): ReadonlyMap<Node, readonly BranchRow[]> {
  const forks = new Map<Node, BranchRow[]>();
  for (const row of branchRows(session)) {
    const fork = branchNumbered(session, row.number)?.fork;
    if (fork === undefined || row.number === shown) continue;
    const others = forks.get(fork);
    if (others === undefined) forks.set(fork, [row]);
    else others.push(row);
  }
  return forks;
}

function partView(context: ViewContext, part: Part): TurnView {
  const { turn } = part;
  const typed = typedIn(context, part);
  const items: Item[] = [];
  for (const [i, node] of nodesOf(part).entries()) {
    items.push(...(typed.get(part.from + i) ?? []));
    if (node.type === 'assistant') items.push(...answerItems(context, turn, node));
    else if (node !== turn.prompt) items.push(...noteItems(context, node));
    items.push(...(context.forks.get(node) ?? []).map((row) => forkItem(node, row)));
  }
  const isLast = part.to === turn.nodes.length;
  if (isLast) items.push(...(typed.get(turn.nodes.length) ?? []));
  return {
    part: part.index,
    turn: turn.index,
    isFirst: part.from === 0,
    isLast,
    prompt: part.from === 0 && turn.prompt !== undefined ? promptView(context, turn, turn.prompt) : null,
    items,
  };
}

/** The prompts that were given to the model during the turn, by the line that they stand before. */
function typedIn({ queued }: ViewContext, { turn, from, to }: Part): ReadonlyMap<number, readonly Item[]> {
  const before = new Map<number, QueuedItem[]>();
  for (const prompt of typedDuring(queued, turn.nodes)) {
    const at = turn.nodes.findIndex((node) => node.index > deliveredAt(prompt));
    const place = at < 0 ? turn.nodes.length : at;
    if (place < from || (place >= to && place < turn.nodes.length)) continue;
    const item: QueuedItem = {
      kind: 'queued',
      place: placeOf(prompt.shownBy ?? prompt.node),
      text: cutText(prompt.text, textChars.prompt, refTo(prompt.node, 'content')),
    };
    before.set(place, [...(before.get(place) ?? []), item]);
  }
  return before;
}

function promptView(context: ViewContext, turn: Turn, prompt: Node): PromptView {
  const entry = context.read(prompt);
  const blocks = contentOf(entry);
  const keys = contentKeys(entry);
  return {
    place: placeOf(prompt),
    kind: turn.promptKind ?? 'plain',
    text: cutText(promptText(blocks).trim(), textChars.prompt, refTo(prompt, ...keys)),
    images: imagesIn(blocks, prompt, ...keys),
    documents: blocks.filter(isDocument).map((block) => firstChars(String(block.title ?? 'document'), 200)),
    at: timeOf(prompt.time),
  };
}

function answerItems(context: ViewContext, turn: Turn, node: Node): readonly Item[] {
  const calls = context.callsIn(turn);
  const entry = context.read(node);
  return contentOf(entry).flatMap((block, i): readonly Item[] => {
    if (isText(block)) return textItems(node, block.text, blockRef(node, entry, i, 'text'));
    if (isThinking(block)) {
      const text = block.type === 'thinking' ? block.thinking : '';
      return [thinkingItem(node, text, blockRef(node, entry, i, 'thinking'))];
    }
    if (isToolUse(block)) {
      const call = calls.get(block.id);
      return call?.node === node ? [callItem(context, call, block, i)] : [];
    }
    if (isImage(block)) {
      return [{ kind: 'image', place: placeOf(node), image: imageRef(block, node, [...contentKeys(entry), i]) }];
    }
    return [unknownItem(node, block, blockRef(node, entry, i))];
  });
}

function textItems(node: Node, text: string, at: Ref): readonly Item[] {
  if (text.trim() === '') return [];
  const place = placeOf(node);
  if (node.isApiError || node.message?.model === '<synthetic>') {
    // The client's own filler, such as "No response requested.", was said by nobody.
    const tone = node.isApiError ? 'error' : 'plain';
    const label = node.isApiError ? 'request failed' : 'client';
    const note = { kind: 'note', place, tone, label, isOutput: false, isFolded: false } as const;
    return [{ ...note, text: cutText(text, textChars.note, at) }];
  }
  return [{ kind: 'text', place, text: cutText(text, textChars.answer, at) }];
}

function thinkingItem(node: Node, text: string, at: Ref): Item {
  return {
    kind: 'thinking',
    place: placeOf(node),
    text: text.trim() === '' ? null : cutText(text, textChars.thinking, at),
  };
}

function unknownItem(node: Node, block: Block, at: Ref): Item {
  const type = typeof block.type === 'string' ? firstChars(block.type, 60) : 'unknown block';
  return { kind: 'block', place: placeOf(node), type, json: cutText(prettyJson(block), textChars.output, at) };
}

function forkItem(node: Node, { number, turns, isReplay }: BranchRow): ForkItem {
  return { kind: 'fork', place: placeOf(node), branch: number, turns, isReplay };
}
