// A tool call → its item on the page: one line of what it did and what came of it, and its detail by tool.
import type { ToolUseBlock } from '../../format/block.ts';
import type { Entry } from '../../format/entry.ts';
import { outcomeOf, withoutFolder } from '../../session/call-result.ts';
import type { Node } from '../../session/node.ts';
import type { ToolCall } from '../../session/tool-calls.ts';
import { summariseInput } from '../../session/tool-summary.ts';
import { callDetail } from './call-detail.ts';
import { outputText, readCall } from './call-source.ts';
import type { CallDetail } from './detail.ts';
import { imagesIn } from './image-ref.ts';
import { firstChars, placeOf, startOf } from './text.ts';
import type { AgentRow, CallItem } from './view.ts';

export interface CallContext {
  readonly cwd: string | undefined;
  read(node: Node): Entry;
  agentOf(call: ToolCall): AgentRow | null;
}

const didChars = 300;
const cameChars = 160;

export function callItem(context: CallContext, call: ToolCall, block: ToolUseBlock, blockIndex: number): CallItem {
  const source = readCall(call, block, blockIndex, (node) => context.read(node));
  const did = startOf(withoutFolder(summariseInput(call.name, block.input), context.cwd), didChars);
  const detail = callDetail(source);
  const { result } = call;
  return {
    kind: 'call',
    place: placeOf(call.node),
    id: firstChars(call.id, 100),
    name: firstChars(call.name, 100),
    did,
    came: startOf(outcomeOf(call, source.output, did), cameChars),
    state: result === undefined ? 'open' : call.isError ? 'failed' : 'done',
    resultPlace: result === undefined ? null : placeOf(result),
    durationMs: result === undefined ? null : durationOf(call.node, result),
    agent: context.agentOf(call),
    error: call.isError && !showsError(detail) ? outputText(source) : null,
    images: result === undefined ? [] : imagesIn(source.blocks, result, ...source.blockKeys),
    detail,
  };
}

/** These show what the model was told as their own output. */
function showsError({ as }: CallDetail): boolean {
  return as === 'shell' || as === 'json';
}

function durationOf(from: Node, to: Node): number | null {
  const durationMs = to.time - from.time;
  return Number.isNaN(durationMs) ? null : Math.max(0, durationMs);
}
