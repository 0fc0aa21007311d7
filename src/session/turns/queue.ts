// Queue operations → the prompts the user typed while the agent was working, and what became of each. Those delivered
// in the middle of a turn often have no user line at all: without this they would be lost to a reader. Notices of
// background tasks are in the same queue; they take their turn, but nobody typed them.
import { asObject, type JsonObject } from '../../base/json/index.ts';
import { asEntry, blocksOf, contentOf, textOf } from '../../format/entry/index.ts';
import { isMessage, kindOfText, type Node, promptText, type Transcript } from '../transcript/index.ts';

/** A prompt that was typed while a turn was running. */
export interface QueuedPrompt {
  readonly text: string;
  readonly time: number;
  readonly node: Node;
  /**
   * `prompt`: became a user line · `delivered`: given to the model in the middle of a turn · `taken-back`: by the
   * user · `waiting`: the file says no more.
   */
  readonly outcome: 'prompt' | 'delivered' | 'taken-back' | 'waiting';
  /** The line that shows it: the user line, or the `queued_command` attachment. */
  readonly shownBy: Node | undefined;
  /** There are other messages between typing and use: it was typed while the agent worked. */
  readonly whileWorking: boolean;
}

/** Finds the prompts that were typed while a turn was running, in the order they were typed. The result is cached. */
export function findQueuedPrompts(nodes: readonly Node[], read: (node: Node) => JsonObject): readonly QueuedPrompt[] {
  const known = remembered.get(nodes);
  if (known !== undefined) return known;
  const found = readQueue(nodes, read);
  remembered.set(nodes, found);
  return found;
}

/** Prompts without a user line: given to the model in the middle of a turn, or never used. */
export function promptsWithoutLine({ nodes, read }: Pick<Transcript, 'nodes' | 'read'>): readonly QueuedPrompt[] {
  return findQueuedPrompts(nodes, read).filter(
    ({ outcome, text }) => (outcome === 'delivered' || outcome === 'waiting') && text.trim() !== '',
  );
}

/** The prompts given to the model during a turn of these lines, in the order of the file. */
export function typedDuring(prompts: readonly QueuedPrompt[], nodes: readonly Node[]): readonly QueuedPrompt[] {
  const first = nodes[0]?.index ?? 0;
  const last = nodes.reduce((max, node) => Math.max(max, node.index), first);
  return prompts.filter(({ outcome, node }) => outcome === 'delivered' && node.index >= first && node.index <= last);
}

/** Where it was delivered, if a line says so; else where it was typed. */
export function deliveredAt({ node, shownBy }: QueuedPrompt): number {
  return (shownBy ?? node).index;
}

const remembered = new WeakMap<readonly Node[], readonly QueuedPrompt[]>();

function readQueue(nodes: readonly Node[], read: (node: Node) => JsonObject): readonly QueuedPrompt[] {
  if (!nodes.some(isOfQueue)) return [];
  const shows = nextUserLines(nodes);
  const queue = new Queue();
  const done: QueuedPrompt[] = [];
  let messages = 0;
  const settle = (item: Item | undefined, outcome: QueuedPrompt['outcome'], shownBy?: Node, text?: string): void => {
    if (item === undefined) return;
    queue.delete(item);
    if (item.isNotice) return;
    const { node } = item;
    const whileWorking = messages > item.messagesBefore;
    done.push({ text: text ?? item.text, time: node.time, node, outcome, shownBy, whileWorking });
  };
  for (const node of nodes) {
    if (isMessage(node) && !node.isSidechain) messages++;
    if (node.type !== 'queue-operation') continue;
    const entry = read(node);
    const text = promptText(blocksOf(entry.content));
    switch (entry.operation) {
      case 'enqueue':
        queue.add({ text, node, messagesBefore: messages, isNotice: isNotice(text) });
        break;
      case 'dequeue': {
        // The line names nothing, and notices overtake prompts: the next user line shows what was taken.
        const shownBy = nodes[shows[node.index] ?? -1];
        const shown = shownBy === undefined ? '' : promptText(contentOf(asEntry(read(shownBy)) ?? {}));
        const item = queue.named(shown) ?? queue.first(isUntyped(shownBy));
        settle(item, 'prompt', shownBy, item?.text === '' ? shown : undefined);
        break;
      }
      case 'remove':
        settle(text === '' ? queue.first(false) : queue.named(text), 'delivered');
        break;
      case 'popAll':
        for (const item of text === '' ? queue.all() : [queue.named(text)]) settle(item, 'taken-back');
        break;
    }
  }
  for (const item of queue.all()) settle(item, 'waiting');
  return withAttachments(done, nodes, read).sort((a, b) => a.node.index - b.node.index);
}

function isOfQueue(node: Node): boolean {
  return node.type === 'queue-operation' || (node.type === 'attachment' && node.subtype === 'queued_command');
}

/** For each line the index of the first later line that a dequeued prompt or notice can have become, or -1. */
function nextUserLines(nodes: readonly Node[]): Int32Array {
  const next = new Int32Array(nodes.length);
  let at = -1;
  for (let i = nodes.length - 1; i >= 0; i--) {
    next[i] = at;
    const node = nodes[i] as Node; // i is in range
    if (!node.isSidechain && (node.promptKind !== undefined || isUntyped(node))) at = i;
  }
  return next;
}

/** Background tasks report through the queue, in tags or (2.1.45) as an object; other sessions send messages. */
function isNotice(text: string): boolean {
  const kind = kindOfText(text);
  return kind === 'notification' || kind === 'message' || text.startsWith('{"task_id":');
}

function isUntyped(node: Node | undefined): boolean {
  return node?.userKind === 'notification' || node?.userKind === 'message';
}

interface Item {
  readonly text: string;
  readonly node: Node;
  readonly messagesBefore: number;
  readonly isNotice: boolean;
}

/** Waiting items in order, found by text as fast as by position. */
class Queue {
  readonly #prompts = new WaitingList();
  readonly #notices = new WaitingList();
  readonly #byText = new Map<string, WaitingList>();
  readonly #gone = new Set<Item>();

  add(item: Item): void {
    (item.isNotice ? this.#notices : this.#prompts).items.push(item);
    const same = this.#byText.get(item.text) ?? new WaitingList();
    same.items.push(item);
    this.#byText.set(item.text, same);
  }

  delete(item: Item): void {
    this.#gone.add(item);
  }

  named(text: string): Item | undefined {
    return this.#byText.get(text)?.first(this.#gone);
  }

  first(isNotice: boolean): Item | undefined {
    return (isNotice ? this.#notices : this.#prompts).first(this.#gone);
  }

  all(): Item[] {
    return [...this.#prompts.items, ...this.#notices.items].filter((item) => !this.#gone.has(item));
  }
}

/** A list with removals from its front only: a set would walk over everything that was removed. */
class WaitingList {
  readonly items: Item[] = [];
  #from = 0;

  first(gone: ReadonlySet<Item>): Item | undefined {
    for (; this.#from < this.items.length; this.#from++) {
      const item = this.items[this.#from];
      if (item !== undefined && !gone.has(item)) return item;
    }
    return undefined;
  }
}

/** The prompt of a `queued_command` attachment; `undefined` if the user did not type it. */
export function attachedPrompt(entry: JsonObject): string | undefined {
  const attachment = asObject(entry.attachment) ?? {};
  const text = promptText(blocksOf(attachment.prompt));
  const isTyped = attachment.isMeta !== true && attachment.commandMode !== 'task-notification' && !isNotice(text);
  return isTyped && !isFromPeer(attachment) ? text : undefined;
}

/** The text of a `queued_command` attachment that another session or agent sent. */
export function attachedMessage(entry: JsonObject): string | undefined {
  const attachment = asObject(entry.attachment) ?? {};
  const text = textOf(blocksOf(attachment.prompt));
  return isFromPeer(attachment) || kindOfText(text) === 'message' ? text : undefined;
}

function isFromPeer(attachment: JsonObject): boolean {
  return asObject(attachment.origin)?.kind === 'peer';
}

/** The attachment of newer clients shows a prompt that a `remove` has delivered, or replaces it. */
function withAttachments(
  prompts: readonly QueuedPrompt[],
  nodes: readonly Node[],
  read: (node: Node) => JsonObject,
): QueuedPrompt[] {
  const all = [...prompts];
  const unshown = new Map<string, number[]>();
  for (const [i, { outcome, text }] of prompts.entries()) {
    if (outcome !== 'delivered') continue;
    const places = unshown.get(text);
    if (places === undefined) unshown.set(text, [i]);
    else places.push(i);
  }
  for (const places of unshown.values()) places.reverse();
  for (const node of nodes) {
    if (node.type !== 'attachment' || node.subtype !== 'queued_command' || node.isSidechain) continue;
    const text = attachedPrompt(read(node));
    if (text === undefined) continue;
    const at = unshown.get(text)?.pop();
    const known = at === undefined ? undefined : all[at];
    if (at !== undefined && known !== undefined) all[at] = { ...known, shownBy: node };
    else all.push({ text, time: node.time, node, outcome: 'delivered', shownBy: node, whileWorking: true });
  }
  return all;
}
