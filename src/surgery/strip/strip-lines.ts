// The edits and drops that strip a transcript, before the chain is repaired. Thinking is never altered: all thinking of a
// message is kept or removed.
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
import { isMessage, type Node, resultsOf, type Transcript } from '../../session/transcript/index.ts';
import {
  callsToStrip,
  imageEdits,
  messageKey,
  type OriginalLine,
  resultCuts,
  type StripOptions,
  textCuts,
  toolMatcher,
} from './strip-options.ts';

export interface StripSource {
  readonly transcript: Transcript;
  readonly sessionId: string;
  /** Whether the line may be changed. */
  isOpen(node: Node): boolean;
  /** A line on the chain that a resume skips because of unanswered calls: its text must not reappear. */
  isLeftOut(node: Node): boolean;
  /** See open-round.ts: this answer needs its thinking. */
  isOpenRound(node: Node): boolean;
  /** The effective snapshot of the system prompt, to which the thinking is bound. */
  isPrompt(node: Node): boolean;
}

export interface Stripped {
  readonly edits: Map<number, Edit[]>;
  readonly drops: Map<number, string>;
  /** The ids of removed calls. */
  readonly calls: ReadonlySet<string>;
}

export function stripLines(source: StripSource, options: StripOptions): Stripped {
  const { nodes } = source.transcript;
  const { tools } = options;
  const calls =
    tools === undefined
      ? new Set<string>()
      : callsToStrip({
          nodes,
          isOpen: source.isOpen,
          isMatch: toolMatcher(tools),
          takesOrphans: tools.length === 0,
        });
  const work: Work = { source, options, stripped: { edits: new Map(), drops: new Map(), calls } };
  for (const lines of openAnswers(source)) stripAnswer(work, lines);
  for (const node of nodes) if (node.type !== 'assistant' && source.isOpen(node)) stripOther(work, node);
  return work.stripped;
}

interface Work {
  readonly source: StripSource;
  readonly options: StripOptions;
  readonly stripped: Stripped;
}

interface Piece {
  readonly node: Node;
  readonly at: number;
  readonly block: JsonObject;
  /** Why it is removed. */
  removed: string | undefined;
}

/** The lines of each message whose lines may all be changed. */
function openAnswers({ transcript, isOpen }: StripSource): Iterable<readonly Node[]> {
  const byMessage = new Map<string | Node, Node[]>();
  const closed = new Set<string | Node>();
  for (const node of transcript.nodes) {
    if (node.type !== 'assistant') continue;
    const key = messageKey(node) ?? node;
    const lines = byMessage.get(key);
    if (lines === undefined) byMessage.set(key, [node]);
    else lines.push(node);
    if (!isOpen(node)) closed.add(key);
  }
  for (const key of closed) byMessage.delete(key);
  return byMessage.values();
}

function stripAnswer(work: Work, lines: readonly Node[]): void {
  const { options, source } = work;
  if (!lines.some((line) => concernsAnswer(options, line))) return;
  const pieces = lines.flatMap((node) => piecesOf(node, source.transcript.read(node)));
  markCalls(work, pieces);
  if (options.thinking === true && !lines.some((line) => source.isOpenRound(line)))
    for (const piece of pieces) if (isThinking(piece.block)) piece.removed = reasons.thinking;
  if (pieces.some(({ removed }) => removed === reasons.call) && isThinkingUnfit(pieces))
    for (const piece of pieces) if (isThinking(piece.block)) piece.removed ??= reasons.thinkingOfCall;
  const hasLost = pieces.some(({ removed }) => removed !== undefined);
  if (hasLost && pieces.every((piece) => piece.removed !== undefined || saysNothing(piece.block)))
    for (const piece of pieces) piece.removed ??= reasons.empty;
  for (const node of lines)
    finishAnswerLine(
      work,
      node,
      pieces.filter((piece) => piece.node === node),
    );
}

function concernsAnswer(options: StripOptions, node: Node): boolean {
  const kinds = node.message?.blockTypes ?? [];
  return kinds.some(
    (kind) =>
      (kind.endsWith('tool_use') && (options.tools ?? options.truncateInputs) !== undefined) ||
      (kind.endsWith('thinking') && options.thinking === true) ||
      (options.images === true && kind !== 'text' && kind !== 'tool_use'),
  );
}

function piecesOf(node: Node, entry: JsonObject): Piece[] {
  const content = asObject(entry.message)?.content;
  if (typeof content === 'string') return [{ node, at: 0, block: { type: 'text', text: content }, removed: undefined }];
  const items = isArray(content) ? content : [];
  return items.flatMap((block, at) => (isObject(block) ? [{ node, at, block, removed: undefined }] : []));
}

/** Tool calls, and calls of server tools, whose results are in the same message. */
function markCalls({ options, source, stripped }: Work, pieces: readonly Piece[]): void {
  if (options.tools === undefined) return;
  const isMatch = toolMatcher(options.tools);
  const served = new Set<string>();
  for (const { block } of pieces) {
    const isServed = block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
    if (isServed && isMatch(asString(block.name) ?? '')) served.add(asString(block.id) ?? '');
  }
  for (const piece of pieces) {
    const { block } = piece;
    const id = asString(block.id) ?? asString(block.tool_use_id) ?? '';
    if (block.type === 'tool_use' ? stripped.calls.has(id) : served.has(id)) piece.removed = reasons.call;
  }
  const left = new Set(
    pieces.filter(({ removed, node }) => removed !== undefined && source.isLeftOut(node)).map(({ node }) => node),
  );
  for (const piece of pieces) if (left.has(piece.node)) piece.removed ??= reasons.leftOut;
}

/** The API rejects a message that ends with thinking, and thinking blocks without a call between them. */
function isThinkingUnfit(pieces: readonly Piece[]): boolean {
  const kept = pieces.filter(({ removed }) => removed === undefined);
  const isCall = ({ block }: Piece) => block.type === 'tool_use';
  const last = kept.filter(isCall).at(-1) ?? kept.at(-1);
  if (last !== undefined && isThinking(last.block)) return true;
  const firstRemoved = pieces.findIndex(({ removed }) => removed === reasons.call);
  return pieces.slice(firstRemoved).some(({ block, removed }) => removed === undefined && isThinking(block));
}

/** Clients do not send a message that has only such blocks. */
function saysNothing(block: JsonObject): boolean {
  return isThinking(block) || isBlankText(block);
}

function isBlankText(block: JsonObject): boolean {
  const text = block.type === 'text' ? asString(block.text) : undefined;
  return text !== undefined && (text.trim() === '' || text === texts.noContent);
}

function finishAnswerLine({ options, source, stripped }: Work, node: Node, pieces: readonly Piece[]): void {
  const gone = pieces.filter(({ removed }) => removed !== undefined);
  const kept = pieces.filter(({ removed }) => removed === undefined);
  if (gone.length > 0 && kept.every(({ block }) => isBlankText(block))) {
    stripped.drops.set(node.index, gone[0]?.removed ?? reasons.empty);
    return;
  }
  const origin = originOf(source, node);
  const edits: Edit[] = gone.map(({ at }) => ({ path: ['message', 'content', at], remove: true }));
  for (const { block, at } of kept) {
    const path = ['message', 'content', at];
    if (options.images === true && !isThinking(block)) edits.push(...imageEdits(block, path, origin));
    if (options.truncateInputs !== undefined && block.type === 'tool_use')
      edits.push(...textCuts(block.input, [...path, 'input'], options.truncateInputs, origin));
  }
  if (edits.length > 0) stripped.edits.set(node.index, edits);
}

function stripOther(work: Work, node: Node): void {
  const { options, source, stripped } = work;
  if (options.progress === true && node.type === 'progress') stripped.drops.set(node.index, reasons.progress);
  else if (options.bookkeeping === true && isBookkeeping(source, node) && !(source.isPrompt(node) && !options.prompt))
    stripped.drops.set(node.index, reasons.bookkeeping);
  else if (options.thinking === true && node.type === 'clew-thinking') stripped.drops.set(node.index, reasons.thinking);
  else if (node.type === 'user') stripInput(work, node);
  else if (node.type === 'attachment' && options.images === true) {
    const { rendered, attachment } = source.transcript.read(node);
    const origin = originOf(source, node);
    const edits = [...imageEdits(rendered, ['rendered'], origin), ...imageEdits(attachment, ['attachment'], origin)];
    if (edits.length > 0) stripped.edits.set(node.index, edits);
  }
}

function stripInput({ options, source, stripped }: Work, node: Node): void {
  const results = resultsOf(node);
  const losesResult = results.some(({ toolUseId }) => stripped.calls.has(toolUseId));
  const isCut = options.truncateResults !== undefined && results.length > 0;
  if (!losesResult && !isCut && options.images !== true) return;
  const entry = source.transcript.read(node);
  const content = asObject(entry.message)?.content;
  const blocks = isArray(content) ? content : [];
  const gone = new Set(blocks.flatMap((block, i) => (isStrippedResult(block, stripped.calls) ? [i] : [])));
  if (gone.size > 0 && gone.size === blocks.length) {
    stripped.drops.set(node.index, reasons.result);
    return;
  }
  const edits: Edit[] = [...gone].map((i) => ({ path: ['message', 'content', i], remove: true }));
  for (const [i, block] of blocks.entries())
    if (!gone.has(i) && isObject(block))
      edits.push(...shorten(block, ['message', 'content', i], options, originOf(source, node), true));
  if (gone.size > 0) {
    for (const key of ['toolUseResult', 'sourceToolAssistantUUID', 'sourceToolUseID'])
      if (key in entry) edits.push({ path: [key], remove: true });
  } else edits.push(...shorten(entry.toolUseResult, ['toolUseResult'], options, originOf(source, node), isCut));
  if (edits.length > 0) stripped.edits.set(node.index, edits);
}

function isStrippedResult(block: unknown, calls: ReadonlySet<string>): boolean {
  return isObject(block) && block.type === 'tool_result' && calls.has(asString(block.tool_use_id) ?? '');
}

/** Texts inside a replaced image are not shortened. */
function shorten(
  value: JsonObject[string] | undefined,
  path: readonly (string | number)[],
  options: StripOptions,
  origin: OriginalLine,
  isResult: boolean,
): Edit[] {
  const images = options.images === true ? imageEdits(value, path, origin) : [];
  const { truncateResults } = options;
  if (truncateResults === undefined || !isResult) return images;
  const isBlock = path[0] === 'message';
  const block = asObject(value);
  const cuts = !isBlock
    ? textCuts(value, path, truncateResults, origin)
    : block?.type === 'tool_result'
      ? resultCuts(block.content, [...path, 'content'], truncateResults, origin)
      : [];
  return [
    ...images,
    ...cuts.filter((cut) => !images.some((image) => image.path.every((key, i) => cut.path[i] === key))),
  ];
}

function originOf(source: StripSource, node: Node): OriginalLine {
  return { sessionId: source.sessionId, line: node.line };
}

function isBookkeeping({ transcript }: StripSource, node: Node): boolean {
  if (node.type !== 'attachment') return !isMessage(node) && bookkeepingTypes.has(node.type);
  return asString(asObject(transcript.read(node).attachment)?.type) === 'prompt_snapshot';
}

/** Records of clients since 2.1.260, which a resume does not need and writes again. */
const bookkeepingTypes: ReadonlySet<string> = new Set([
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'clew-thinking-drop',
  'tools-used',
  'cost-state',
  'atis-latch',
]);

export const reasons = {
  call: 'a tool call',
  result: 'the result of a tool call',
  thinking: 'thinking',
  thinkingOfCall: 'thinking of a message whose tool call was removed',
  empty: 'its message is empty',
  leftOut: 'an unanswered call, whose whole line a resume skips',
  progress: 'progress',
  bookkeeping: 'bookkeeping of the client',
} as const;
