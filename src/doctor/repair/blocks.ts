// The lines of a conversation in order → what must change in their content so that the API takes it: every call is
// answered once, right after its message; nothing is empty, altered or too large. Lines are read one after the other.
import { randomUUID } from 'node:crypto';
import { beginningText, ContentRepair, describeImage, imagesIn, rejectedImages } from '../../api/repair/index.ts';
import { asObject, asString, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { blocksOf } from '../../format/entry/index.ts';
import type { Session } from '../../session/load/index.ts';
import {
  callsOf,
  isMessage,
  type Node,
  noteImages,
  replaceNoteImages,
  resultsOf,
} from '../../session/transcript/index.ts';

/** A line of the repaired conversation: one that is there, or a new one. */
export type RepairedLine =
  | { readonly node: Node; readonly content?: JsonValue; readonly attachment?: JsonObject }
  | { readonly made: JsonObject; readonly like: Node | undefined };

export interface RepairedLines {
  readonly lines: readonly RepairedLine[];
  readonly drops: ReadonlyMap<Node, string>;
}

export function repairBlocks(session: Session, nodes: readonly Node[]): RepairedLines {
  const repair = new BlockRepair(session, placeResults(nodes));
  return repair.run();
}

/** The lines of a message come together, in the order of the file, and right after them the first results of its calls. */
function placeResults(nodes: readonly Node[]): readonly Node[] {
  const results = new Map<string, Node>();
  const messages = new Map<string, Node[]>();
  const called = new Set(nodes.flatMap((node) => callsOf(node).map(({ id }) => id)));
  for (const node of nodes) {
    for (const { toolUseId } of resultsOf(node)) if (!results.has(toolUseId)) results.set(toolUseId, node);
    const id = messageIdOf(node);
    if (id !== undefined) messages.set(id, [...(messages.get(id) ?? []), node]);
  }
  const awaited = new Set([...results].flatMap(([id, node]) => (called.has(id) ? [node] : [])));
  const ordered = new Set<Node>();
  const byPlace = (a: Node, b: Node): number => a.index - b.index;
  for (const node of nodes) {
    if (ordered.has(node) || awaited.has(node)) continue;
    const lines = (messages.get(messageIdOf(node) ?? '') ?? [node]).toSorted(byPlace);
    for (const line of lines) ordered.add(line);
    const answers = lines.flatMap(callsOf).flatMap((call) => results.get(call.id) ?? []);
    for (const answer of answers.toSorted(byPlace)) ordered.add(answer);
  }
  return [...ordered, ...nodes.filter((node) => !ordered.has(node))];
}

function messageIdOf(node: Node): string | undefined {
  return node.type === 'assistant' ? node.message?.id || undefined : undefined;
}

class BlockRepair {
  readonly #session: Session;
  readonly #nodes: readonly Node[];
  readonly #lines: RepairedLine[] = [];
  readonly #drops = new Map<Node, string>();
  readonly #badImages: ReadonlySet<string>;
  readonly #content: ContentRepair;
  #openMessage: string | undefined;
  #hasSpoken = false;

  constructor(session: Session, nodes: readonly Node[]) {
    this.#session = session;
    this.#nodes = nodes;
    this.#badImages = findBadImages(session, nodes);
    this.#content = new ContentRepair({ mayOmitThinking: true, replaceImage: (image) => this.#image(image) });
  }

  run(): RepairedLines {
    for (const [i, node] of this.#nodes.entries()) {
      if (!isMessage(node)) this.#addNote(node);
      else if (node.type === 'assistant') this.#addAnswer(node, this.#nodes[i + 1]);
      else this.#addInput(node);
    }
    this.#closeCalls(this.#nodes.at(-1));
    return { lines: this.#lines, drops: this.#drops };
  }

  #addNote(node: Node): void {
    const entry = this.#badImages.size === 0 || node.type !== 'attachment' ? {} : this.#session.transcript.read(node);
    const stored = noteImages(entry).length === 0 ? undefined : asObject(entry.attachment);
    const attachment = stored && replaceNoteImages(stored, (image) => this.#image(image));
    this.#lines.push(attachment === undefined || attachment === stored ? { node } : { node, attachment });
  }

  #addAnswer(node: Node, next: Node | undefined): void {
    const id = messageIdOf(node);
    if (id === undefined || id !== this.#openMessage) this.#closeCalls(node);
    this.#openMessage = id;
    if (!this.#hasSpoken) this.#makeInput(node, beginningText);
    this.#hasSpoken = true;
    const before = blocksIn(this.#contentOf(node));
    const isLast = next === undefined || next.type !== 'assistant' || messageIdOf(next) !== id || id === undefined;
    const sound = this.#content.answer(before);
    const after = withoutLastThinking(sound, isLast && !this.#hasCalls(id));
    this.#add(node, before, after, 'nothing of the answer is left that the API takes');
  }

  #hasCalls(id: string | undefined): boolean {
    return this.#content.open.length > 0 && id !== undefined;
  }

  #addInput(node: Node): void {
    const stored = this.#contentOf(node);
    const before = blocksIn(stored);
    if (!before.some((block) => this.#content.isAwaited(block))) this.#closeCalls(node);
    this.#hasSpoken = true;
    const { results, others } = this.#content.input(before);
    const after = [...results, ...(others.length > 0 ? this.#content.close() : []), ...others];
    this.#add(node, before, after, 'nothing of the line is left that the API takes');
  }

  #image(block: JsonObject): JsonObject {
    const data = asString(asObject(block.source)?.data);
    if (data === undefined || !this.#badImages.has(imageKey(data))) return block;
    return {
      type: 'text',
      text: `[image taken out: ${describeImage(block)}; the original session ${this.#session.id} has it]`,
    };
  }

  #add(node: Node, before: readonly JsonObject[], after: readonly JsonObject[], reason: string): void {
    if (after.length === 0) this.#drops.set(node, reason);
    else if (isSameList(before, after)) this.#lines.push({ node });
    else this.#lines.push({ node, content: after });
  }

  /** Calls that never got a result get one that says they were interrupted. */
  #closeCalls(like: Node | undefined): void {
    const content = this.#content.close();
    if (content.length > 0) this.#lines.push({ made: userEntry(content), like });
    this.#openMessage = undefined;
  }

  #makeInput(like: Node, text: string): void {
    this.#lines.push({ made: userEntry(text), like });
  }

  #contentOf(node: Node): JsonValue | undefined {
    return asObject(this.#session.transcript.read(node).message)?.content;
  }
}

function userEntry(content: JsonValue): JsonObject {
  return { type: 'user', uuid: randomUUID(), message: { role: 'user', content } };
}

/** A block is a JSON object, whatever its type. */
function blocksIn(content: JsonValue | undefined): readonly JsonObject[] {
  return blocksOf(content) as readonly JsonObject[];
}

function isSameList(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return a.length === b.length && a.every((block, i) => block === b[i]);
}

/** An answer must not end in thinking; where it has calls, clients move these to its end. */
function withoutLastThinking(blocks: readonly JsonObject[], isEnd: boolean): readonly JsonObject[] {
  if (!isEnd || blocks.some((block) => block.type === 'tool_use')) return blocks;
  const last = blocks.findLastIndex((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
  return last < 0 ? blocks : blocks.slice(0, last + 1);
}

/** The images that the API would not take, alone or with all the others. */
function findBadImages(session: Session, nodes: readonly Node[]): ReadonlySet<string> {
  const images: JsonObject[] = [];
  for (const node of nodes) {
    if (node.type === 'attachment') images.push(...noteImages(session.transcript.read(node)));
    if (node.type !== 'user' || node.message?.blockTypes.every((type) => type === 'text') === true) continue;
    images.push(...imagesIn(blocksIn(asObject(session.transcript.read(node).message)?.content)));
  }
  const model = nodes.findLast((node) => node.type === 'assistant')?.message?.model;
  const data = rejectedImages(images, model).map((image) => asString(asObject(image.source)?.data));
  return new Set(data.flatMap((each) => (each === undefined ? [] : [imageKey(each)])));
}

/** Tells images apart without keeping them. */
function imageKey(data: string): string {
  return `${data.length} ${data.slice(0, 64)} ${data.slice(-64)}`;
}
