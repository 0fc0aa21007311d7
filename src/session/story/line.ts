// One line of a transcript → its items, as far as the line alone says: for a session that grows, line by line.
import { type JsonObject, prettyJson } from '../../base/json/index.ts';
import {
  type Block,
  blocksOf,
  contentOf,
  type Entry,
  isDocument,
  isImage,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  type ToolUseBlock,
} from '../../format/entry/index.ts';
import {
  type AttachedContext,
  type Item,
  type PromptItem,
  type Ref,
  type StoryAgent,
  type StoryImage,
  StoryText,
} from '../items/index.ts';
import { type Node, type PromptKind, splitPrompt, spokenText } from '../transcript/index.ts';
import { attachedPrompt, type ToolCall } from '../turns/index.ts';
import { attachedContext } from './attached.ts';
import { type CallContext, imagesIn, makeCall } from './call.ts';
import { type NoteContext, noteItems, requestError } from './notes.ts';
import { blockRef, contentKeys, refTo } from './text.ts';

/** The items of one line alone: a call without its result, a result without its call. */
export type LineItem = Item | ResultItem;

export interface ResultItem {
  readonly kind: 'result';
  readonly node: Node;
  readonly id: string;
  readonly isError: boolean;
  readonly blocks: readonly Block[];
}

export type LineContext = CallContext & NoteContext;

/** The turn of a line: which line is its prompt, and its calls with their results. */
export interface LineTurn {
  readonly prompt: Node | undefined;
  readonly promptLines: readonly Node[];
  readonly promptKind: PromptKind | undefined;
  readonly calls: ReadonlyMap<string, ToolCall>;
  agentOf(call: ToolCall): StoryAgent | undefined;
}

/** Without a turn, calls and results are items of their own, and every prompt is one. */
export function* lineItems(context: LineContext, node: Node, turn?: LineTurn): Generator<LineItem> {
  if (node.type === 'assistant') {
    yield* answerItems(context, node, turn);
    return;
  }
  const isPrompt = turn === undefined ? node.promptKind !== undefined : node === turn.prompt;
  const promptKind = (turn ?? node).promptKind ?? 'plain';
  if (isPrompt) yield promptItem(turn?.promptLines ?? [node], node, promptKind, context.read);
  if (node.userKind === 'results') {
    if (turn === undefined) yield* resultItems(context, node);
    if (!isPrompt) yield* besideResults(context, node);
  } else if (turn?.promptLines.includes(node) === true) {
    return; // with the words of the prompt
  } else if (!isPrompt) {
    if (turn === undefined) yield* queuedItem(context, node);
    yield* noteItems(context, node);
  }
}

/** A prompt that is given to the model in the middle of a turn has no user line in newer clients. */
function* queuedItem({ read }: LineContext, node: Node): Generator<LineItem> {
  const isQueued = node.type === 'attachment' && node.subtype === 'queued_command';
  const text = isQueued ? (attachedPrompt(read(node) as JsonObject) ?? '') : '';
  if (text !== '') yield { kind: 'queued', node, text: new StoryText(text, 'prompt', refTo(node, 'attachment')) };
}

/** A line may hold empty blocks; they say nothing. */
export function isEmpty(item: LineItem): boolean {
  const isSpoken = item.kind === 'text' || item.kind === 'error' || item.kind === 'note';
  return isSpoken && item.text.isBlank;
}

/** `lines`: those of one prompt, in their order; the one with the words is its place. */
export function promptItem(
  lines: readonly Node[],
  node: Node,
  promptKind: PromptKind,
  read: (node: Node) => Entry,
): PromptItem {
  const attached: AttachedContext[] = [];
  const images: StoryImage[] = [];
  const documents: string[] = [];
  const texts: string[] = [];
  for (const line of lines) {
    const entry = read(line);
    const blocks = contentOf(entry);
    for (const [i, block] of blocks.entries()) {
      if (!isText(block)) continue;
      texts.push(block.text);
      const at = blockRef(line, entry, i, 'text');
      attached.push(...splitPrompt(block.text).attached.map((tag) => attachedContext(tag, at)));
    }
    images.push(...imagesIn(blocks, line, contentKeys(entry)));
    documents.push(...blocks.filter(isDocument).map((block) => String(block.title ?? 'document')));
  }
  return {
    kind: 'prompt',
    node,
    moreNodes: lines.filter((line) => line !== node),
    promptKind,
    text: new StoryText(spokenText(texts), 'prompt', refTo(node, ...contentKeys(read(node)))),
    attached,
    images,
    documents,
  };
}

/** What the client wrote for the model into the line of a result, such as the diagnostics of an editor. */
function* besideResults({ read }: LineContext, node: Node): Generator<LineItem> {
  if (node.message?.blockTypes.includes('text') !== true) return;
  const entry = read(node);
  for (const [i, block] of contentOf(entry).entries()) {
    if (!isText(block) || block.text.trim() === '') continue;
    const at = blockRef(node, entry, i, 'text');
    const { words, attached } = splitPrompt(block.text);
    for (const tag of attached) {
      const { source, label, text } = attachedContext(tag, at);
      yield contextItem(node, source === 'reminder' ? 'reminder' : 'injected', label, text);
    }
    if (words !== '') yield contextItem(node, 'injected', 'context for the model', new StoryText(words, 'note', at));
  }
}

function contextItem(node: Node, source: 'reminder' | 'injected', label: string, text: StoryText): LineItem {
  return { kind: 'context', node, source, label, tone: 'plain', isOutput: false, isFolded: true, text };
}

function* resultItems({ read }: LineContext, node: Node): Generator<LineItem> {
  for (const block of contentOf(read(node)).filter(isToolResult)) {
    const isError = block.is_error === true;
    yield { kind: 'result', node, id: block.tool_use_id, isError, blocks: blocksOf(block.content) };
  }
}

function* answerItems(context: LineContext, node: Node, turn: LineTurn | undefined): Generator<LineItem> {
  const entry = context.read(node);
  for (const [i, block] of contentOf(entry).entries()) {
    if (isText(block)) yield textItem(node, block.text, blockRef(node, entry, i, 'text'));
    else if (isThinking(block)) {
      const text = new StoryText(
        block.type === 'thinking' ? block.thinking : '',
        'thinking',
        blockRef(node, entry, i, 'thinking'),
      );
      yield { kind: 'thinking', node, text: text.isBlank ? null : text };
    } else if (isToolUse(block)) {
      const call = turn === undefined ? openCall(node, block) : turn.calls.get(block.id);
      // A copy of the line, or of the block, is not another call.
      if (call?.node === node) yield makeCall(context, call, block.input, i, turn?.agentOf(call));
    } else if (isImage(block)) {
      yield { kind: 'image', node, image: { source: block.source ?? {}, at: refTo(node, ...contentKeys(entry), i) } };
    } else {
      const type = typeof block.type === 'string' ? block.type : 'unknown block';
      yield { kind: 'block', node, type, json: new StoryText(prettyJson(block), 'output', blockRef(node, entry, i)) };
    }
  }
}

function openCall(node: Node, { id, name }: ToolUseBlock): ToolCall {
  return { id, name, node, result: undefined, isError: false, agentId: undefined };
}

function textItem(node: Node, text: string, at: Ref): LineItem {
  const isSynthetic = node.message?.model === '<synthetic>';
  // Old clients do not mark the line.
  if (node.isApiError || (isSynthetic && text.startsWith('API Error'))) return requestError(node, text, at);
  if (!isSynthetic) return { kind: 'text', node, text: new StoryText(text, 'answer', at) };
  const note = { kind: 'note', node, about: 'client', label: 'client', tone: 'plain', isOutput: false } as const;
  return { ...note, text: new StoryText(text, 'note', at) };
}
