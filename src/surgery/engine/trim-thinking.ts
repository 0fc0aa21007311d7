// Removes the thinking from a staged result that the API would refuse. Children of dropped lines are relinked; kept blocks
// are never altered.
import { rename } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Edit } from '../../format/bytes/index.ts';
import { loadSession, type Session } from '../../session/load/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
import type { Node, Transcript } from '../../session/transcript/index.ts';
import {
  hasThinking,
  holdsBoundThinking,
  type LineOrigin,
  leanTrace,
  outlineOf,
  type TrimRule,
  unfitThinking,
} from '../request/index.ts';
import { type Dropped, mainFile, type OutLine, type Plan, type StagedSession } from './plan.ts';
import { relinkInto } from './relink.ts';
import { type Rewrite, rewriteLines } from './rewrite.ts';
import { stagedPath, writeLines } from './stage.ts';

export interface Trimmed {
  readonly staged: StagedSession;
  readonly dropped: readonly Dropped[];
  /** The number of removed blocks that resuming would send. */
  readonly removed: number;
  /** Failed checks. */
  readonly broken: readonly string[];
}

export const unfitReason = 'thinking that the API would refuse after this change';
const leftOutReason = 'thinking of another environment or account';

/** The untrimmed file is kept next to the staging folder, because the lines are read from it. */
export async function trimThinking(
  staged: StagedSession,
  folder: string,
  sources: readonly Session[],
  trim: TrimRule,
): Promise<Trimmed> {
  const { rule } = trim;
  const { session, planned } = staged;
  const { transcript } = session;
  const main = mainFile(planned);
  const isConcerned = rule === 'all' ? hasThinking : holdsBoundThinking;
  const { content } = main;
  if (!transcript.nodes.some(isConcerned) || !('lines' in content))
    return { staged, dropped: [], removed: 0, broken: [] };
  const origins = staged.origins.get(main.name) ?? [];
  const { blocks, removed } = unfitThinking(session, sources, origins, trim);
  if (blocks.size === 0) return { staged, dropped: [], removed, broken: [] };
  const reason = rule === 'all' ? leftOutReason : unfitReason;
  const rewrite = withoutBlocks(session, blocks, reason);
  const file = stagedPath(folder, main.name);
  const whole = `${folder}-whole.jsonl`;
  const before = outlinesOf(session);
  await rename(file, whole);
  const lines = (): Iterable<OutLine> => trimmedLines({ ...transcript, path: whole }, rewrite, origins);
  const left = await writeLines(file, lines());
  const files = [{ ...main, content: { lines } }, ...planned.files.slice(1)];
  const trimmed = await loadSession(file);
  const stillUnfit = unfitThinking(trimmed, sources, left, trim).removed;
  return {
    staged: {
      planned: { ...planned, files },
      session: trimmed,
      origins: new Map([...staged.origins, [main.name, left]]),
    },
    dropped: droppedLines(transcript, rewrite, origins, sources),
    removed,
    broken: [
      ...(stillUnfit === 0 ? [] : [`resuming would send ${stillUnfit} thinking blocks that the API refuses`]),
      ...(isDeepStrictEqual(outlinesOf(trimmed), before)
        ? []
        : ['without the thinking, resuming would not send the rest']),
    ],
  };
}

/** What resuming sends except thinking. Sorted, because without thinking the client puts calls last. */
function outlinesOf(session: Session): readonly (readonly string[])[] {
  const traced = leanTrace(session);
  if ('refused' in traced) return [];
  const outlines = traced.messages.map((message) => outlineOf([message], { skips: isThinking }).sort());
  return outlines.filter((outline) => outline.length > 0);
}

export interface Trimming extends Rewrite {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
}

/** Removes blocks from a session, drops lines that have nothing else, and relinks their children. */
export function withoutBlocks(
  session: Session,
  blocks: ReadonlyMap<Node, readonly number[]>,
  reason: string,
): Trimming {
  const drops = new Map<number, string>();
  const edits = new Map<number, readonly Edit[]>();
  for (const [node, places] of blocks) {
    if (places.length === node.message?.blockTypes.length) drops.set(node.index, reason);
    else
      edits.set(
        node.index,
        places.map((place) => ({ path: ['message', 'content', place], remove: true })),
      );
  }
  relinkInto(session, edits, drops);
  return { edits, drops };
}

/** The remaining lines, each with its origin. */
function* trimmedLines(whole: Transcript, rewrite: Trimming, origins: readonly LineOrigin[]): Generator<OutLine> {
  const onLine = new Map<number, Node[]>();
  for (const node of whole.nodes) {
    if (!rewrite.edits.has(node.index) && !rewrite.drops.has(node.index)) continue;
    onLine.set(node.line, [...(onLine.get(node.line) ?? []), node]);
  }
  for (const line of rewriteLines(whole, rewrite)) {
    const from = origins[(line.origin?.line ?? 0) - 1] ?? { isEdited: true, isRenamed: false };
    if (!line.isEdited) {
      yield { ...from, bytes: line.bytes };
      continue;
    }
    const [node, ...others] = onLine.get(line.origin?.line ?? 0) ?? [];
    const edits = node === undefined ? [] : (rewrite.edits.get(node.index) ?? []);
    const isOnlyIds = others.length === 0 && edits.every(({ path }) => path[0] !== 'message');
    const isRenamed = isOnlyIds && (!from.isEdited || from.isRenamed);
    yield { ...from, bytes: line.bytes, isEdited: true, isRenamed };
  }
}

function droppedLines(
  transcript: Transcript,
  { drops }: Trimming,
  origins: readonly LineOrigin[],
  sources: readonly Session[],
): readonly Dropped[] {
  const main = sources[0]?.transcript.path;
  return [...drops].flatMap(([index, reason]) => {
    const node = transcript.nodes[index];
    const origin = origins[(node?.line ?? 0) - 1]?.origin;
    if (node === undefined || origin === undefined) return [];
    const { file, line } = origin;
    return [
      { ...(file === main ? {} : { file }), line, ...(node.uuid === undefined ? {} : { uuid: node.uuid }), reason },
    ];
  });
}

/** What happened to the thinking blocks that a resume sends. */
export interface ThinkingOutcome {
  /** The number of blocks that resuming the results sends. */
  readonly kept: number;
  /** The number of blocks that were removed because the API would refuse them. */
  readonly removed: number;
  /** Why, in one sentence; `null` if none was removed. */
  readonly reason: string | null;
}

export function thinkingOutcome(
  plan: Plan,
  { kept, removed }: Pick<ThinkingOutcome, 'kept' | 'removed'>,
  isPortable: boolean,
): ThinkingOutcome {
  if (removed === 0) return { kept, removed, reason: null };
  const all = kept + removed;
  const what = `${removed} of ${all} thinking ${all === 1 ? 'block' : 'blocks'} ${removed === 1 ? 'was' : 'were'}`;
  const refused = 'the API would refuse them (`bound to a different conversation`)';
  const why =
    plan.thinking === 'all'
      ? `${what} made with another account or system prompt`
      : isPortable
        ? `${what} made after reminders that --portable removes; ${refused}`
        : `${what} made after text that changes; ${refused}`;
  return { kept, removed, reason: `${why}. They are removed from ${whereRemoved(plan)}` };
}

function whereRemoved({ results, removals = [], sources, thinking }: Plan): string {
  const isReplaced = results.some(({ isInPlace }) => isInPlace) || sources.some(({ path }) => removals.includes(path));
  if (isReplaced) return 'the session; `clew undo` restores them.';
  return `the new session; the ${thinking === 'all' ? 'source' : 'original'} keeps them.`;
}
