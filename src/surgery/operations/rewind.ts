// Continues a session from an earlier turn. Like after the client's /rewind, later lines stay in the file and a pin names
// the new end. If a later compaction hides that end from the client, they are dropped.
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../base/errors/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { isLinked } from '../../session/graph/index.ts';
import type { Session } from '../../session/load/index.ts';
import { type ResumeRequest, resumeLines } from '../../session/resume/request/index.ts';
import { callsOf, isMessage, type Node, resultsOf } from '../../session/transcript/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import { RangeReader } from '../../store/index.ts';
import {
  droppedBy,
  newSession,
  type Plan,
  type PlannedSession,
  type Rewrite,
  type Source,
  sameSession,
} from '../engine/index.ts';
import {
  isBeginning,
  leanRequest,
  pinnedRequest,
  pinTo,
  requestWithin,
  type SentBlock,
  sentBlocks,
} from '../request/index.ts';
import { agentsAfter, type Cut, findCut } from './fork.ts';

/** Options of `planRewind`. */
export interface RewindOptions {
  /** The number of the turn, or the uuid of the line, to continue from. */
  readonly to: string;
  readonly isInPlace?: boolean;
}

/** Plans a session that continues from an earlier turn. */
export function planRewind(source: Source, { to, isInPlace = false }: RewindOptions): Plan {
  const { session } = source;
  const cut = findCut(session, to);
  const leaf = endOf(session, cut);
  const expected = requestWithin(session, cut.kept, leaf.uuid);
  const isPinned = isDeepStrictEqual(pinnedRequest(session.transcript, leaf.uuid), expected);
  if (!isPinned && isInPlace)
    throw new UserError(
      `turn ${to} cannot become the end of this session: a later compaction or repeated history prevents it`,
      'leave out --in-place to get a new session that is cut there',
    );
  const drops = isPinned ? undefined : dropsAfter(session, cut, leaf.uuid, expected);
  return {
    operation: 'rewind',
    loadsLess: true,
    words: ['--to', to, ...(isInPlace ? ['--in-place'] : [])],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [result(source, cut, leaf.uuid, drops, isInPlace)],
    dropped: drops === undefined ? [] : droppedBy(session.transcript, drops),
    notes: isPinned && hasLater(session, cut) ? ['later turns stay in the file, outside the conversation'] : [],
    expects: (staged) =>
      isDeepStrictEqual(leanRequest(staged.session), expected) && isPartOf(session, leaf, staged.session)
        ? []
        : [`resuming would not end with turn ${to}`],
  };
}

function hasLater({ transcript }: Session, { rewrite }: Cut): boolean {
  return transcript.nodes.some((node) => isMessage(node) && rewrite.drops?.has(node.index) === true);
}

/** The last kept message of the branch; in the file a parent may come after its child. */
function endOf(session: Session, { kept, leaf }: Pick<Cut, 'kept' | 'leaf'>): Node & { readonly uuid: string } {
  const [branch] = session.branches;
  const end = branch?.nodes.findLast((node) => kept.has(node) && isMessage(node) && node.uuid !== undefined) ?? leaf;
  return end as Node & { readonly uuid: string }; // `findCut` keeps only lines with a uuid
}

/** The lines after the end; if that is not enough, all lines that do not lead to it. */
function dropsAfter(
  { transcript }: Session,
  { kept, rewrite }: Cut,
  leafUuid: string,
  expected: ResumeRequest,
): ReadonlyMap<number, string> {
  const drops = rewrite.drops ?? new Map<number, string>();
  const left = transcript.pick(transcript.nodes.filter((node) => !drops.has(node.index)));
  if (isDeepStrictEqual(pinnedRequest(left, leafUuid), expected)) return drops;
  // 1.0.57 writes a history again with the same message ids, and the client joins lines that share one.
  const outside = transcript.nodes.filter((node) => isLinked(node) && !kept.has(node) && !drops.has(node.index));
  return new Map([...drops, ...outside.map((node) => [node.index, 'outside the conversation'] as const)]);
}

/** Resuming the original sends at least what the result sends, unless it does not reach this line. */
export function isPartOf(original: Session, leaf: Node, part: Session): boolean {
  const resumed = resumeLines(original.transcript);
  if ('refused' in resumed || !resumed.lines.includes(leaf)) return true;
  return isBeginning(sentBlocks(leanRequest(part)), sentBlocks(leanRequest(original)));
}

function result(
  source: Source,
  cut: Cut,
  leafUuid: string,
  drops: Rewrite['drops'],
  isInPlace: boolean,
): PlannedSession {
  const { transcript, id } = source.session;
  const last = transcript.nodes.findLast((node) => drops?.has(node.index) !== true)?.index ?? -1;
  const rewrite: Rewrite = {
    ...(drops === undefined ? {} : { drops }),
    inserts: new Map([[last, [pinTo(leafUuid, id)]]]),
  };
  const rewrites = new Map([[transcript.path, rewrite]]);
  if (isInPlace) return sameSession(source, { rewrites });
  return newSession(source, { rewrites, ...(drops === undefined ? {} : { leftOut: agentsAfter(source, cut.kept) }) });
}

// Splits a session in two after a turn; the second session starts with the next prompt.

/** Options of `planSplit`. */
export interface SplitOptions {
  /** The last turn of the first part, by its number. */
  readonly at: string;
}

/** Plans two sessions from one. */
export function planSplit(source: Source, { at }: SplitOptions): Plan {
  const { session } = source;
  const { transcript } = session;
  const turns = turnsOf(session);
  refuse(session, turns, at);
  const cut = findCut(session, at);
  const end = endOf(session, cut);
  const later = turns.slice(Number(at)).flatMap((turn) => turn.nodes);
  const expected = requestWithin(session, cut.kept, end.uuid);
  const first = firstPart(session, dropsAfter(session, cut, end.uuid, expected), end.uuid);
  const second = secondPart(session, new Set(later));
  const gone = [...(second.drops ?? [])].filter(([index]) => first.drops?.has(index) === true);
  const { rest, isApart } = restOf(session, cut.kept, later, sentBlocks(expected));
  return {
    operation: 'split',
    loadsLess: true,
    words: ['--at', at],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [first, second].map((rewrite) =>
      newSession(source, {
        rewrites: new Map([[transcript.path, rewrite]]),
        leftOut: unneeded(source, rewrite),
      }),
    ),
    dropped: droppedBy(transcript, new Map(gone)),
    notes: omits(session, cut.kept) ? [] : [`the second session does not include the turns up to ${at}`],
    expects: ({ session: part }, index) => {
      const sent = leanRequest(part);
      if (index === 0)
        return isDeepStrictEqual(sent, expected) && isApart ? [] : [`the first session would not end with turn ${at}`];
      return isDeepStrictEqual(sentBlocks(sent), rest)
        ? []
        : ['the second session would not send the rest of the original'];
    },
  };
}

function refuse(session: Session, turns: readonly Turn[], at: string): void {
  const number = /^\d+$/.test(at) ? Number(at) : 0;
  if (number < 1 || number >= turns.length)
    throw new UserError(
      `${session.id} cannot be split at turn ${at}: it has ${turns.length === 1 ? '1 turn' : `${turns.length} turns`}`,
      turns.length < 2 ? 'only a session with several turns can be split' : `name a turn from 1 to ${turns.length - 1}`,
    );
  const next = turns[number];
  const asked = new Set(turns.slice(0, number).flatMap((turn) => turn.nodes.flatMap(callsOf).map((call) => call.id)));
  const answersEarlier = turns
    .slice(number)
    .some((turn) => turn.nodes.flatMap(resultsOf).some((result) => asked.has(result.toolUseId)));
  if ((next?.continued.size ?? 0) > 0 || answersEarlier)
    throw new UserError(
      `turn ${number + 1} was typed during an answer, so the session cannot be split there`,
      'name another turn',
    );
}

function firstPart({ transcript, id }: Session, drops: ReadonlyMap<number, string>, leafUuid: string): Rewrite {
  const last = transcript.nodes.findLast((node) => !drops.has(node.index))?.index ?? -1;
  return { drops, inserts: new Map([[last, [pinTo(leafUuid, id)]]]) };
}

/** The later turns of the branch and their descendants; titles and tags are in both sessions. */
function secondPart(session: Session, later: ReadonlySet<Node>): Rewrite {
  const { transcript, graph } = session;
  const [first] = later;
  const start = [...later].reduce((least, node) => Math.min(least, node.index), Number.POSITIVE_INFINITY);
  const kept = new Set<Node>();
  for (const node of transcript.nodes) if (descendsFrom(node, later, kept, graph.parentOf)) kept.add(node);
  const uuids = new Set([...kept].flatMap((node) => node.uuid ?? []));
  const drops = new Map<number, string>();
  for (const node of transcript.nodes) {
    if (kept.has(node) || namesSession.has(node.type)) continue;
    const isAside = !isLinked(node) || node.isSidechain;
    if (isAside && node.index > start && (node.type !== 'last-prompt' || uuids.has(node.leafUuid ?? ''))) continue;
    drops.set(
      node.index,
      node.type === 'last-prompt' ? 'pins the end of the original' : 'on neither side of the split',
    );
  }
  const root: readonly Edit[] = [{ path: ['parentUuid'], set: null }];
  return first === undefined ? { drops } : { drops, edits: new Map([[first.index, root]]) };
}

const namesSession: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'agent-name', 'tag']);

function descendsFrom(
  node: Node,
  later: ReadonlySet<Node>,
  kept: Set<Node>,
  parentOf: (node: Node) => Node | undefined,
): boolean {
  const path: Node[] = [];
  let at: Node | undefined = node;
  while (at !== undefined && !later.has(at) && !kept.has(at)) {
    path.push(at);
    at = parentOf(at);
  }
  if (at === undefined) return false;
  for (const each of path) kept.add(each);
  return true;
}

/** What the second session must send of what the original sends: all of it, or what follows the first part. */
function restOf(
  session: Session,
  kept: ReadonlySet<Node>,
  later: readonly Node[],
  first: readonly SentBlock[],
): { readonly rest: readonly SentBlock[]; readonly isApart: boolean } {
  const whole = sentBlocks(leanRequest(session));
  if (omits(session, kept)) return { rest: whole, isApart: true };
  const isApart = isBeginning(first, whole);
  if (isApart || !session.transcript.mayRepeat) return { rest: whole.slice(first.length), isApart };
  // A history that 1.0.57 wrote twice is sent in pieces: only the lines show what follows.
  const leaf = session.branches[0]?.leaf.uuid ?? '';
  return { rest: sentBlocks(requestWithin(session, later, leaf)), isApart: true };
}

/** Whether resuming the original sends none of these lines, because of a compaction or a gap. */
function omits({ transcript }: Session, kept: ReadonlySet<Node>): boolean {
  const resumed = resumeLines(transcript);
  return 'refused' in resumed || !resumed.lines.some((node) => kept.has(node));
}

/** The files of sub-agents and outputs that no line of this session names. */
function unneeded({ session, files }: Source, { drops }: Rewrite): ReadonlySet<string> {
  const kept = session.transcript.nodes.filter((node) => drops?.has(node.index) !== true);
  const leftOut = new Set(agentsAfter({ session }, new Set(kept)));
  const outputs = files.filter(({ name }) => name.includes('/tool-results/'));
  const ranges = new RangeReader(session.transcript.path);
  const agentTexts = files.filter(({ path, transcript }) => transcript !== undefined && !leftOut.has(path)).slice(1);
  for (const output of outputs) {
    const mark = Buffer.from(`tool-results/${output.name.slice(output.name.lastIndexOf('/') + 1)}`);
    const isNamed = kept.some((node) => node.type === 'user' && ranges.read(node.offset, node.length).includes(mark));
    if (!isNamed && agentTexts.length === 0) leftOut.add(output.path);
  }
  return leftOut;
}
