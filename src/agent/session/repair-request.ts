// The messages of a damaged session → messages that the API takes, and what was changed, in words. Only the request is
// mended, never the file: `clew doctor --fix` is for that. Every call is answered once and right behind its message,
// nothing is empty, altered, misplaced or too large.
import { checkRequest } from '../../api/check-request.ts';
import type { Violation } from '../../api/rule.ts';
import { isCutSignature } from '../../api/signature.ts';
import { asString, hasLoneSurrogate, isArray, isObject, type JsonObject, wellFormed } from '../../base/json.ts';
import { blocksOf } from '../../format/block.ts';
import { modelFactsOf } from '../../models/facts.ts';
import { texts } from '../../session/resume/client.ts';
import type { WireMessage } from '../../session/resume/draft.ts';
import { isThinking, resultFor } from '../../session/resume/filter.ts';
import { shrinkRequest } from './shrink-request.ts';

export interface RepairOptions {
  readonly model?: string;
  /** The API has counted the last request of this session: that it is too long by our estimate proves nothing. */
  readonly isCounted?: boolean;
}

export interface RepairedRequest {
  readonly messages: readonly WireMessage[];
  /** What was changed, one sentence each; none where nothing was wrong. */
  readonly notes: readonly string[];
}

/** `messages` are a whole request, the prompt included. */
export function repairRequest(messages: readonly WireMessage[], options: RepairOptions = {}): RepairedRequest {
  const found = violationsOf(messages, options);
  if (found.length === 0) return { messages, notes: [] };
  const notes = new Set(found.map(noteOf));
  let repaired = rebuild(messages, options.model);
  for (let round = 0; round < maxRounds; round++) {
    const left = violationsOf(repaired, options);
    if (left.length === 0) break;
    for (const violation of left) notes.add(noteOf(violation));
    repaired = rebuild(dropBlocks(shrinkRequest(repaired, left, options.model), left), options.model);
  }
  return { messages: repaired, notes: [...notes] };
}

const maxRounds = 12;

/** What the API would answer to this request. */
export function violationsOf(messages: readonly WireMessage[], { model, isCounted }: RepairOptions): Violation[] {
  return checkRequest({ messages, ...(model === undefined ? {} : { model }) }).filter(
    (violation) => !(violation.isEstimate === true && isCounted === true),
  );
}

function noteOf({ message, path }: Violation): string {
  return `mended in the request: ${message.replace(/^messages(?:\.\d+)[\w.]*: /, '')} (${path})`;
}

/** Blocks that no rule of ours has mended go; sizes are the matter of `shrinkRequest`. */
function dropBlocks(messages: readonly WireMessage[], left: readonly Violation[]): readonly WireMessage[] {
  const places = new Set(
    left
      .filter(({ rule, blockIndex }) => blockIndex !== undefined && !rule.startsWith('image-'))
      .map(({ messageIndex, blockIndex }) => `${messageIndex} ${blockIndex}`),
  );
  if (places.size === 0) return messages;
  return messages.map((message, i) => ({
    ...message,
    content: message.content.filter((_, at) => !places.has(`${i} ${at}`)),
  }));
}

function rebuild(messages: readonly WireMessage[], model: string | undefined): readonly WireMessage[] {
  const rebuilt: WireMessage[] = [];
  const used = new Set<string>();
  const mayBeEmpty = modelFactsOf(model ?? '')?.omitsThinking !== false;
  let open: readonly string[] = [];
  for (const message of messages) {
    const blocks = soundBlocks(message);
    if (message.role === 'assistant') {
      if (open.length > 0) rebuilt.push(closing(open));
      const content = answerBlocks(blocks, used, mayBeEmpty);
      open = content.flatMap((block) => (block.type === 'tool_use' ? [String(block.id)] : []));
      if (content.length === 0) continue;
      if (rebuilt.length === 0) rebuilt.push({ role: 'user', content: [text(beginningText)] });
      rebuilt.push({ role: 'assistant', content });
    } else {
      const content = inputBlocks(blocks, open, used);
      open = [];
      if (content.length > 0) rebuilt.push({ role: 'user', content });
    }
  }
  if (open.length > 0) rebuilt.push(closing(open));
  return rebuilt.length === 0 ? [{ role: 'user', content: [text(texts.noContent)] }] : rebuilt;
}

const beginningText = '[The beginning of this conversation is not in the file.]';

function soundBlocks({ content }: WireMessage): readonly JsonObject[] {
  const blocks = blocksOf(content as JsonObject[string]).filter(isObject); // a content is JSON, whatever it says of itself
  return hasLoneSurrogate(blocks) ? (wellFormed(blocks) as readonly JsonObject[]) : blocks; // the same shape
}

function answerBlocks(blocks: readonly JsonObject[], used: Set<string>, mayBeEmpty: boolean): readonly JsonObject[] {
  const sound = blocks.flatMap((block): readonly JsonObject[] => {
    switch (block.type) {
      case 'text':
        return isBlank(block) ? [] : [block];
      case 'thinking':
        return isSoundThinking(block, mayBeEmpty) ? [block] : [];
      case 'redacted_thinking':
        return asString(block.data) ? [block] : [];
      case 'tool_use':
        return soundCall(block, used);
      case 'tool_result':
        return [];
      default:
        return [block];
    }
  });
  const last = sound.findLastIndex((block) => !isThinking(block));
  return sound.slice(0, last + 1);
}

function soundCall(block: JsonObject, used: Set<string>): readonly JsonObject[] {
  const id = soundId(block.id);
  if (id === '' || used.has(id)) return [];
  used.add(id);
  const name = soundName(asString(block.name) ?? '');
  const input = isObject(block.input) ? block.input : {};
  return [id === block.id && name === block.name && input === block.input ? block : { ...block, id, name, input }];
}

/** Exactly the results that are asked for, before anything else; what answers no call is kept as what it says. */
function inputBlocks(
  blocks: readonly JsonObject[],
  open: readonly string[],
  used: ReadonlySet<string>,
): readonly JsonObject[] {
  const answers = new Map<string, JsonObject>();
  const others: JsonObject[] = [];
  for (const block of blocks) {
    if (block.type === 'text') {
      if (!isBlank(block)) others.push(block);
    } else if (block.type === 'tool_result') {
      const id = soundId(block.tool_use_id);
      if (open.includes(id)) {
        if (!answers.has(id)) answers.set(id, { ...soundResult(block), tool_use_id: id });
      } else if (!used.has(id)) others.push(text(orphanText(block)));
    } else if (block.type !== 'tool_use' && !isThinking(block)) others.push(block);
  }
  return [...open.map((id) => answers.get(id) ?? resultFor(id, texts.interrupted)), ...others];
}

function soundResult(block: JsonObject): JsonObject {
  if (!isArray(block.content)) return block;
  return {
    ...block,
    content: block.content.filter((inner) => isObject(inner) && !(inner.type === 'text' && isBlank(inner))),
  };
}

function closing(open: readonly string[]): WireMessage {
  return { role: 'user', content: open.map((id) => resultFor(id, texts.interrupted)) };
}

function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

function isBlank(block: JsonObject): boolean {
  return (asString(block.text) ?? '').trim() === '';
}

/** Newer models send thinking with a signature and no text; from others it is a text that somebody took out. */
function isSoundThinking(block: JsonObject, mayBeEmpty: boolean): boolean {
  const signature = asString(block.signature);
  if (signature === undefined || signature === '' || isCutSignature(signature)) return false;
  return mayBeEmpty || asString(block.thinking) !== '';
}

function soundId(id: unknown): string {
  return (asString(id) ?? '').replace(/[^a-zA-Z0-9_-]/g, '_');
}

function soundName(name: string): string {
  const sound = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128);
  return sound === '' ? 'unknown' : sound;
}

function orphanText(result: JsonObject): string {
  const said = typeof result.content === 'string' ? result.content : JSON.stringify(result.content ?? '');
  return `[Result of a tool call that is not in this conversation]\n${said}`;
}
