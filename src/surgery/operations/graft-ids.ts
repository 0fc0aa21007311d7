// New ids for the lines of the second session: every line gets a new uuid; messages and calls only if the first session
// has the same id.
import { randomUUID } from 'node:crypto';
import { asObject, asString, isArray, type JsonObject } from '../../base/json/json.ts';
import type { Edit } from '../../format/bytes/edit.ts';
import type { Session } from '../../session/load/session.ts';
import { callsOf, type Node } from '../../session/transcript/node.ts';
import { zeroEdits } from '../engine/fresh-usage.ts';
import { NewIds, originEdits } from '../engine/ids.ts';

export interface SecondIds {
  /** By the index of the record in the second session. */
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly renames: (entry: JsonObject) => readonly Edit[];
  uuidOf(uuid: string): string;
  /** The new id of a call, if it got one. */
  callOf(id: string): string;
}

export function secondIds(first: Session, second: Session, nodes: readonly Node[]): SecondIds {
  const ids = new NewIds([second.transcript.pick(nodes)]);
  const origin = originEdits(second.id, [second.transcript]);
  const calls = new Map<string, string>();
  const messages = new Map<string, string>();
  const known = { calls: new Set<string>(), messages: new Set<string>() };
  for (const node of first.transcript.nodes) {
    for (const { id } of callsOf(node)) known.calls.add(id);
    const key = keyOf(node);
    if (key !== undefined) known.messages.add(key);
  }
  for (const node of nodes) {
    for (const { id } of callsOf(node)) if (known.calls.has(id)) calls.set(id, `toolu_${shortId()}`);
    const key = keyOf(node);
    if (key !== undefined && known.messages.has(key) && !messages.has(key)) messages.set(key, `msg_${shortId()}`);
  }
  return {
    edits: new Map(nodes.map((node) => [node.index, editsOf(second, node, calls, messages)])),
    renames: (entry) => [...ids.edits(entry), ...origin(entry)],
    uuidOf: (uuid) => ids.of(uuid),
    callOf: (id) => calls.get(id) ?? id,
  };
}

/** The client joins lines by this key (RESUME rule 52). */
function keyOf(node: Node): string | undefined {
  return node.type === 'assistant' ? node.message?.id || node.message?.requestId : undefined;
}

function editsOf(
  session: Session,
  node: Node,
  calls: ReadonlyMap<string, string>,
  messages: ReadonlyMap<string, string>,
): readonly Edit[] {
  const edits: Edit[] = [];
  const message = messages.get(keyOf(node) ?? '');
  const entry = message === undefined && calls.size === 0 ? {} : session.transcript.read(node);
  if (message !== undefined) {
    edits.push({ path: ['message', 'id'], set: message });
    // With another id its tokens would count twice.
    edits.push(...zeroEdits(asObject(entry.message)?.usage, ['message', 'usage']));
  }
  if (calls.size === 0) return edits;
  for (const key of ['sourceToolUseID', 'toolUseID', 'parentToolUseID']) {
    const call = calls.get(asString(entry[key]) ?? '');
    if (call !== undefined) edits.push({ path: [key], set: call });
  }
  const content = asObject(entry.message)?.content;
  for (const [i, block] of isArray(content) ? content.entries() : []) {
    for (const key of ['id', 'tool_use_id']) {
      const call = calls.get(asString(asObject(block)?.[key]) ?? '');
      if (call !== undefined) edits.push({ path: ['message', 'content', i, key], set: call });
    }
  }
  return edits;
}

function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24);
}
