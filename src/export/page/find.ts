// A word → its places in a session and its sub-agents, in the order of the file, each sub-agent after the call that
// started it. The texts are those of the search over all sessions, so that whatever that finds is found here too. It stops
// after enough hits or enough bytes and says where to continue, so that a long session answers soon.
import { systemErrorCode } from '../../base/errors/index.ts';
import { type LineText, textsOfLine } from '../../library/text/index.ts';
import type { Session } from '../../session/load/index.ts';
import { callsOf } from '../../session/transcript/index.ts';
import { findQueuedPrompts } from '../../session/turns/index.ts';
import { readLineBatches } from '../../store/index.ts';
import {
  aroundMark,
  contextOf,
  type FindHit,
  type FindResult,
  type Mark,
  type Matcher,
  makeMatcher,
  type ShownPlace,
  type TextPlace,
  type TextSlice,
  type Wanted,
} from '../wire/index.ts';
import { type OpenSession, shownPlace } from './shown.ts';
import { callIdChars, firstChars } from './text.ts';

export interface FindOptions extends Wanted {
  /** `next` of the previous answer. */
  readonly from?: string;
  readonly limit?: number;
  /** Lines are read up to this many bytes; the line in which that happens is finished. */
  readonly maxBytes?: number;
}

/** One hit for each place of the word. */
export async function findInSession(opened: OpenSession, options: FindOptions): Promise<FindResult> {
  const { limit = 100, maxBytes = 64 * 1024 * 1024 } = options;
  const matcher = makeMatcher(options);
  if (matcher === undefined) return { hits: [], next: null };
  const start = readCursor(options.from);
  const hits: FindHit[] = [];
  const shown = new ShownPlaces(opened);
  const repeated = repeatedLines(opened.session);
  let bytes = 0;
  for (const line of linesFrom(opened.session, start)) {
    if (hits.length >= limit || bytes >= maxBytes) return { hits, next: writeCursor(line, 0) };
    bytes += line.bytes.length;
    const found = hitsIn(line, matcher, line.agentId === null && repeated.has(line.number));
    const skipped = isAt(line, start) ? start.skip : 0;
    const wanted = found.slice(skipped, skipped + limit - hits.length);
    for (const hit of wanted) hits.push({ ...hit, shown: await shown.of(hit) });
    if (skipped + wanted.length < found.length) return { hits, next: writeCursor(line, skipped + wanted.length) };
  }
  return { hits, next: null };
}

/** A stretch of a text of a line; `undefined` if the line does not have it. */
export function sliceOfText(session: Session, place: TextPlace, from: number, to: number): TextSlice | undefined {
  const { line, kind, nth } = place;
  for (const { number, bytes } of linesIn(session, { fromLine: line, toLine: line })) {
    if (number !== line) continue;
    const found = textsOfLine(bytes, { isWhole: true }).find((text) => text.kind === kind && text.part === nth);
    if (found === undefined) return undefined;
    const { text } = found;
    const start = wholeFrom(text, Math.min(Math.max(0, from), text.length));
    const end = wholeFrom(text, Math.min(to, text.length));
    return { text: text.slice(start, end), start, total: text.length, callId: callIdOf(found) };
  }
  return undefined;
}

/** Never splits a surrogate pair. */
function wholeFrom(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** A line in the order in which it is searched. */
interface FoundLine {
  readonly agentId: string | null;
  readonly number: number;
  readonly bytes: Buffer;
}

interface Cursor {
  readonly agentId: string | null;
  readonly line: number;
  readonly skip: number;
}

function writeCursor({ agentId, number }: FoundLine, skip: number): string {
  return `${number}.${skip}.${agentId ?? ''}`;
}

/** An unknown one is the beginning. */
function readCursor(text: string | undefined): Cursor {
  const [, line, skip, agent] = /^(\d{1,9})\.(\d{1,9})\.(.*)$/s.exec(text ?? '') ?? [];
  return {
    agentId: agent === undefined || agent === '' ? null : agent,
    line: Number(line ?? 1),
    skip: Number(skip ?? 0),
  };
}

function isAt({ agentId, number }: FoundLine, cursor: Cursor): boolean {
  return agentId === cursor.agentId && number === cursor.line;
}

/** A run of lines of one transcript; `toLine` is included. */
interface Stretch {
  readonly agentId: string | null;
  readonly path: string;
  readonly fromLine: number;
  readonly toLine: number;
}

function stretchesOf(session: Session): readonly Stretch[] {
  const main = session.transcript.path;
  const callLines = new Map<string, number>();
  for (const node of session.transcript.nodes) {
    for (const { id } of callsOf(node)) if (!callLines.has(id)) callLines.set(id, node.line);
  }
  const agents = session.agents
    .flatMap(({ agentId, path, toolUseId }) => {
      const after = toolUseId === undefined ? undefined : callLines.get(toolUseId);
      return path === undefined ? [] : [{ agentId, path, after: after ?? Number.POSITIVE_INFINITY }];
    })
    .sort((a, b) => (a.after === b.after ? 0 : a.after - b.after));
  const stretches: Stretch[] = [];
  let from = 1;
  for (const { agentId, path, after } of agents) {
    if (after >= from) stretches.push({ agentId: null, path: main, fromLine: from, toLine: after });
    from = Math.max(from, after + 1);
    stretches.push({ agentId, path, fromLine: 1, toLine: Number.POSITIVE_INFINITY });
  }
  if (from < Number.POSITIVE_INFINITY)
    stretches.push({ agentId: null, path: main, fromLine: from, toLine: Number.POSITIVE_INFINITY });
  return stretches;
}

function* linesFrom(session: Session, { agentId, line }: Cursor): Generator<FoundLine> {
  const stretches = stretchesOf(session);
  const first = stretches.findIndex((each) => each.agentId === agentId && each.toLine >= line);
  for (const [i, stretch] of stretches.slice(Math.max(0, first)).entries()) {
    const fromLine = i === 0 && first >= 0 ? Math.max(line, stretch.fromLine) : stretch.fromLine;
    try {
      for (const { number, bytes } of linesIn(session, { ...stretch, fromLine }))
        yield { agentId: stretch.agentId, number, bytes };
    } catch (error) {
      // A sub-agent that is gone or unreadable has nothing to find.
      if (stretch.agentId === null || systemErrorCode(error) === undefined) throw error;
    }
  }
}

type LineRange = Pick<Stretch, 'fromLine' | 'toLine'> & { readonly path?: string };

function* linesIn(session: Session, range: LineRange): Generator<{ readonly number: number; readonly bytes: Buffer }> {
  const { path: own, nodes } = session.transcript;
  const { path = own, fromLine, toLine } = range;
  const isOwn = path === own;
  // The lines of nodes are known; other files are read from their beginning.
  const before = isOwn ? nodes.findLast((node) => node.line <= fromLine) : undefined;
  const after = isOwn ? nodes.find((node) => node.line > toLine) : undefined;
  const first = before === undefined ? undefined : nodes.find((node) => node.line === before.line);
  const options = {
    ...(first === undefined || first.hidden ? {} : { from: { offset: first.offset, number: first.line } }),
    ...(after === undefined || after.hidden ? {} : { endOffset: after.offset }),
  };
  for (const batch of readLineBatches(path, options)) {
    for (const { number, bytes, length } of batch) {
      if (number > toLine) return;
      if (number >= fromLine && bytes.length === length) yield { number, bytes: bytes as Buffer };
    }
  }
}

/** Lines with a prompt in the queue that a later line repeats. */
function repeatedLines({ transcript: { nodes, read } }: Session): ReadonlySet<number> {
  const shown = findQueuedPrompts(nodes, read).filter((prompt) => prompt.shownBy !== undefined);
  return new Set(shown.map((prompt) => prompt.node.line));
}

type Found = Omit<FindHit, 'shown'>;

function hitsIn(line: FoundLine, matcher: Matcher, isRepeated: boolean): readonly Found[] {
  const found: Found[] = [];
  const seen = new Set<string>();
  for (const text of textsOfLine(line.bytes, { isWhole: true })) {
    // The client's own copy of an output is looked at for what the model did not get.
    if ((text.isQueued && isRepeated) || (text.isStored && seen.has(text.kind))) continue;
    if (!matcher.isIn(text.text)) continue;
    const hits = hitsOfText(line, text, matcher.marksIn(text.text));
    if (hits.length > 0) seen.add(text.kind);
    found.push(...hits);
  }
  return found;
}

function hitsOfText({ agentId, number }: FoundLine, text: LineText, marks: readonly Mark[]): readonly Found[] {
  const counts = new Map<string, number>();
  const place = { agentId, line: number, kind: text.kind, nth: text.part, callId: callIdOf(text) };
  return marks.map((mark) => {
    const around = aroundMark(text.text, mark);
    const context = contextOf(around).join('\n');
    const same = counts.get(context) ?? 0;
    counts.set(context, same + 1);
    return { ...place, offset: mark[0], ...around, same };
  });
}

/** As long as that of the item (turn-view.ts). */
function callIdOf({ toolUseId }: LineText): string | null {
  return toolUseId === undefined ? null : firstChars(toolUseId, callIdChars);
}

/** Many hits are in one line. */
class ShownPlaces {
  readonly #opened: OpenSession;
  readonly #known = new Map<string, Promise<ShownPlace | null>>();

  constructor(opened: OpenSession) {
    this.#opened = opened;
  }

  of({ agentId, line }: TextPlace): Promise<ShownPlace | null> {
    const name = `${agentId ?? ''} ${line}`;
    const known = this.#known.get(name) ?? shownPlace(this.#opened, agentId, line);
    this.#known.set(name, known);
    return known;
  }
}
