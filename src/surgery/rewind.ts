// A session → the same one going on from an earlier turn. Later lines stay in the file, as after the client's own
// /rewind: a pin names the new end. Where a later compaction has hidden that end from the client, they are left out.
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../base/errors.ts';
import { isLinked } from '../session/graph.ts';
import { isMessage, type Node } from '../session/node.ts';
import { type ResumeRequest, resumeLines } from '../session/resume/request.ts';
import type { Session } from '../session/session.ts';
import { agentsBehind, type Cut, findCut } from './fork.ts';
import { leanRequest } from './lean-request.ts';
import { newSession, sameSession } from './new-session.ts';
import type { Plan, PlannedSession } from './plan.ts';
import { isBeginning, pinnedRequest, pinTo, requestWithin, sentBlocks } from './request-parts.ts';
import { droppedBy, type Rewrite } from './rewrite.ts';
import type { Source } from './source.ts';

/** Options of `planRewind`. */
export interface RewindOptions {
  /** The turn, by its number, or the line, by its uuid, that it goes on from. */
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
      `the client would not end with turn ${to}: a later compaction, or history that was written twice, is in the way`,
      'leave out --in-place: the new session is cut there',
    );
  const drops = isPinned ? undefined : dropsBehind(session, cut, leaf.uuid, expected);
  return {
    operation: 'rewind',
    loadsLess: true,
    words: ['--to', to, ...(isInPlace ? ['--in-place'] : [])],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [result(source, cut, leaf.uuid, drops, isInPlace)],
    dropped: drops === undefined ? [] : droppedBy(session.transcript, drops),
    notes: isPinned && hasLater(session, cut) ? ['later turns stay in the file, beside the conversation'] : [],
    expects: (staged) =>
      isDeepStrictEqual(leanRequest(staged.session), expected) && isPartOf(session, leaf, staged.session)
        ? []
        : [`a resume would not end with turn ${to}`],
  };
}

function hasLater({ transcript }: Session, { rewrite }: Cut): boolean {
  return transcript.nodes.some((node) => isMessage(node) && rewrite.drops?.has(node.index) === true);
}

/** The last message of what is kept, along the branch: in the file a parent may stand behind its child. */
export function endOf(session: Session, { kept, leaf }: Pick<Cut, 'kept' | 'leaf'>): Node & { readonly uuid: string } {
  const [branch] = session.branches;
  const end = branch?.nodes.findLast((node) => kept.has(node) && isMessage(node) && node.uuid !== undefined) ?? leaf;
  return end as Node & { readonly uuid: string }; // `findCut` takes only lines with a uuid
}

/** What goes for an end there: what stands behind it, and where that is not enough, all that is not on the way to it. */
export function dropsBehind(
  { transcript }: Session,
  { kept, rewrite }: Cut,
  leafUuid: string,
  expected: ResumeRequest,
): ReadonlyMap<number, string> {
  const drops = rewrite.drops ?? new Map<number, string>();
  const left = transcript.pick(transcript.nodes.filter((node) => !drops.has(node.index)));
  if (isDeepStrictEqual(pinnedRequest(left, leafUuid), expected)) return drops;
  // 1.0.57 writes a history again under the same message ids, and the client joins what shares one.
  const beside = transcript.nodes.filter((node) => isLinked(node) && !kept.has(node) && !drops.has(node.index));
  return new Map([...drops, ...beside.map((node) => [node.index, 'beside the conversation'] as const)]);
}

/** Where a resume of the original gets past this line, it sends what the result sends, and more. */
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
  return newSession(source, { rewrites, ...(drops === undefined ? {} : { leftOut: agentsBehind(source, cut.kept) }) });
}
