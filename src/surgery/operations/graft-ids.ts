// New ids for the lines of the second session: every line gets a new uuid; messages and calls only if the first session
// has the same id.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { asObject, asString, isArray, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import { type Edit, editJson } from '../../format/bytes/index.ts';
import type { Session } from '../../session/load/index.ts';
import { callsOf, isMessage, type Node } from '../../session/transcript/index.ts';
import type { Turn } from '../../session/turns/index.ts';
import {
  type FileSource,
  NewIds,
  nameFor,
  originEdits,
  type PlannedFile,
  type PlannedSession,
  rewriteLines,
  type Source,
  type SourceFile,
  sessionIdEdits,
  zeroEdits,
} from '../engine/index.ts';

interface SecondIds {
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

export function agentsOfSecond(
  second: Source,
  base: PlannedSession,
  nodes: readonly Node[],
  ids: SecondIds,
): readonly PlannedFile[] {
  const { session, files } = second;
  const started = new Set(nodes.flatMap(callsOf).map((call) => call.id));
  const agents = session.agents.flatMap(({ path, toolUseId }) =>
    path !== undefined && toolUseId !== undefined && started.has(toolUseId) ? [path.replace(/\.jsonl$/, '')] : [],
  );
  const taken = new Set(base.files.map(({ name }) => name));
  return files.slice(1).flatMap((file) => {
    const isWanted = file.name.includes('/tool-results/') || agents.some((agent) => file.path.startsWith(`${agent}.`));
    const name = nameFor(file.name, session.id, base.sessionId);
    return isWanted && !taken.has(name)
      ? [{ name, content: copiedContent(file, { sessionId: base.sessionId, origin: session.id }, ids) }]
      : [];
  });
}

function copiedContent(
  file: SourceFile,
  { sessionId, origin }: { sessionId: string; origin: string },
  ids: SecondIds,
): FileSource {
  const { transcript } = file;
  if (transcript !== undefined) {
    const originOf = originEdits(origin, [transcript]);
    const renames = (entry: JsonObject): readonly Edit[] => [...sessionIdEdits(entry, sessionId), ...originOf(entry)];
    return { lines: () => rewriteLines(transcript, { renames }) };
  }
  if (!file.name.endsWith('.meta.json')) return { copyOf: file.path };
  const bytes = readFileSync(file.path);
  const call = asString(asObject(parseJson(bytes.toString('utf8')))?.toolUseId);
  if (call === undefined || ids.callOf(call) === call) return { copyOf: file.path };
  return { bytes: editJson(bytes, [{ path: ['toolUseId'], set: ids.callOf(call) }]) };
}

export interface Side {
  readonly session: Session;
  readonly turns: readonly Turn[];
}

export function countSharedTurns(a: Side, b: Side): number {
  let shared = 0;
  while (shared < a.turns.length && shared < b.turns.length) {
    const [ofA, ofB] = [linesOf(a.turns[shared]), linesOf(b.turns[shared])];
    const isFork = ofB.length < ofA.length && shared + 1 < b.turns.length;
    // A fork in the middle of a turn continued with another prompt: it has nothing of its own in that turn.
    const isShared = ofB.length === ofA.length || isFork;
    if (!isShared || !ofB.every((node, i) => isCopy(a.session, ofA[i] as Node, b.session, node))) break;
    shared++;
  }
  return shared;
}

function linesOf(turn: Turn | undefined): readonly Node[] {
  return (turn?.nodes ?? []).filter((node) => isMessage(node) && !node.isApiError);
}

function isCopy(ofA: Session, a: Node, ofB: Session, b: Node): boolean {
  if (a.type !== b.type) return false;
  if (a.uuid !== undefined && a.uuid === b.uuid) return true;
  const [left, right] = [ofA.transcript.read(a), ofB.transcript.read(b)];
  const origins = [left, right].map((entry) => asString(asObject(entry.forkedFrom)?.messageUuid));
  if (origins[0] !== undefined && (origins[0] === b.uuid || origins[0] === origins[1])) return true;
  if (origins[1] !== undefined && origins[1] === a.uuid) return true;
  const [one, other] = [asObject(left.message), asObject(right.message)];
  if (a.type === 'assistant' && one?.id !== other?.id) return false;
  return isDeepStrictEqual(blocks(one?.content), blocks(other?.content));
}

/** A single text may be a string or a block. */
function blocks(content: JsonValue | undefined): JsonValue | undefined {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
