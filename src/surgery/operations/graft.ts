// Joins two forks of one session: the shared turns, then those of the first, then those of the second (or both by time), in
// one chain. The lines of the second get new ids, and so do its messages and calls that the first also has, because the
// client joins lines that share an id.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../base/errors/index.ts';
import { isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import type { Session } from '../../session/load/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { isBoundary, type Node } from '../../session/transcript/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import {
  type Dropped,
  madeLine,
  newSession,
  type OutLine,
  originEdits,
  type Plan,
  type PlannedSession,
  pickLines,
  rewriteLines,
  type Source,
  type StagedSession,
  sessionIdEdits,
} from '../engine/index.ts';
import { isBeginning, leanRequest, pinTo, requestWithin, type SentBlock, sentBlocks } from '../request/index.ts';
import { agentsOfSecond, countSharedTurns, type Side, secondIds } from './graft-ids.ts';

/** Options of `planGraft`. */
export interface GraftOptions {
  /** `time`: sorts the turns of both by time; by default those of the first come first. */
  readonly order?: 'given' | 'time';
}

interface Piece {
  readonly from: 'first' | 'second';
  readonly turn: Turn;
}

/** Plans a session that holds the turns of two sessions. */
export function planGraft(first: Source, second: Source, { order = 'given' }: GraftOptions = {}): Plan {
  const [a, b] = [sideOf(first), sideOf(second)];
  const shared = countSharedTurns(a, b);
  refuse(a, b, shared);
  const [ownA, ownB] = [a.turns.slice(shared), b.turns.slice(shared)];
  const pieces = inOrder(ownA, ownB, order);
  const result = graftedSession(first, second, pieces, a.turns[shared - 1]);
  return {
    operation: 'graft',
    words: [second.session.id, ...(order === 'time' ? ['--order', 'time'] : [])],
    sources: [first, second].map(({ session }) => ({ sessionId: session.id, path: session.files.main })),
    results: [result],
    dropped: [...pinsOf(first.session), ...leftOf(second.session, ownB)],
    notes: [`${shared} shared turns, ${ownA.length} of the first, ${ownB.length} of the second`],
    expects: (staged) => checkSent(a, b, pieces, shared, staged),
  };
}

function sideOf({ session }: Source): Side {
  return { session, turns: turnsOf(session) };
}

function refuse(a: Side, b: Side, shared: number): void {
  if (a.session.files.main === b.session.files.main)
    throw new UserError('both arguments name the same session', 'name two forks of one session');
  if (shared === 0)
    throw new UserError(
      `${a.session.id} and ${b.session.id} have no turn in common`,
      'only forks of one session can be grafted',
    );
  if (shared === b.turns.length)
    throw new UserError(`nothing to do: ${a.session.id} already has all turns of ${b.session.id}`, '');
  for (const { session, turns } of [a, b]) {
    if (turns.slice(shared).some((turn) => turn.nodes.some(isCompaction)))
      throw new UserError(
        `${session.id} was compacted after the last shared turn (${shared}), so its turns cannot follow others`,
        'fork it before the compaction (`clew fork --at TURN`) and graft the fork',
      );
    if (!isBeginning(sharedBlocks({ session, turns }, shared), sentBlocks(leanRequest(session))))
      throw new UserError(
        `the shared history of ${session.id} has gaps or repetitions`,
        'repair it first: `clew doctor --fix`',
      );
    if ((turns[shared]?.continued.size ?? 0) > 0)
      throw new UserError(
        `${session.id} diverges in the middle of an answer`,
        'fork it at an earlier turn and graft the fork',
      );
  }
}

/** 1.0.57 writes no boundary, only the summary. */
function isCompaction(node: Node): boolean {
  return isBoundary(node) || node.isCompactSummary;
}

function inOrder(ownA: readonly Turn[], ownB: readonly Turn[], order: 'given' | 'time'): readonly Piece[] {
  const pieces: Piece[] = [
    ...ownA.map((turn) => ({ from: 'first' as const, turn })),
    ...ownB.map((turn) => ({ from: 'second' as const, turn })),
  ];
  return order === 'given' ? pieces : pieces.toSorted((x, y) => timeOf(x.turn) - timeOf(y.turn));
}

function timeOf({ prompt, nodes }: Turn): number {
  return prompt?.time ?? nodes.find((node) => !Number.isNaN(node.time))?.time ?? 0;
}

function graftedSession(
  first: Source,
  second: Source,
  pieces: readonly Piece[],
  lastShared: Turn | undefined,
): PlannedSession {
  const sessionId = randomUUID();
  const base = newSession(first, { sessionId });
  const ids = secondIds(
    first.session,
    second.session,
    pieces.flatMap(({ from, turn }) => (from === 'second' ? turn.nodes : [])),
  );
  const chain = chainOf(first.session, second.session, pieces, lastShared, ids.uuidOf);
  const moved = new Set(pieces.flatMap(({ from, turn }) => (from === 'first' ? turn.nodes : [])));
  const drops = new Map(
    first.session.transcript.nodes
      .filter((node) => moved.has(node) || node.type === 'last-prompt')
      .map((node) => [node.index, '']),
  );
  const originOfFirst = originEdits(first.session.id, [first.session.transcript]);
  const ofFirst = (entry: JsonObject) => [...sessionIdEdits(entry, sessionId), ...originOfFirst(entry)];
  function* lines(): Generator<OutLine> {
    yield* rewriteLines(first.session.transcript, { drops, renames: ofFirst });
    for (const { piece, parentUuid, head, closing } of chain.links) {
      const { transcript } = piece.from === 'first' ? first.session : second.session;
      const renames = (entry: JsonObject): readonly Edit[] => [
        ...(piece.from === 'first'
          ? ofFirst(entry)
          : [...sessionIdEdits(entry, sessionId), ...ids.renames(entry)]
        ).filter(({ path }) => !isHead(entry) || path[0] !== 'parentUuid'),
        ...(isHead(entry) ? [{ path: ['parentUuid'], set: parentUuid }] : []),
      ];
      const isHead = ({ uuid }: JsonObject): boolean => head?.uuid !== undefined && head.uuid === uuid;
      const nodes = piece.turn.nodes.toSorted((x, y) => x.index - y.index);
      yield* pickLines(transcript, nodes, { renames, ...(piece.from === 'first' ? {} : { edits: ids.edits }) });
      if (closing !== undefined) yield madeLine({ ...closing, sessionId });
    }
    yield madeLine(pinTo(chain.end, sessionId));
  }
  const [main, ...others] = base.files;
  const added = agentsOfSecond(
    second,
    base,
    pieces.flatMap(({ from, turn }) => (from === 'second' ? turn.nodes : [])),
    ids,
  );
  return { ...base, files: main === undefined ? [] : [{ ...main, content: { lines } }, ...others, ...added] };
}

interface Link {
  readonly piece: Piece;
  readonly head: Node | undefined;
  readonly parentUuid: string | null;
  /** Results of calls that are open at the end of the session. */
  readonly closing: JsonObject | undefined;
}

function chainOf(
  first: Session,
  second: Session,
  pieces: readonly Piece[],
  lastShared: Turn | undefined,
  uuidOf: (uuid: string) => string,
): { readonly links: readonly Link[]; readonly end: string } {
  let last = tailOf(first, lastShared)?.uuid ?? null;
  const links = pieces.map((piece): Link => {
    const session = piece.from === 'first' ? first : second;
    const nameOf = (uuid: string): string => (piece.from === 'first' ? uuid : uuidOf(uuid));
    const parentUuid = last;
    const head = alongBranch(session, piece.turn)[0];
    const tail = tailOf(session, piece.turn);
    last = tail?.uuid === undefined ? last : nameOf(tail.uuid);
    const isLast = turnsOf(session).at(-1)?.index === piece.turn.index;
    const closing = isLast && tail !== undefined ? closingOf(session, tail, last) : undefined;
    if (typeof closing?.uuid === 'string') last = closing.uuid;
    return { piece, head, parentUuid, closing };
  });
  if (last === null) throw new UserError('no line of the two sessions has a uuid', 'fork them first');
  return { links, end: last };
}

function alongBranch(session: Session, turn: Turn | undefined): readonly Node[] {
  const branch = new Set(session.branches[0]?.nodes);
  return (turn?.nodes ?? []).filter((node) => branch.has(node));
}

/** The parent of the next turn. */
function tailOf(session: Session, turn: Turn | undefined): Node | undefined {
  return alongBranch(session, turn).findLast((node) => node.uuid !== undefined && linkTypes.has(node.type));
}

const linkTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment']);

/** The client answers open calls at the end of a session, but drops the whole line in the middle. */
function closingOf(session: Session, tail: Node, parentUuid: string | null): JsonObject | undefined {
  const request = leanRequest(session);
  const messages = 'refused' in request ? [] : request.messages;
  const results = messages
    .flatMap(({ content }) => content)
    .filter((block) => block.content === texts.interrupted)
    .filter((block) => session.relatives.resultsFor(String(block.tool_use_id)).length === 0);
  if (results.length === 0) return undefined;
  const { toolUseResult, requestId, ...envelope } = session.transcript.read(tail);
  const message = { role: 'user', content: results.map((block) => ({ ...block })) };
  return { ...envelope, type: 'user', message, uuid: randomUUID(), parentUuid };
}

function pinsOf({ transcript }: Session): readonly Dropped[] {
  return transcript.nodes
    .filter((node) => node.type === 'last-prompt')
    .map(({ line }) => ({ file: transcript.path, line, reason: 'pins the end of the first session' }));
}

function leftOf({ transcript, branches }: Session, own: readonly Turn[]): readonly Dropped[] {
  const taken = new Set(own.flatMap((turn) => turn.nodes));
  const active = new Set(branches[0]?.nodes.flatMap((node) => [node, ...(branches[0]?.sideLines.get(node) ?? [])]));
  return transcript.nodes
    .filter((node) => !taken.has(node))
    .map((node) => ({
      file: transcript.path,
      line: node.line,
      ...(node.uuid === undefined ? {} : { uuid: node.uuid }),
      reason: active.has(node) ? 'the first session has it too' : 'outside the conversation of the second session',
    }));
}

/** Compares with what the two sessions send: all of the first, and what the second does not share. */
function checkSent(
  first: Side,
  second: Side,
  pieces: readonly Piece[],
  shared: number,
  { session }: StagedSession,
): readonly string[] {
  const sent = sentBlocks(leanRequest(session)).map(withoutIds);
  const a = sentBlocks(leanRequest(first.session)).map(withoutIds);
  const b = sentBlocks(leanRequest(second.session)).map(withoutIds);
  const isInterleaved = pieces.some(({ from }, i) => from === 'first' && pieces[i - 1]?.from === 'second');
  const own = b.slice(sharedBlocks(second, shared).length);
  const isWhole = isInterleaved ? hasSameBlocks(sent, [...a, ...own]) : isDeepStrictEqual(sent, [...a, ...own]);
  return isWhole && own.length > 0 ? [] : [`resuming would not send the ${shared} shared turns, then those of both`];
}

function sharedBlocks({ session, turns }: Side, shared: number): readonly SentBlock[] {
  const common = turns.slice(0, shared).flatMap((turn) => turn.nodes);
  const lastShared = tailOf(session, turns[shared - 1])?.uuid ?? '';
  return sentBlocks(requestWithin(session, common, lastShared));
}

function hasSameBlocks(left: readonly SentBlock[], right: readonly SentBlock[]): boolean {
  const sorted = (blocks: readonly SentBlock[]): string[] => blocks.map((block) => JSON.stringify(block)).sort();
  return isDeepStrictEqual(sorted(left), sorted(right));
}

/** Calls of the second may have new ids; the proof counts the results of each. */
function withoutIds(block: SentBlock): SentBlock {
  if (block.type !== 'tool_use' && block.type !== 'tool_result') return block;
  const { id, tool_use_id, ...rest } = block;
  const content = isArray(rest.content) ? rest.content.filter(isObject) : rest.content;
  return { ...rest, ...(content === undefined ? {} : { content }), role: block.role };
}
