// A tool call and its result → its item. The result is read when a sink asks for it, and only once.
import type { JsonValue } from '../../base/json/index.ts';
import { type Block, blocksOf, contentOf, type Entry, isImage, isToolResult } from '../../format/entry/index.ts';
import {
  type CallNames,
  knownOutcome,
  outcomeOf,
  type Refusal,
  readRefusal,
  refusalText,
  resultText,
  summariseInput,
  withoutErrorTags,
  withoutFolder,
} from '../calls/index.ts';
import {
  type CallDetail,
  type CallItem,
  type Ref,
  type StoryAgent,
  type StoryImage,
  StoryText,
} from '../items/index.ts';
import type { Node } from '../transcript/index.ts';
import type { ToolCall } from '../turns/index.ts';
import { type CallResult, callDetail } from './call-detail.ts';
import { contentKeys, type Keys, refTo } from './text.ts';

export interface CallContext {
  readonly cwd: string | undefined;
  /** The entry without `toolUseResult`. */
  readonly read: (node: Node) => Entry;
  /** The `toolUseResult` of a line. */
  readonly readStored: (node: Node) => JsonValue | undefined;
  /** Of tasks and agents; without them their ids are shown. */
  readonly names?: CallNames;
}

/** `index`: its block among those of the line. */
export function makeCall(
  context: CallContext,
  call: ToolCall,
  input: JsonValue | undefined,
  index: number,
  agent: StoryAgent | undefined,
): CallItem {
  const { node, result } = call;
  let known: CallResult | undefined;
  let detail: CallDetail | undefined;
  const read = (): CallResult => {
    known ??= readResult(context, call);
    return known;
  };
  // Only the text of an error says that the user ended the call.
  let refusal: Refusal | null | undefined;
  const readEnd = (): Refusal | null => {
    refusal ??= result !== undefined && call.isError ? (readRefusal(read().text) ?? null) : null;
    return refusal;
  };
  const summary = withoutFolder(summariseInput(call.name, input, context.names), context.cwd);
  return {
    kind: 'call',
    node,
    id: call.id,
    tool: call.name,
    input,
    summary,
    get state(): CallItem['state'] {
      return result === undefined ? 'open' : (readEnd()?.state ?? (call.isError ? 'failed' : 'done'));
    },
    get outcome(): string {
      const end = readEnd();
      if (end !== null) return refusalText(call.name, end);
      const said = result === undefined || call.isError ? undefined : knownOutcome(call.name, read().text);
      return said ?? outcomeOf({ isError: call.isError, result }, read().text, summary);
    },
    get reply(): StoryText | null {
      const end = readEnd();
      return end === null || end.reply === '' ? null : new StoryText(end.reply, 'prompt', this.outputAt);
    },
    result,
    durationMs:
      result === undefined || Number.isNaN(result.time - node.time) ? null : Math.max(0, result.time - node.time),
    agent,
    get output(): string {
      return read().text;
    },
    get outputAt(): Ref | null {
      return result === undefined ? null : refTo(result, ...read().keys);
    },
    get images(): readonly StoryImage[] {
      return result === undefined ? [] : imagesIn(read().blocks, result, read().keys);
    },
    get detail(): CallDetail {
      detail ??= callDetail(this, { ...read(), inputKeys: [...contentKeys(context.read(node)), index, 'input'] });
      return detail;
    },
  };
}

function readResult({ read, readStored }: CallContext, { id, result }: ToolCall): CallResult {
  if (result === undefined) return { blocks: [], text: '', keys: [], stored: undefined };
  const entry = read(result);
  const content = contentOf(entry);
  const at = content.findIndex((block) => isToolResult(block) && block.tool_use_id === id);
  const block = content[at];
  const blocks = block !== undefined && isToolResult(block) ? blocksOf(block.content) : [];
  const isAlone = content.filter(isToolResult).length === 1;
  return {
    blocks,
    text: withoutErrorTags(resultText(blocks)),
    keys: [...contentKeys(entry), at, 'content'],
    get stored(): JsonValue | undefined {
      return isAlone ? readStored(result) : undefined;
    },
  };
}

/** `keys` lead to the list of blocks. */
export function imagesIn(blocks: readonly Block[], node: Node, keys: Keys): readonly StoryImage[] {
  return blocks.flatMap((block, i) =>
    isImage(block) ? [{ source: block.source ?? {}, at: refTo(node, ...keys, i) }] : [],
  );
}
