// Carries out a plan: stages it, proves it, and only then writes it, the main transcript last; replaced and removed files go
// to the backup of the operation. What a kill leaves half done, the next command finishes or takes back (recover-operations.ts).
import { existsSync, statSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { formatBytes } from '../../base/text/index.ts';
import { leftOutNotes, whileHolding } from '../../library/session-files/index.ts';
import { identify, readFileState, refuseIfChanged, refuseLeaving, withLock, writeNewFile } from '../../store/index.ts';
import {
  carriedNotes,
  type FileChange,
  missingFolders,
  newOperationId,
  type OperationRecord,
  operationsFolder,
  type PlannedSource,
  type Recovered,
  recoverLocked,
  refuseLinkedTargets,
  runRecord,
  type SourceState,
  withRecovery,
} from '../journal/index.ts';
import { lookAtResume, refuseOpenRound } from '../request/index.ts';
import { type Dropped, mainFile, type Plan, type Source } from './plan.ts';
import { bytesOf, KeptLines, type Proof, type Proved, proveResult, stagedPath, stageSession } from './stage.ts';
import { provePortable, stagePortable } from './stage-portable.ts';
import { type ThinkingOutcome, thinkingOutcome, trimThinking } from './trim-thinking.ts';

/** Options of `operate`. */
export interface OperateOptions {
  readonly isDryRun?: boolean;
  /** Write the results in the safe writer profile, see portable.ts. */
  readonly isPortable?: boolean;
  /** Whether replaced and removed files are kept for `clew undo`; true by default. */
  readonly keepsBackup?: boolean;
  /** Called after the proof and before anything is written; `false` cancels the operation. */
  readonly mayWrite?: (outcome: Outcome) => boolean | Promise<boolean>;
  readonly env?: Environment;
  readonly onWait?: (holder: string) => void;
  /** Called with what became of operations that were killed before. */
  readonly onRecovered?: (recovered: readonly Recovered[]) => void;
  /** Of the operations that one undo undoes together. */
  readonly group?: string;
}

/** The result of an operation, see docs/json.md. */
export interface Outcome {
  readonly operation: string;
  /** For `clew undo`; absent if nothing was written. */
  readonly id?: string;
  readonly isWritten: boolean;
  readonly from: PlannedSource;
  readonly to: PlannedSource;
  /** More sessions that the operation creates. */
  readonly others: readonly PlannedSource[];
  readonly changed: number;
  readonly dropped: readonly Dropped[];
  readonly proof: Proof;
  readonly thinking: ThinkingOutcome;
  readonly notes: readonly string[];
  readonly sizeBytes: { readonly before: number; readonly after: number };
  readonly workingFolder?: string;
}

/**
 * Carries out a plan: proves the result and then writes it. `sources`: the sources of the plan, in the order of
 * `plan.sources`.
 */
export function operate(plan: Plan, sources: readonly Source[], options: OperateOptions = {}): Promise<Outcome> {
  const operations = operationsFolder(options.env);
  return whileHolding(sessionsTouched(plan, sources), options.env ?? process.env, () =>
    withLock(operations, { ...options, what: 'changing sessions' }, async () => {
      const recovered = await recoverLocked(operations, options.env ?? process.env);
      options.onRecovered?.(recovered);
      return carryOut(plan, sources, operations, options);
    }),
  );
}

async function carryOut(
  plan: Plan,
  given: readonly Source[],
  operations: string,
  options: OperateOptions,
): Promise<Outcome> {
  const sources = plan.readAs ?? given;
  const at = new Date();
  const id = newOperationId(at);
  const staged = path.join(operations, id, 'staged');
  const run = async (): Promise<Outcome> => {
    refuseTargetsOutside(plan);
    await refuseWithoutSpace(plan, sources, operations);
    const outcome = await stageAndProve(plan, sources, staged, options.isPortable === true);
    if (options.isDryRun === true || (await options.mayWrite?.(outcome)) === false) return outcome;
    refuseIfSourcesChanged(sources);
    const record: OperationRecord = {
      id,
      operation: plan.operation,
      words: plan.words,
      at: at.toISOString(),
      state: 'prepared',
      from: plan.sources,
      to: [outcome.to, ...outcome.others],
      ...(await listChanges(plan, sources, staged)),
      ...(options.keepsBackup === false ? { hasNoBackup: true } : {}),
      ...(options.group === undefined ? {} : { group: options.group }),
    };
    const carried = await runRecord(operations, record);
    return { ...outcome, notes: [...outcome.notes, ...carriedNotes(carried)], id, isWritten: true };
  };
  return withRecovery(operations, options.env ?? process.env, async () => {
    const outcome = await run();
    if (!outcome.isWritten) await rm(path.join(operations, id), { recursive: true, force: true });
    return outcome;
  });
}

async function stageAndProve(
  plan: Plan,
  sources: readonly Source[],
  staged: string,
  isPortable: boolean,
): Promise<Outcome> {
  const kept = new KeptLines();
  const proofs: Proved[] = [];
  const dropped: Dropped[] = [];
  const thinking = { kept: 0, removed: 0 };
  for (const [i, planned] of plan.results.entries()) {
    const folder = path.join(staged, String(i));
    const whole = await stageSession(planned, folder);
    const broken = (await plan.expects?.(whole, i)) ?? [];
    const compared = planned.comparedWith === undefined ? sources : sources.slice(planned.comparedWith).slice(0, 1);
    const sessions = compared.map(({ session }) => session);
    if (planned.isInPlace && plan.violations !== 'all') refuseOpenRound(whole.session, sessions[0]);
    const rule = plan.thinking ?? (isPortable ? 'bound' : 'changed');
    const trimmed = await trimThinking(whole, folder, sessions, { rule, judge: plan.judgeThinking });
    const result = trimmed.staged;
    dropped.push(...trimmed.dropped);
    thinking.removed += trimmed.removed;
    thinking.kept += lookAtResume(result.session).thinking;
    const proved = proveResult(plan, result, [...broken, ...trimmed.broken], folder, sessions[0], kept);
    if (isPortable && proved.broken.length === 0) {
      const portable = await stagePortable(result, folder);
      dropped.push(...portable.dropped);
      proofs.push(provePortable(portable, proved));
    } else proofs.push(proved);
  }
  for (const [i, { content }] of (plan.otherFiles ?? []).entries())
    await writeNewFile(stagedOther(staged, i), bytesOf(content));
  const named = [...plan.dropped, ...dropped];
  const lost = sources.reduce((sum, { session }) => sum + kept.lostOf(session.transcript, named), 0);
  const unsent = plan.loadsLess === true ? [] : sources.flatMap(({ session }) => kept.unsentOf(session, named));
  const broken = proofs.flatMap((proved) => proved.broken);
  if (lost > 0) broken.push(`${lost} records are neither in the result nor reported as dropped`);
  if (unsent.length > 0) broken.push(unsentText(unsent));
  if (broken.length > 0) {
    throw new UserError(
      `the proof failed, so nothing was written: ${broken.slice(0, 3).join('; ')}`,
      'run `clew doctor` on the session',
      exitCodes.failed,
    );
  }
  return describe({ ...plan, dropped: named }, proofs, thinkingOutcome(plan, thinking, isPortable), sources, staged);
}

function unsentText([first, ...others]: readonly number[]): string {
  return `resuming would no longer send line ${first}${others.length === 0 ? '' : ` and ${others.length} more lines`}`;
}

function describe(
  plan: Plan,
  proofs: readonly Proved[],
  thinking: ThinkingOutcome,
  sources: readonly Source[],
  staged: string,
): Outcome {
  const places = plan.results.map((planned) => ({
    sessionId: planned.sessionId,
    path: stagedPath(planned.folder, mainFile(planned).name),
  }));
  const [from] = plan.sources;
  const [to, ...others] = places;
  const [proved] = proofs;
  if (from === undefined || to === undefined || proved === undefined)
    throw new TypeError('a plan needs a source and a result');
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  const before = sum(sources.flatMap(({ files }) => files.map((file) => file.stats.size)));
  const written = plan.results.flatMap(({ files }, i) =>
    files.map((file) => statSync(stagedPath(path.join(staged, String(i)), file.name)).size),
  );
  const after = sum([...written, ...untouchedSizes(plan, sources)]);
  return {
    operation: plan.operation,
    isWritten: false,
    from,
    to,
    others,
    changed: proofs.reduce((sum, { changed }) => sum + changed, 0),
    dropped: plan.dropped.map((each) =>
      each.file === undefined ? { ...each, line: plan.lineOf?.(each.line) ?? each.line } : each,
    ),
    proof: proved.proof,
    thinking,
    notes: [
      ...(thinking.reason === null ? [] : [thinking.reason]),
      ...(plan.notes ?? []),
      ...leftOutNotes(sources.flatMap((source) => source.leftOut)),
    ],
    sizeBytes: { before, after },
    ...(plan.workingFolder === undefined ? {} : { workingFolder: plan.workingFolder }),
  };
}

/** The sizes of the files that an in-place operation does not change. */
function untouchedSizes({ results, removals = [] }: Plan, sources: readonly Source[]): readonly number[] {
  return results
    .filter(({ isInPlace }) => isInPlace)
    .flatMap(({ files, comparedWith = 0 }) => {
      const written = new Set(files.map(({ name }) => name));
      const own = sources[comparedWith]?.files ?? [];
      return own
        .filter((file) => !written.has(file.name) && !removals.includes(file.path))
        .map((file) => file.stats.size);
    });
}

/** Every file that will change, the main transcripts last, because they make a session visible. */
async function listChanges(
  plan: Plan,
  sources: readonly Source[],
  staged: string,
): Promise<Pick<OperationRecord, 'files' | 'sources' | 'madeFolders' | 'tops'>> {
  const read = readSizes(sources);
  const files: FileChange[] = [];
  const add = async (target: string, content: string, more: Partial<FileChange>, isMade: boolean): Promise<void> => {
    const after = await readFileState(content);
    const own = { staged: path.relative(path.dirname(staged), content), after, ...more };
    if (isMade) files.push({ path: target, kind: 'made', ...own });
    else files.push({ path: target, kind: 'replaced', ...(await beforeOf(target, files.length, read)), ...own });
  };
  for (const [i, planned] of plan.results.entries()) {
    for (const { name, mtimeMs } of [...planned.files].reverse()) {
      const target = stagedPath(planned.folder, name);
      const content = stagedPath(path.join(staged, String(i)), name);
      const isMade = !planned.isInPlace || !existsSync(target);
      await add(target, content, mtimeMs === undefined ? {} : { mtimeMs }, isMade);
    }
  }
  for (const [i, { path: target, isLog, readBytes }] of (plan.otherFiles ?? []).entries()) {
    if (readBytes !== undefined) read.set(target, readBytes);
    await add(target, stagedOther(staged, i), isLog === true ? { isLog } : {}, !existsSync(target));
  }
  for (const target of plan.removals ?? []) {
    const continuedBy = plan.continuedBy?.get(target);
    const more = continuedBy === undefined ? {} : { continuedBy };
    files.push({ path: target, kind: 'removed', ...(await beforeOf(target, files.length, read)), ...more });
  }
  const made = files.filter(({ kind }) => kind === 'made').map(({ path: target }) => target);
  return {
    files,
    ...(made.length === 0 ? {} : { sources: await sourceStates(plan, sources, files) }),
    madeFolders: [...new Set(made.flatMap(missingFolders))],
    tops: plan.sources.map((source) => path.dirname(path.dirname(source.path))),
  };
}

/** How much of each file was read: what another program appended since is not in the result. */
function readSizes(sources: readonly Source[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { identities } of sources)
    for (const [file, identity] of identities) if (identity !== 'absent') sizes.set(file, identity.size);
  return sizes;
}

/** The files that new ones were made from, but for those that the operation changes itself. */
async function sourceStates(
  plan: Plan,
  sources: readonly Source[],
  files: readonly FileChange[],
): Promise<readonly SourceState[]> {
  const changed = new Set(files.map((file) => file.path));
  const read = readSizes(sources);
  const states: SourceState[] = [];
  for (const { path: main } of plan.sources) {
    const own = sources.find(({ session }) => session.files.main === main)?.files.map((file) => file.path) ?? [main];
    for (const file of own)
      if (!changed.has(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true)
        states.push({ path: file, ...(await readFileState(file, read.get(file))) });
  }
  return states;
}

/** Refuses to write or remove through a link that leads out of the folder of a session, or out of its root. */
function refuseTargetsOutside({ results, otherFiles = [], removals = [], sources }: Plan): void {
  for (const { folder, files } of results)
    for (const { name } of files) refuseLeaving(stagedPath(folder, name), folder);
  const folders = [...results.map(({ folder }) => folder), ...sources.map((source) => path.dirname(source.path))];
  refuseLinkedTargets([...otherFiles.map((other) => other.path), ...removals], folders);
}

function stagedOther(staged: string, index: number): string {
  return path.join(staged, 'other', String(index));
}

async function beforeOf(
  target: string,
  place: number,
  read: ReadonlyMap<string, number>,
): Promise<Required<Pick<FileChange, 'before' | 'backup'>>> {
  // The name of the file may be as long as names can be.
  return { before: await readFileState(target, read.get(target)), backup: path.join('backup', String(place)) };
}

/** A session in use may be read, but its file must not be replaced or removed. */
function sessionsTouched(plan: Plan, sources: readonly Source[]): readonly string[] {
  const touched = new Set([
    ...plan.results.filter(({ isInPlace }) => isInPlace).map(({ sessionId }) => sessionId),
    ...(plan.removals ?? []).map((file) => path.basename(file, '.jsonl')),
  ]);
  return sources.flatMap(({ session }) => (touched.has(session.id) ? [session.files.main] : []));
}

function refuseIfSourcesChanged(sources: readonly Source[]): void {
  for (const { identities } of sources)
    for (const [file, identity] of identities) refuseIfChanged(file, identity, identify(file));
}

/** The result is on the disk twice for a moment: staged and written. */
async function refuseWithoutSpace(plan: Plan, sources: readonly Source[], operations: string): Promise<void> {
  const size = sources.flatMap(({ files }) => files).reduce((sum, file) => sum + file.stats.size, 0);
  const needed = size * Math.max(1, plan.results.length / Math.max(1, sources.length));
  for (const folder of [operations, plan.results[0]?.folder ?? operations]) {
    const room = await roomIn(folder);
    if (room !== undefined && room < needed)
      throw new UserError(
        `not enough disk space in ${folder}: ${formatBytes(needed)} needed, ${formatBytes(room)} free`,
        'free disk space and run it again',
        exitCodes.refused,
      );
  }
}

async function roomIn(folder: string): Promise<number | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    } catch {
      if (at === path.dirname(at)) return undefined;
    }
  }
}
