// Repaired lines in their order → the edits of every record: one chain, ids of their own, times where they lack one.
// Lines next to the chain keep their parents, unless these are gone.
import { randomUUID } from 'node:crypto';
import { asObject, isObject, type JsonObject, type JsonValue, wellFormed } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { isLinked } from '../../session/graph/index.ts';
import type { Session } from '../../session/load/index.ts';
import { retractedBy } from '../../session/resume/messages/index.ts';
import { isBoundary, type Node } from '../../session/transcript/index.ts';
import type { RepairedLine } from './blocks.ts';

export interface Relinked {
  readonly edits: ReadonlyMap<Node, readonly Edit[]>;
  /** New lines, by the record they are after. */
  readonly made: ReadonlyMap<Node, readonly JsonObject[]>;
  /** New lines at the very beginning. */
  readonly first: readonly JsonObject[];
  readonly leafUuid: string | undefined;
}

export interface RelinkSource {
  readonly session: Session;
  readonly lines: readonly RepairedLine[];
  readonly drops: ReadonlySet<Node>;
  /** Records whose bytes must be written again, as well-formed text. */
  readonly rewritten: ReadonlySet<Node>;
}

export function relink(source: RelinkSource): Relinked {
  const ids = newIds(source);
  const chain = relinkChain(source, ids);
  const edits = new Map(chain.edits);
  const inChain = new Set(source.lines.flatMap((line) => ('node' in line ? line.node : [])));
  for (const node of source.session.transcript.nodes) {
    if (inChain.has(node) || source.drops.has(node)) continue;
    const own = besideEdits(source, node, ids);
    if (own.length > 0) edits.set(node, own);
  }
  for (const node of source.rewritten) {
    if (!source.drops.has(node)) edits.set(node, [rewriteWhole(source.session, node, edits.get(node) ?? [])]);
  }
  return { ...chain, edits };
}

/** Where two records carry one uuid, the earlier gets another: what refers to it means the later one. */
function newIds({ session, drops, lines }: RelinkSource): ReadonlyMap<Node, string> {
  const ids = new Map<Node, string>();
  for (const node of session.transcript.nodes)
    if (!drops.has(node) && session.graph.isReplaced(node)) ids.set(node, randomUUID());
  for (const line of lines) if ('node' in line && line.node.uuid === undefined) ids.set(line.node, randomUUID());
  return ids;
}

function relinkChain(source: RelinkSource, ids: ReadonlyMap<Node, string>): Relinked {
  const { session, lines } = source;
  const edits = new Map<Node, Edit[]>();
  const made = new Map<Node, JsonObject[]>();
  const first: JsonObject[] = [];
  let parent: string | null = null;
  let before: Node | undefined;
  let time = Number.NaN;
  for (const line of lines) {
    if ('made' in line) {
      const like = before ?? line.like;
      const entry: JsonObject = {
        ...envelopeOf(session, like),
        ...line.made,
        parentUuid: parent,
        timestamp: isoTime(time, like),
      };
      if (before === undefined) first.push(entry);
      else made.set(before, [...(made.get(before) ?? []), entry]);
      parent = String(line.made.uuid);
      continue;
    }
    const { node } = line;
    const own: Edit[] = [];
    const uuid = ids.get(node);
    if (uuid !== undefined) own.push({ path: ['uuid'], set: uuid });
    if (node.parentUuid !== parent) own.push({ path: ['parentUuid'], set: parent });
    if (isBoundary(node)) own.push(...boundaryEdits(session, node, uuid !== undefined));
    own.push(...retractionEdits(session, node));
    if (Number.isNaN(node.time)) own.push({ path: ['timestamp'], set: isoTime(time, undefined) });
    else time = node.time;
    if (line.attachment !== undefined) own.push({ path: ['attachment'], set: line.attachment });
    if (line.content !== undefined) own.push({ path: ['message', 'content'], set: line.content });
    if (own.length > 0) edits.set(node, own);
    parent = uuid ?? node.uuid ?? null;
    before = node;
  }
  return { edits, made, first, leafUuid: parent ?? undefined };
}

/**
 * A compaction must not name what is not in the file. One that another line had replaced had no effect, and with a uuid
 * of its own it must not begin to: what it says it preserved would take everything before it out of a resume.
 */
function boundaryEdits({ graph, transcript }: Session, node: Node, isRevived: boolean): Edit[] {
  const { logicalParentUuid } = node;
  const isLost = logicalParentUuid !== undefined && graph.byUuid(logicalParentUuid) === undefined;
  const edits: Edit[] = isLost ? [{ path: ['logicalParentUuid'], set: null }] : [];
  const metadata = isRevived ? asObject(transcript.read(node).compactMetadata) : undefined;
  if (metadata?.preservedSegment === undefined && metadata?.preservedMessages === undefined) return edits;
  const { preservedSegment: _, preservedMessages: __, ...rest } = metadata;
  return [...edits, { path: ['compactMetadata'], set: rest }];
}

/** What the line takes back is gone; a list of it would take back the whole conversation. */
function retractionEdits({ transcript }: Session, node: Node): Edit[] {
  const isRetraction = retractedBy(node, (each) => transcript.read(each)).length > 0;
  return isRetraction ? [{ path: ['retractedMessageUuids'], set: [] }] : [];
}

function besideEdits(source: RelinkSource, node: Node, ids: ReadonlyMap<Node, string>): Edit[] {
  const { session } = source;
  const edits: Edit[] = [];
  const uuid = ids.get(node);
  if (uuid !== undefined) edits.push({ path: ['uuid'], set: uuid });
  if (isBoundary(node)) edits.push(...boundaryEdits(session, node, uuid !== undefined));
  // With a uuid of its own it must not begin to take back the conversation.
  if (uuid !== undefined) edits.push(...retractionEdits(session, node));
  if (!isLinked(node) || typeof node.parentUuid !== 'string') return edits;
  const stored = session.graph.byUuid(node.parentUuid);
  const found = nearestKept(source, node);
  const isSound = stored !== undefined && stored === found && node.type !== 'progress';
  if (isSound || (node.type === 'progress' && stored !== undefined && !source.drops.has(stored))) return edits;
  const parent = found === undefined ? null : (ids.get(found) ?? found.uuid ?? null);
  return parent === node.parentUuid ? edits : [...edits, { path: ['parentUuid'], set: parent }];
}

/** The nearest ancestor that is kept and is not a progress line. */
function nearestKept({ session, drops }: RelinkSource, node: Node): Node | undefined {
  let at = session.graph.parentOf(node);
  while (at !== undefined && (drops.has(at) || at.type === 'progress')) at = session.graph.parentOf(at);
  return at;
}

function envelopeOf(session: Session, like: Node | undefined): JsonObject {
  const entry = like === undefined ? {} : session.transcript.read(like);
  const kept = ['sessionId', 'cwd', 'version', 'gitBranch', 'userType'].flatMap((key) =>
    entry[key] === undefined ? [] : [[key, entry[key]] as const],
  );
  return { ...Object.fromEntries(kept), isSidechain: false };
}

function isoTime(before: number, like: Node | undefined): string {
  const time = Number.isNaN(before) ? (like?.time ?? Number.NaN) : before + 1;
  return new Date(Number.isNaN(time) ? 0 : time).toISOString();
}

/** The whole record as one value, well formed, with its edits in it. */
function rewriteWhole(session: Session, node: Node, edits: readonly Edit[]): Edit {
  const entry: Record<string, JsonValue | undefined> = { ...session.transcript.read(node) };
  for (const edit of edits) {
    if (!('set' in edit)) continue;
    const [key, inner] = edit.path;
    if (inner === undefined) entry[String(key)] = edit.set;
    else
      entry[String(key)] = {
        ...(isObject(entry[String(key)]) ? (entry[String(key)] as JsonObject) : {}),
        [String(inner)]: edit.set,
      };
  }
  return { path: [], set: wellFormed(entry) };
}
