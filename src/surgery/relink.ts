// Lines that go → the edits that mend what pointed at them: parents, pins, snapshots, preserved history. A line whose
// parent goes hangs on the line before it, in the order in which a resume sends them, that stays.
import { asObject, asString, isArray, type JsonObject } from '../base/json.ts';
import type { Edit } from '../format/edit.ts';
import { compactionsOf } from '../session/compaction.ts';
import { callsOf, isBoundary, isMessage, type Node, resultsOf } from '../session/node.ts';
import { resumeLines } from '../session/resume/request.ts';
import type { Session } from '../session/session.ts';
import { findReferences } from './ids.ts';

export interface Relinked {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  /** Records that only spoke of lines that go. */
  readonly drops: ReadonlyMap<number, string>;
}

export function relink(session: Session, drops: ReadonlyMap<number, string>): Relinked {
  const way = new Way(session, drops);
  const edits = new Map<number, Edit[]>();
  const more = new Map<number, string>();
  for (const node of session.transcript.nodes) {
    if (drops.has(node.index)) continue;
    const own = [...parentEdits(way, node)];
    if (isBoundary(node)) own.push(...boundaryEdits(way, node));
    else if (resultsOf(node).length > 0) own.push(...sourceEdits(way, node));
    else if (node.uuid === undefined && !isMessage(node)) {
      const mended = asideEdits(way, node);
      if (mended === undefined) more.set(node.index, 'speaks only of lines that went');
      else own.push(...mended);
    }
    if (own.length > 0) edits.set(node.index, own);
  }
  return { edits, drops: more };
}

/** Longer records beside the chain hold copies of requests, not references. */
const longestAsideBytes = 256 * 1024;

/** How many lines one message and its results may stand apart. */
const farthest = 500;

class Way {
  readonly session: Session;
  readonly preserved: ReadonlySet<string>;
  readonly #drops: ReadonlyMap<number, string>;
  readonly #byUuid = new Map<string, Node>();
  /** In the order of a resume, or of the branch: the line before, and the last one before that stays. */
  readonly #before = new Map<
    Node,
    { readonly line: Node | undefined; readonly kept: Node | undefined; readonly keptUser: Node | undefined }
  >();

  constructor(session: Session, drops: ReadonlyMap<number, string>) {
    this.session = session;
    this.#drops = drops;
    for (const node of session.transcript.nodes) if (node.uuid !== undefined) this.#byUuid.set(node.uuid, node);
    this.preserved = new Set(compactionsOf(session).flatMap(({ preservedUuids }) => preservedUuids));
    const resumed = resumeLines(session.transcript);
    if (!('refused' in resumed)) this.#follow(resumed.lines);
    for (const { nodes, beside } of session.branches)
      this.#follow(nodes.flatMap((node) => [node, ...(beside.get(node) ?? [])]));
  }

  #follow(order: readonly Node[]): void {
    let line: Node | undefined;
    let kept: Node | undefined;
    let keptUser: Node | undefined;
    for (const node of order) {
      if (!this.#before.has(node)) this.#before.set(node, { line, kept, keptUser });
      line = node;
      if (this.isGone(node) || node.uuid === undefined) continue;
      kept = node;
      if (node.type === 'user') keptUser = node;
    }
  }

  isGone(node: Node | undefined): boolean {
    return node !== undefined && this.#drops.has(node.index);
  }

  gone(uuid: string | null | undefined): Node | undefined {
    const node = typeof uuid === 'string' ? this.#byUuid.get(uuid) : undefined;
    return this.isGone(node) ? node : undefined;
  }

  has(uuid: string): boolean {
    return this.#byUuid.has(uuid);
  }

  lineBefore(node: Node): Node | undefined {
    return this.#before.get(node)?.line;
  }

  keptBefore(node: Node): string | undefined {
    return this.#before.get(node)?.kept?.uuid;
  }

  /** By the parents that the file names; `passesMessage`: a message line that goes lies between. */
  ancestorOf(node: Node): { uuid: string | null; passesMessage: boolean } {
    const seen = new Set<Node>();
    let passesMessage = false;
    let parent = node.parentUuid;
    for (let line = this.gone(parent); line !== undefined && !seen.has(line); line = this.gone(parent)) {
      seen.add(line);
      passesMessage ||= isMessage(line);
      parent = line.parentUuid;
    }
    return { uuid: typeof parent === 'string' && this.gone(parent) === undefined ? parent : null, passesMessage };
  }

  /** The last line before `node` that stays and hangs on `ancestor` itself; preserved history stays among itself. */
  besideBelow(node: Node, ancestor: string | null): string | undefined {
    const isPreserved = this.preserved.has(node.uuid ?? '');
    let line = this.#before.get(node)?.kept;
    for (let i = 0; i < farthest && line !== undefined && line.uuid !== ancestor; i++) {
      if (this.preserved.has(line.uuid ?? '') === isPreserved && this.#hangsOn(line, ancestor)) return line.uuid;
      line = this.#before.get(line)?.kept;
    }
    return undefined;
  }

  #hangsOn(line: Node, ancestor: string | null): boolean {
    let at: Node | undefined = line;
    for (let i = 0; i < farthest && at !== undefined; i++) {
      const { uuid } = this.ancestorOf(at);
      // Without an ancestor: where its own history began with a line that goes.
      if (uuid === null) return ancestor === null && this.gone(at.parentUuid) !== undefined;
      if (uuid === ancestor) return true;
      at = this.#byUuid.get(uuid);
    }
    return false;
  }

  /** The line that takes the place of one that goes. */
  standInFor(node: Node): string | undefined {
    return this.keptBefore(node) ?? this.ancestorOf(node).uuid ?? undefined;
  }

  /** The same among the lines of the user. */
  userFor(node: Node): string | undefined {
    const before = this.#before.get(node)?.keptUser;
    if (before !== undefined) return before.uuid;
    const seen = new Set<Node>();
    let line = this.#byUuid.get(this.ancestorOf(node).uuid ?? '');
    while (line !== undefined && !seen.has(line)) {
      if (line.type === 'user' && !this.isGone(line)) return line.uuid;
      seen.add(line);
      line = this.#byUuid.get(line.parentUuid ?? '');
    }
    return undefined;
  }

  read(node: Node): JsonObject {
    return this.session.transcript.read(node);
  }
}

function parentEdits(way: Way, node: Node): Edit[] {
  const { parentUuid } = node;
  if (typeof parentUuid !== 'string') return [];
  if (way.gone(parentUuid) === undefined) {
    // The client bridges to a line by its time where the parent is missing; if that line goes, the bridge must not.
    if (way.has(parentUuid) || !way.isGone(way.lineBefore(node))) return [];
    const kept = way.keptBefore(node);
    return kept === undefined ? [] : [{ path: ['parentUuid'], set: kept }];
  }
  const { uuid, passesMessage } = way.ancestorOf(node);
  if (uuid !== null && !way.has(uuid)) return [{ path: ['parentUuid'], set: way.keptBefore(node) ?? uuid }];
  // Beside the lines that went may stand others of the same message, which hang on the chain only from here.
  const beside = passesMessage ? way.besideBelow(node, uuid) : undefined;
  return [{ path: ['parentUuid'], set: beside ?? uuid }];
}

function boundaryEdits(way: Way, node: Node): Edit[] {
  const edits: Edit[] = [];
  const logical = way.gone(node.logicalParentUuid);
  if (logical !== undefined) edits.push({ path: ['logicalParentUuid'], set: way.standInFor(logical) ?? null });
  const metadata = asObject(way.read(node).compactMetadata);
  if (metadata === undefined) return edits;
  const { preservedUuids = [] } = compactionsOf(way.session).find(({ boundary }) => boundary === node) ?? {};
  const kept = preservedUuids.filter((uuid) => way.gone(uuid) === undefined);
  if (kept.length === preservedUuids.length && preservedUuids.length > 0) {
    edits.push(...listEdits(way, metadata, 'allUuids'));
    return edits;
  }
  if (preservedUuids.length === 0) return edits;
  for (const key of ['preservedSegment', 'preservedMessages']) {
    if (!(key in metadata)) continue;
    if (kept.length === 0) edits.push({ path: ['compactMetadata', key], remove: true });
    else if (key === 'preservedMessages')
      edits.push(...listEdits(way, metadata, 'uuids'), ...listEdits(way, metadata, 'allUuids'));
    else {
      edits.push({ path: ['compactMetadata', key, 'headUuid'], set: kept[0] ?? '' });
      edits.push({ path: ['compactMetadata', key, 'tailUuid'], set: kept.at(-1) ?? '' });
    }
  }
  return edits;
}

function listEdits(way: Way, metadata: JsonObject, key: string): Edit[] {
  const list = asObject(metadata.preservedMessages)?.[key];
  return (isArray(list) ? list : []).flatMap((uuid, i): Edit[] =>
    way.gone(asString(uuid)) === undefined
      ? []
      : [{ path: ['compactMetadata', 'preservedMessages', key, i], remove: true }],
  );
}

/** A result that stays names the line of its call. */
function sourceEdits(way: Way, node: Node): Edit[] {
  const named = way.gone(asString(way.read(node).sourceToolAssistantUUID));
  if (named === undefined) return [];
  const ids = new Set(resultsOf(node).map(({ toolUseId }) => toolUseId));
  const holder = way.session.transcript.nodes.find(
    (line) => !way.isGone(line) && line.uuid !== undefined && callsOf(line).some(({ id }) => ids.has(id)),
  );
  const path = ['sourceToolAssistantUUID'];
  return [holder?.uuid === undefined ? { path, remove: true } : { path, set: holder.uuid }];
}

/** `undefined` where no line is left that it could speak of. */
function asideEdits(way: Way, node: Node): Edit[] | undefined {
  if (node.length > longestAsideBytes) return [];
  const isSnapshot = node.type.startsWith('file-history');
  const edits: Edit[] = [];
  for (const { path, id } of findReferences(way.read(node), (uuid) => way.gone(uuid) !== undefined)) {
    const gone = way.gone(id);
    const set = gone === undefined ? undefined : isSnapshot ? way.userFor(gone) : way.standInFor(gone);
    // A pin or snapshot of nothing misleads; a title may well name a line of another file.
    if (set === undefined && (isSnapshot || node.type === 'last-prompt')) return undefined;
    if (set !== undefined) edits.push({ path, set });
  }
  return edits;
}
