// Writes a planned session to a staging folder, where it is proved before any file of the user changes.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Violation } from '../../api/rules/index.ts';
import { asObject, parseJson } from '../../base/json/index.ts';
import { checkJson, hasSameMembers } from '../../format/bytes/index.ts';
import { countReachable, type Reachable } from '../../session/facts/index.ts';
import { loadSession, type Session } from '../../session/load/index.ts';
import type { Transcript } from '../../session/transcript/index.ts';
import { RangeReader, readLineBatches, readWholeFile, writeNewFile } from '../../store/index.ts';
import { type LineOrigin, lookAtResume, type ResumeLook, type SourcePlace } from '../request/index.ts';
import { type FileSource, mainFile, type OutLine, type Plan, type PlannedSession, type StagedSession } from './plan.ts';

export async function stageSession(planned: PlannedSession, folder: string): Promise<StagedSession> {
  const origins = new Map<string, readonly LineOrigin[]>();
  for (const { name, content } of planned.files) {
    const target = stagedPath(folder, name);
    if ('lines' in content) origins.set(name, await writeLines(target, content.lines()));
    else await writeNewFile(target, bytesOf(content));
  }
  return { planned, session: await loadSession(stagedPath(folder, mainFile(planned).name)), origins };
}

/** Lines are made only once, because most of the work of an operation is to make them; returns where each comes from. */
export async function writeLines(path: string, lines: Iterable<OutLine>): Promise<readonly LineOrigin[]> {
  const origins: LineOrigin[] = [];
  await writeNewFile(path, lineBytes(lines, origins));
  return origins;
}

export function stagedPath(folder: string, name: string): string {
  return path.join(folder, ...name.split('/'));
}

/** Every line ends with a newline, because older clients would append to an unfinished line. */
export function bytesOf(content: FileSource): Buffer | AsyncIterable<Buffer> | Iterable<Buffer> {
  if ('bytes' in content) return content.bytes;
  if ('copyOf' in content) return createReadStream(content.copyOf);
  return lineBytes(content.lines());
}

function* lineBytes(lines: Iterable<OutLine>, origins?: LineOrigin[]): Generator<Buffer> {
  for (const { bytes, origin, isEdited, isRenamed } of lines) {
    origins?.push(origin === undefined ? { isEdited, isRenamed } : { origin, isEdited, isRenamed });
    yield Buffer.concat([bytes, newline]);
  }
}

const newline = Buffer.from('\n');

// Proves that a staged result may be written, by comparing it with its source. If a check fails, nothing is written.

/** What was checked on the result of an operation. */
export interface Proof {
  readonly reachable: Reachable;
  readonly before: Reachable;
  readonly pairs: ResumeLook['pairs'];
  readonly violations: readonly Violation[];
  readonly untouchedIdentical: boolean;
}

export interface Proved {
  readonly proof: Proof;
  /** Lines of the result that are new or changed, not counting changed ids. */
  readonly changed: number;
  /** Why the result must not be written. */
  readonly broken: readonly string[];
}

/** `broken`: failed checks of the operation, which ran before thinking was removed. */
export function proveResult(
  plan: Plan,
  staged: StagedSession,
  broken: readonly string[],
  folder: string,
  source: Session | undefined,
  kept: KeptLines,
): Proved {
  const resumed = lookAtResume(staged.session);
  const { pairs, violations } = resumed;
  const lines = countLines(staged, folder, kept, resumed.sentLines);
  const allBroken = [
    ...newRefusal(resumed, source),
    ...brokenRules(plan, violations, source),
    ...(lines.differing === 0 ? [] : [`${lines.differing} lines that must not change differ`]),
    ...broken,
  ];
  return {
    proof: {
      reachable: countReachable(staged.session),
      before: source === undefined ? { loaded: 0, of: 0 } : countReachable(source),
      pairs,
      violations,
      untouchedIdentical: lines.differing === 0,
    },
    changed: lines.changed,
    broken: allBroken,
  };
}

/** The lines of the sources that are in some result. */
export class KeptLines {
  readonly #byFile = new Map<string, Set<number>>();
  readonly #sent = new Map<string, Set<number>>();

  /** `isSent`: resuming the result sends it. */
  add({ file, line }: SourcePlace, isSent: boolean): void {
    for (const byFile of isSent ? [this.#byFile, this.#sent] : [this.#byFile])
      byFile.set(file, (byFile.get(file) ?? new Set()).add(line));
  }

  /** The number of records of a source that are neither kept nor reported as dropped. */
  lostOf(transcript: Transcript, dropped: Plan['dropped']): number {
    const lines = this.#byFile.get(transcript.path) ?? new Set();
    const named = namedLines(transcript, dropped);
    return transcript.nodes.filter(({ line }) => !lines.has(line) && !named.has(line)).length;
  }

  /** The lines that resuming a source sends but resuming a result does not, unless reported as dropped. */
  unsentOf({ transcript }: Session, dropped: Plan['dropped']): readonly number[] {
    const sent = this.#sent.get(transcript.path) ?? new Set();
    const named = namedLines(transcript, dropped);
    return [...lookAtResume({ transcript }).sentLines].filter((line) => !sent.has(line) && !named.has(line));
  }
}

function namedLines(transcript: Transcript, dropped: Plan['dropped']): ReadonlySet<number> {
  return new Set(dropped.flatMap(({ file, line }) => (file === undefined || file === transcript.path ? line : [])));
}

/** Claude Code would refuse the result but not the source. */
function newRefusal(resumed: ResumeLook, source: Session | undefined): readonly string[] {
  if (resumed.refused === undefined || source === undefined || lookAtResume(source).refused !== undefined) return [];
  return [`Claude Code would refuse the result: ${resumed.refused}`];
}

/** Violations that the source already has are allowed, unless the operation is a repair. */
function brokenRules(plan: Plan, after: readonly Violation[], source: Session | undefined): readonly string[] {
  // Some rules are no longer enforced, some are only estimated: they are reported, but do not fail the proof.
  const certain = after.filter(({ isFormer, isEstimate }) => isFormer !== true && isEstimate !== true);
  if (certain.length === 0) return [];
  const known = plan.violations === 'all' || source === undefined ? [] : lookAtResume(source).violations;
  const rules = new Set(known.map(({ rule }) => rule));
  return certain.filter(({ rule }) => !rules.has(rule)).map(({ message }) => `the API would reject it: ${message}`);
}

function countLines(
  staged: StagedSession,
  folder: string,
  kept: KeptLines,
  sentLines: ReadonlySet<number>,
): { changed: number; differing: number } {
  const main = mainFile(staged.planned);
  const sources = new Map<string, RangeReader>();
  let changed = 0;
  let differing = 0;
  for (const [name, origins] of staged.origins) {
    for (const batch of readLineBatches(stagedPath(folder, name), { maxLineBytes: Number.MAX_SAFE_INTEGER })) {
      for (const { number, bytes } of batch) {
        const line = origins[number - 1];
        if (line === undefined) continue;
        if (!line.isRenamed && (line.origin === undefined || line.isEdited)) changed++;
        if (!isUnchanged(line, bytes, sources)) differing++;
        if (line.origin !== undefined) kept.add(line.origin, name === main.name && sentLines.has(number));
      }
    }
  }
  return { changed, differing };
}

function isUnchanged(line: LineOrigin, staged: Buffer, sources: Map<string, RangeReader>): boolean {
  const { origin } = line;
  if (origin === undefined || (line.isEdited && !line.isRenamed)) return true;
  const reader = sources.get(origin.file) ?? new RangeReader(origin.file, undefined, readWholeFile(origin.file));
  sources.set(origin.file, reader);
  const original = reader.read(origin.offset, origin.length);
  return line.isRenamed ? isSameButIds(original, staged) : original.equals(staged);
}

/** A renamed line has the same content with other ids. */
function isSameButIds(original: Buffer, staged: Buffer): boolean {
  const isJson = [original, staged].every((line) => checkJson(line) !== 'invalid');
  if (isJson && hasSameMembers(original, staged, contentKeys)) return true;
  const before = asObject(parseJson(original.toString('utf8')));
  const after = asObject(parseJson(staged.toString('utf8')));
  if (before === undefined || after === undefined) return before === after;
  return contentKeys.every((key) => isDeepStrictEqual(before[key], after[key]));
}

const contentKeys = ['type', 'message', 'toolUseResult', 'content', 'rendered', 'timestamp', 'isSidechain'];
