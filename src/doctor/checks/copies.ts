// Records that are there twice → findings: a uuid that two records carry, history that was written again.

import { asObject, type JsonObject } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import { isMessage, type Node, type Transcript } from '../../session/transcript/index.ts';
import { type ExaminedSession, findingPlace, reachOf, reachText } from './examined-session.ts';
import { type Finding, makeFinding, type Severity } from './finding.ts';

export function checkCopies(examined: ExaminedSession): Finding[] {
  return [...checkDuplicates(examined), ...checkReplays(examined)];
}

function checkDuplicates(examined: ExaminedSession): Finding[] {
  const { transcript } = examined.session;
  const seen = new Map<string, Node>();
  const findings: Finding[] = [];
  for (const node of transcript.nodes) {
    if (node.uuid === undefined) continue;
    const earlier = seen.get(node.uuid);
    seen.set(node.uuid, node);
    if (earlier !== undefined) findings.push(duplicate(examined, earlier, node));
  }
  return findings;
}

function duplicate(examined: ExaminedSession, earlier: Node, node: Node): Finding {
  const { session } = examined;
  const isLost =
    isMessage(earlier) && earlier.hasContent && !earlier.isApiError && !saysSame(session.transcript, earlier, node);
  const isMain = session.isAgent || !earlier.isSidechain;
  const severity = isLost && isMain ? 'loss' : 'info';
  const effect =
    severity === 'loss'
      ? 'a resume reads only the later one: a message is left out'
      : 'both say the same; nothing is lost';
  return makeFinding(
    'G-duplicate-uuid',
    severity,
    findingPlace(examined, node),
    `line ${earlier.line} has the same uuid`,
    effect,
  );
}

function checkReplays(examined: ExaminedSession): Finding[] {
  const { session, copies } = examined;
  const all = [...copies, ...replayedElsewhere(session)].sort((a, b) => a.index - b.index);
  const start = startOfCopy(examined);
  const first = start ?? all[0];
  if (first === undefined) return [];
  const count = Math.max(all.length, 1);
  const message = `${countOf(count, 'line repeats an earlier one', 'lines repeat earlier ones')} under new uuids`;
  const make = (severity: Severity, effect: string): Finding[] => [
    makeFinding('G-replayed', severity, findingPlace(examined, first), message, effect),
  ];
  if (start !== undefined) return make('loss', `a resume begins with the copy: ${reachText(reachOf(examined))}`);
  if (isSentTwice(examined)) return make('loss', 'a resume sends that part of the history twice');
  return make('info', 'a resume takes one of the two, and Clew counts it once');
}

/** The line that a resume begins with, where that is a copy which leaves something out; 1.0.57 begins it with an answer. */
function startOfCopy({ chain, copies, lost, places, session }: ExaminedSession): Node | undefined {
  const start = [...chain].find(isMessage);
  if (start === undefined || lost.size === 0) return undefined;
  const isContinued = typeof start.parentUuid !== 'string' && session.graph.parentOf(start) !== undefined;
  const isRestart = isContinued && isAnswer(start) && (places.get(start) ?? 0) > 0;
  return copies.has(start) || isRestart ? start : undefined;
}

function isSentTwice({ entries, chain, copies }: ExaminedSession): boolean {
  const copied = new Set([...copies].filter((copy) => chain.has(copy)).map((copy) => copy.message?.id));
  return entries.some((node) => chain.has(node) && node.message?.id !== undefined && copied.has(node.message.id));
}

/** Answers of the active branch that another branch repeats from a root of its own. */
function replayedElsewhere({ branches }: Session): readonly Node[] {
  const [active, ...others] = branches;
  const answerIds = new Set((active?.nodes ?? []).filter(isAnswer).map((node) => node.message?.id));
  return others
    .filter((branch) => branch.isReplay || branch.fork === undefined)
    .flatMap((branch) => branch.nodes.filter((node) => isAnswer(node) && answerIds.has(node.message?.id)));
}

function isAnswer(node: Node): boolean {
  return node.type === 'assistant' && node.message?.id !== undefined;
}

export function saysSame(transcript: Transcript, a: Node, b: Node): boolean {
  if (a.type !== b.type) return false;
  return wordsOf(transcript.read(a)) === wordsOf(transcript.read(b));
}

function wordsOf({ message, ...entry }: JsonObject): string {
  return JSON.stringify([asObject(message)?.content, ...saidIn.map((key) => entry[key])]);
}

/** The fields that hold the content of lines other than messages. */
const saidIn = ['subtype', 'content', 'attachment', 'rendered', 'data'];

/** Plain digits: the text is also in `--json`. */
export function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
