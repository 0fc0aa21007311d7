// The lines of a conversation in order → what must change in their content so that the API takes it: every call is
// answered once, right behind its message; nothing is empty, altered or too large. Lines are read one after the other.
import { randomUUID } from 'node:crypto';
import { checkImageRules } from '../../api/check-request.ts';
import { readImageSize } from '../../api/image-size.ts';
import { isCutSignature } from '../../api/signature.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { blocksOf } from '../../format/block.ts';
import { callsOf, isMessage, type Node, resultsOf } from '../../session/node.ts';
import { noteImages, replaceNoteImages } from '../../session/note-images.ts';
import { texts } from '../../session/resume/client.ts';
import { resultFor } from '../../session/resume/filter.ts';
import type { Session } from '../../session/session.ts';

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

/** The lines of a message come together, in the order of the file, and right behind them the first results of its calls. */
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
  readonly #usedCalls = new Set<string>();
  readonly #badImages: ReadonlySet<string>;
  /** The calls of the message before that have no result yet, under the ids they have now. */
  #open: string[] = [];
  #openMessage: string | undefined;
  #hasSpoken = false;

  constructor(session: Session, nodes: readonly Node[]) {
    this.#session = session;
    this.#nodes = nodes;
    this.#badImages = findBadImages(session, nodes);
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
    const sound = before.flatMap((block) => this.#answerBlock(block));
    const after = withoutLastThinking(sound, isLast && !this.#hasCalls(id));
    this.#add(node, before, after, 'nothing of the answer is left that the API takes');
  }

  #hasCalls(id: string | undefined): boolean {
    return this.#open.length > 0 && id !== undefined;
  }

  #answerBlock(block: JsonObject): readonly JsonObject[] {
    if (block.type === 'text') return isBlank(block) ? [] : [block];
    if (block.type === 'thinking') return isSoundThinking(block) ? [block] : [];
    if (block.type === 'redacted_thinking') return asString(block.data) ? [block] : [];
    if (block.type !== 'tool_use') return [block];
    const id = soundId(asString(block.id) || newCallId());
    if (this.#usedCalls.has(id)) return [];
    this.#usedCalls.add(id);
    this.#open.push(id);
    const name = soundName(asString(block.name) ?? '');
    const input = isObject(block.input) ? block.input : {};
    const isSound = id === block.id && name === block.name && input === block.input;
    return isSound ? [block] : [{ ...block, id, name, input }];
  }

  #addInput(node: Node): void {
    const stored = this.#contentOf(node);
    const before = blocksIn(stored);
    if (!before.some((block) => block.type === 'tool_result' && this.#open.includes(idOf(block))))
      this.#closeCalls(node);
    this.#hasSpoken = true;
    const results: JsonObject[] = [];
    const others: JsonObject[] = [];
    for (const block of before) {
      const made = this.#inputBlock(block);
      if (made?.type === 'tool_result') results.push(made);
      else if (made !== undefined) others.push(made);
    }
    if (others.length > 0 && this.#open.length > 0) this.#closeCallsWithin(results);
    const after = [...results, ...others];
    this.#add(node, before, after, 'nothing of the line is left that the API takes');
  }

  #inputBlock(block: JsonObject): JsonObject | undefined {
    if (block.type === 'text') return isBlank(block) ? undefined : block;
    if (block.type === 'image') return this.#image(block);
    if (block.type !== 'tool_result') return block;
    const id = idOf(block);
    const whole = this.#resultContent(block);
    const at = this.#open.indexOf(id);
    if (at >= 0) {
      this.#open.splice(at, 1);
      return id === whole.tool_use_id ? whole : { ...whole, tool_use_id: id };
    }
    // The second result of a call says nothing new; one without its call is kept as what it says.
    return this.#usedCalls.has(id) ? undefined : { type: 'text', text: orphanText(whole) };
  }

  #resultContent(block: JsonObject): JsonObject {
    if (!isArray(block.content)) return block;
    const content = block.content.flatMap((inner): readonly JsonValue[] => {
      if (!isObject(inner)) return [inner];
      if (inner.type === 'text') return isBlank(inner) ? [] : [inner];
      return inner.type === 'image' ? [this.#image(inner)] : [inner];
    });
    const isSame =
      content.length === block.content.length &&
      content.every((inner, i) => inner === (block.content as readonly JsonValue[])[i]);
    return isSame ? block : { ...block, content };
  }

  #image(block: JsonObject): JsonObject {
    const data = asString(asObject(block.source)?.data);
    if (data === undefined || !this.#badImages.has(imageKey(data))) return block;
    const size = readImageSize(data);
    const pixels = size === undefined ? '' : `, ${size.width} × ${size.height} pixels`;
    const type = asString(asObject(block.source)?.media_type) ?? 'unknown type';
    return {
      type: 'text',
      text: `[image taken out: ${type}${pixels}; the original session ${this.#session.id} has it]`,
    };
  }

  #add(node: Node, before: readonly JsonObject[], after: readonly JsonObject[], reason: string): void {
    if (after.length === 0) this.#drops.set(node, reason);
    else if (isSameList(before, after)) this.#lines.push({ node });
    else this.#lines.push({ node, content: after });
  }

  /** Calls that never got a result are told to have been interrupted. */
  #closeCalls(like: Node | undefined): void {
    if (this.#open.length > 0) {
      const content = this.#open.map((id) => resultFor(id, texts.interrupted));
      this.#lines.push({ made: userEntry(content), like });
    }
    this.#open = [];
    this.#openMessage = undefined;
  }

  #closeCallsWithin(results: JsonObject[]): void {
    results.push(...this.#open.map((id) => resultFor(id, texts.interrupted)));
    this.#open = [];
  }

  #makeInput(like: Node, text: string): void {
    this.#lines.push({ made: userEntry(text), like });
  }

  #contentOf(node: Node): JsonValue | undefined {
    return asObject(this.#session.transcript.read(node).message)?.content;
  }
}

const beginningText = '[The beginning of this conversation is not in the file.]';

function userEntry(content: JsonValue): JsonObject {
  return { type: 'user', uuid: randomUUID(), message: { role: 'user', content } };
}

/** A block is a JSON object, whatever it says of itself. */
function blocksIn(content: JsonValue | undefined): readonly JsonObject[] {
  return blocksOf(content) as readonly JsonObject[];
}

function isSameList(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return a.length === b.length && a.every((block, i) => block === b[i]);
}

function isBlank(block: JsonObject): boolean {
  return (asString(block.text) ?? '').trim() === '';
}

/** The signature carries the thought, so the text may be empty. */
function isSoundThinking(block: JsonObject): boolean {
  const signature = asString(block.signature);
  return signature !== undefined && signature !== '' && !isCutSignature(signature);
}

/** An answer must not end in thinking; where it has calls, clients move these to its end. */
function withoutLastThinking(blocks: readonly JsonObject[], isEnd: boolean): readonly JsonObject[] {
  if (!isEnd || blocks.some((block) => block.type === 'tool_use')) return blocks;
  const last = blocks.findLastIndex((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
  return last < 0 ? blocks : blocks.slice(0, last + 1);
}

function soundId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** For a call that was stored without one. */
function newCallId(): string {
  return `toolu_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

function idOf(block: JsonObject): string {
  return soundId(asString(block.tool_use_id) ?? '');
}

function soundName(name: string): string {
  const sound = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128);
  return sound === '' ? 'unknown' : sound;
}

function orphanText(result: JsonObject): string {
  const said = typeof result.content === 'string' ? result.content : JSON.stringify(result.content ?? '');
  return `[Result of a tool call that is not in this session: ${asString(result.tool_use_id) ?? ''}]\n${said}`;
}

/** The images that the API would not take, alone or with all the others. */
function findBadImages(session: Session, nodes: readonly Node[]): ReadonlySet<string> {
  const images: JsonObject[] = [];
  for (const node of nodes) {
    if (node.type === 'attachment') images.push(...noteImages(session.transcript.read(node)));
    if (node.type !== 'user' || node.message?.blockTypes.every((type) => type === 'text') === true) continue;
    for (const block of blocksIn(asObject(session.transcript.read(node).message)?.content)) {
      if (block.type === 'image') images.push(block);
      if (isArray(block.content)) images.push(...block.content.filter(isObject).filter(({ type }) => type === 'image'));
    }
  }
  if (images.length === 0) return new Set();
  const model = nodes.findLast((node) => node.type === 'assistant')?.message?.model;
  const found = checkImageRules({
    messages: [{ role: 'user', content: images }],
    ...(model === undefined ? {} : { model }),
  });
  const bad = new Set<string>();
  for (const { blockIndex } of found) {
    const data = asString(asObject(images[blockIndex ?? -1]?.source)?.data);
    if (data !== undefined) bad.add(imageKey(data));
  }
  return bad;
}

/** Tells images apart without keeping them. */
function imageKey(data: string): string {
  return `${data.length} ${data.slice(0, 64)} ${data.slice(-64)}`;
}
