// Replaces the older turns of a session by a summary, like the client's own compaction: a boundary that restarts the
// history, the summary, then the kept turns. The old lines stay in the file before the boundary, where no client reads
// them, unless `dropOld` is set.
import { randomUUID } from 'node:crypto';
import { estimateTextTokens } from '../../api/request/index.ts';
import { digestText } from '../../base/digest/index.ts';
import { UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { isLinked } from '../../session/graph/index.ts';
import type { Session } from '../../session/load/index.ts';
import { buildResumeGraph } from '../../session/resume/chain/index.ts';
import { isThinking, type ResumeMessage } from '../../session/resume/messages/index.ts';
import { isMessage, type Node } from '../../session/transcript/index.ts';
import {
  addEdits,
  droppedBy,
  freshUsageEdits,
  newSession,
  type Plan,
  type Rewrite,
  relinkInto,
  type Source,
  sameSession,
} from '../engine/index.ts';
import { describeDifference, leanRequest, leanTrace, outlineOf, resumedLines } from '../request/index.ts';
import { freshUsageNote } from '../strip/index.ts';
import { type CompressCut, findCompressCut, type Summary, summaryText } from './compress-summary.ts';

/** Options of `planCompress`. */
export interface CompressOptions {
  readonly keepTurns: number;
  /** Drop the summarized lines. */
  readonly dropOld?: boolean;
  readonly isInPlace?: boolean;
}

/** Plans a session in which a summary replaces older turns. */
export function planCompress(source: Source, summary: Summary, options: CompressOptions): Plan;
/** @internal */
export function planCompress(source: Source, summary: Summary, options: CompressOptions, cut: CompressCut): Plan;
export function planCompress(
  source: Source,
  summary: Summary,
  options: CompressOptions,
  cut: CompressCut = findCompressCut(source.session, options.keepTurns),
): Plan {
  const { session } = source;
  if (summary.text === '') throw new UserError('the summary is empty', 'use another one, or --offline');
  const text = summaryText(session, cut, summary);
  const { rewrite, hasFreshUsage } = rewriteFor(session, cut, text, options);
  const rewrites = new Map([[session.transcript.path, rewrite]]);
  const asked = options.keepTurns;
  const more = cut.kept.length - asked;
  return {
    operation: 'compress',
    loadsLess: true,
    words: [
      '--keep-turns',
      String(asked),
      ...(options.dropOld === true ? ['--drop-old'] : []),
      ...(options.isInPlace === true ? ['--in-place'] : []),
    ],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [options.isInPlace === true ? sameSession(source, { rewrites }) : newSession(source, { rewrites })],
    dropped: droppedBy(session.transcript, rewrite.drops ?? new Map()),
    notes: [
      `${cut.older.length === 1 ? '1 turn is' : `${cut.older.length} turns are`} summarised, ${cut.kept.length} kept; the summary is ${summary.label}`,
      ...(more > 0 ? [`${more} more than requested, to keep calls and their results together`] : []),
      ...(hasFreshUsage ? [freshUsageNote] : []),
    ],
    expects: ({ session: result }) => checkCompressed(session, result, cut, text),
  };
}

function rewriteFor(
  session: Session,
  cut: CompressCut,
  text: string,
  { dropOld }: CompressOptions,
): { readonly rewrite: Rewrite; readonly hasFreshUsage: boolean } {
  const { nodes } = session.transcript;
  const first = cut.kept[0]?.nodes[0];
  const lastOld = first === undefined ? nodes.length - 1 : first.index - 1;
  const kept = new Set(cut.kept.flatMap((turn) => turn.nodes));
  const made = madeEntries(session, cut, text);
  const drops = new Map<number, string>();
  for (const node of dropOld === true ? nodes.slice(0, lastOld + 1) : [])
    if (isLinked(node) && !kept.has(node)) drops.set(node.index, 'summarised');
  const edits = new Map<number, readonly Edit[]>();
  if (first !== undefined) edits.set(first.index, [{ path: ['parentUuid'], set: made.summaryUuid }]);
  relinkInto(session, edits, drops);
  const fresh = freshUsageEdits(
    session,
    resumedLines(session).filter((node) => kept.has(node)),
  );
  addEdits(edits, fresh);
  const inserts = new Map([[lastOld, made.entries]]);
  const pin = pinFor(session, first, made.summaryUuid);
  if (pin !== undefined) inserts.set(nodes.length - 1, [...(inserts.get(nodes.length - 1) ?? []), pin]);
  return { rewrite: { edits, drops, inserts }, hasFreshUsage: fresh.size > 0 };
}

interface Made {
  readonly entries: readonly JsonObject[];
  readonly summaryUuid: string;
}

function madeEntries(session: Session, { older, kept }: CompressCut, text: string): Made {
  const first = kept[0]?.nodes[0];
  const last = older.flatMap(({ nodes }) => nodes).findLast((node) => node.uuid !== undefined);
  const model = first ?? last;
  const entry = model === undefined ? {} : session.transcript.read(model);
  const { cwd, version, gitBranch, userType, slug } = entry;
  const envelope = {
    isSidechain: false,
    userType: userType ?? 'external',
    cwd,
    sessionId: session.id,
    version,
    gitBranch,
    slug,
  };
  const boundary = randomUUID();
  const summary = randomUUID();
  const time = timeFor(first, last);
  const before = tokensOf(session);
  return {
    summaryUuid: summary,
    entries: [
      {
        parentUuid: null,
        logicalParentUuid: last?.uuid ?? null,
        ...envelope,
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        isMeta: false,
        timestamp: new Date(time).toISOString(),
        uuid: boundary,
        level: 'info',
        compactMetadata: {
          trigger: 'manual',
          preTokens: before,
          postTokens:
            estimateTextTokens(text) +
            keptTokens(
              session,
              kept.flatMap(({ nodes }) => nodes),
            ),
        },
      },
      {
        parentUuid: boundary,
        ...envelope,
        type: 'user',
        message: { role: 'user', content: text },
        isVisibleInTranscriptOnly: true,
        isCompactSummary: true,
        uuid: summary,
        timestamp: new Date(time + 1).toISOString(),
      },
    ],
  };
}

/** Just before the first kept line: clients up to 2.1.45 sort by time. */
function timeFor(first: Node | undefined, last: Node | undefined): number {
  if (first !== undefined && !Number.isNaN(first.time)) return first.time - 2;
  return last === undefined || Number.isNaN(last.time) ? Date.now() : last.time + 1;
}

/** A boundary cancels the pins before it; if one applied, the end of the session is pinned again. */
function pinFor(session: Session, first: Node | undefined, summaryUuid: string): JsonObject | undefined {
  const graph = buildResumeGraph(session.transcript.nodes, (node) => session.transcript.read(node));
  const pin = first === undefined ? undefined : graph.pin;
  const leaf = session.branches[0]?.leaf.uuid;
  if (first === undefined) return { type: 'last-prompt', leafUuid: summaryUuid, sessionId: session.id };
  if (pin === undefined || pin.rank > first.index || leaf === undefined) return undefined;
  return { type: 'last-prompt', leafUuid: leaf, sessionId: session.id };
}

function tokensOf(session: Session): number {
  const request = leanRequest(session);
  return 'refused' in request ? 0 : estimateTextTokens(request.messages);
}

function keptTokens(session: Session, nodes: readonly Node[]): number {
  return nodes.reduce(
    (sum, node) => sum + (isMessage(node) ? estimateTextTokens(session.transcript.read(node).message) : 0),
    0,
  );
}

/** The client moves notes before the summary; this moves the summary to the front, unless other messages precede it. */
function summaryFirst(
  blocks: readonly string[],
  summary: string | undefined,
  messages: readonly ResumeMessage[],
): readonly string[] {
  const at = summary === undefined ? -1 : blocks.indexOf(summary);
  const lines = messages.flatMap((message) => message.lines);
  const before = lines.slice(
    0,
    lines.findIndex((line) => line.isCompactSummary),
  );
  if (at <= 0 || summary === undefined || before.some(({ type }) => type !== 'attachment')) return blocks;
  return [summary, ...blocks.slice(0, at), ...blocks.slice(at + 1)];
}

/** Resuming must send the summary, and then exactly what it sent of the kept turns before. */
function checkCompressed(before: Session, after: Session, { kept }: CompressCut, text: string): readonly string[] {
  const source = leanTrace(before);
  const result = leanTrace(after);
  if ('refused' in source) return [];
  if ('refused' in result) return [`Claude Code would refuse the result: ${result.refused}`];
  const skips = source.model === result.model ? {} : { skips: isThinking };
  const all = outlineOf(source.messages, skips);
  const [expected] = outlineOf([{ role: 'user', content: [{ type: 'text', text: digestText(text) }], lines: [] }]);
  const [summary, ...rest] = summaryFirst(outlineOf(result.messages, skips), expected, result.messages);
  const difference = describeDifference(rest.length === 0 ? [] : all.slice(-rest.length), rest);
  const isKept = new Set(kept.flatMap(({ nodes }) => nodes.flatMap(({ uuid }) => uuid ?? [])));
  const sent = (lines: readonly Node[]): string[] =>
    lines.flatMap(({ uuid }) => (isKept.has(uuid ?? '') ? (uuid ?? []) : []));
  const linesBefore = sent(source.messages.flatMap(({ lines }) => lines));
  const linesAfter = sent(result.messages.flatMap(({ lines }) => lines));
  return [
    ...(summary === expected ? [] : ['resuming would not start with the summary']),
    ...(difference === undefined ? [] : [`resuming would not send the kept turns unchanged: ${difference}`]),
    ...(linesBefore.join() === linesAfter.join() ? [] : ['resuming would not load all lines of the kept turns']),
  ];
}
