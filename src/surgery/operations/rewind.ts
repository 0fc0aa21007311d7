// Continues a session from an earlier turn. Like after the client's /rewind, later lines stay in the file and a pin names
// the new end. If a later compaction hides that end from the client, they are dropped.
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../base/errors/errors.ts';
import { isLinked } from '../../session/graph/graph.ts';
import type { Session } from '../../session/load/session.ts';
import { type ResumeRequest, resumeLines } from '../../session/resume/request/request.ts';
import { isMessage, type Node } from '../../session/transcript/node.ts';
import { newSession, sameSession } from '../engine/new-session.ts';
import type { Plan, PlannedSession } from '../engine/plan.ts';
import { droppedBy, type Rewrite } from '../engine/rewrite.ts';
import type { Source } from '../engine/source.ts';
import { leanRequest } from '../request/request.ts';
import { isBeginning, pinnedRequest, pinTo, requestWithin, sentBlocks } from '../request/request-parts.ts';
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
export function endOf(session: Session, { kept, leaf }: Pick<Cut, 'kept' | 'leaf'>): Node & { readonly uuid: string } {
  const [branch] = session.branches;
  const end = branch?.nodes.findLast((node) => kept.has(node) && isMessage(node) && node.uuid !== undefined) ?? leaf;
  return end as Node & { readonly uuid: string }; // `findCut` keeps only lines with a uuid
}

/** The lines after the end; if that is not enough, all lines that do not lead to it. */
export function dropsAfter(
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
