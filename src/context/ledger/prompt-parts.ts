// What a transcript says about the system prompt and the tools: newer clients write both down, as a snapshot in the chain
// (2.1.270) or as the shape of their requests (2.1.300).
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import type { SliceKind } from '../wire/index.ts';
import { mcpServerOf, type PromptPart } from './item.ts';
import { isInstructions, valueTokens } from './pieces.ts';

/** The system prompt and the tools, as a record says them. */
export interface Prompt {
  readonly line: number;
  readonly system: readonly JsonValue[];
  readonly tools: readonly JsonObject[];
}

/** Of the last record that has the tools; none for older clients. */
export function promptPartsOf(session: Session, snapshots: readonly Prompt[]): readonly PromptPart[] {
  const snapshot = snapshots.findLast(({ tools }) => tools.length > 0);
  const found = snapshot ?? lastShape(session) ?? snapshots.at(-1);
  return found === undefined ? [] : partsOf(found);
}

export function snapshotOf(node: Node, entry: JsonObject): Prompt | undefined {
  const attachment = node.type === 'attachment' ? asObject(entry.attachment) : undefined;
  if (attachment?.type !== 'prompt_snapshot' || !isArray(attachment.systemPrompt)) return undefined;
  const tools = isArray(attachment.tools) ? attachment.tools.filter(isObject) : [];
  return { line: node.line, system: attachment.systemPrompt, tools: tools.map(withoutCopy) };
}

/** A snapshot repeats the name and the description of a tool in its schema. */
function withoutCopy(tool: JsonObject): JsonObject {
  const schema = asObject(tool.schema);
  return schema?.input_schema === undefined ? tool : { name: asString(tool.name) ?? '', ...schema };
}

function lastShape({ transcript, isAgent }: Session): Prompt | undefined {
  const node = transcript.nodes.findLast(
    (each) => each.type === 'api-request-shape' && (isAgent || each.agentId === undefined),
  );
  const shape = node === undefined ? undefined : asObject(transcript.read(node).shape);
  if (node === undefined || shape === undefined || !isArray(shape.tools)) return undefined;
  const system = isArray(shape.system) ? shape.system : [shape.system ?? ''];
  return { line: node.line, system, tools: shape.tools.filter(isObject) };
}

function partsOf({ line, system, tools }: Prompt): readonly PromptPart[] {
  const sums = new Map<string, PromptPart>();
  const add = (kind: SliceKind, name: string | null, tokens: number): void => {
    const key = `${kind} ${name}`;
    sums.set(key, { kind, name, line, tokens: (sums.get(key)?.tokens ?? 0) + tokens });
  };
  for (const part of system) {
    const text = asString(part) ?? asString(asObject(part)?.text) ?? '';
    add(isInstructions(text) ? 'instructions' : 'system', null, valueTokens(text));
  }
  for (const tool of tools) {
    const server = mcpServerOf(asString(tool.name) ?? '');
    add(server === undefined ? 'tools' : 'mcp', server ?? null, valueTokens(tool));
  }
  return [...sums.values()].filter(({ tokens }) => tokens > 0);
}
