// Diagnoses of a session, previews of its repair for each strategy (a dry run), the repair itself, and its undo. Every
// write is a surgery plan.

import { damageClasses, type Finding } from '../../../doctor/checks/index.ts';
import { type Diagnosis, diagnoseSession, verdictOf } from '../../../doctor/diagnosis/index.ts';
import {
  defaultStrategy,
  isRepairable,
  newerBranch,
  planRepair,
  type Strategy,
  strategies,
  strategyMeanings,
} from '../../../doctor/repair/index.ts';
import { type JudgedSession, verdictState } from '../../../library/index/index.ts';
import { daysLeftOf } from '../../../library/session-files/index.ts';
import { loadSession, type Session } from '../../../session/load/index.ts';
import { leftAfterCompaction } from '../../../session/resume/request/index.ts';
import type { ProjectsFolder } from '../../../store/index.ts';
import { loadSource, type Outcome, operate } from '../../../surgery/engine/index.ts';
import type { PlannedSource } from '../../../surgery/journal/index.ts';
import {
  type OperationRecord,
  operationsFolder,
  operationsNamed,
  readRecords,
  recoverOperations,
  undoTogether,
} from '../../../surgery/journal/index.ts';
import type {
  AppliedFix,
  DiagnosisAnswer,
  FindingView,
  FixAnswer,
  FixPreview,
  OperationRow,
} from '../../wire/index.ts';
import { Refusal } from '../protocol/index.ts';

/** The server replaces paths by keys. */
export type AppliedFound = Omit<AppliedFix, 'to'> & { readonly to: PlannedSource };
export type OperationFound = Omit<OperationRow, 'from' | 'to'> & {
  readonly from: readonly PlannedSource[];
  readonly to: readonly PlannedSource[];
};

export interface ApplyParams {
  readonly path: string;
  readonly strategy?: string;
  readonly inPlace?: boolean;
}

export interface Diagnosed {
  readonly answer: DiagnosisAnswer;
  readonly judged: JudgedSession | undefined;
}

const maxFindings = 500;
const maxDropped = 200;
const maxOperations = 200;

export class RepairAnswers {
  readonly #folders: readonly ProjectsFolder[];

  constructor(folders: readonly ProjectsFolder[]) {
    this.#folders = folders;
  }

  /** `judged` is for the index; `undefined` if part of the session could not be read. */
  async diagnosis({ path, key }: { readonly path: string; readonly key: string }): Promise<Diagnosed> {
    const state = verdictState(path);
    const session = await loadSession(path);
    const diagnosis = await this.#diagnose(session);
    const { findings, reachable, reachableOld, compactsFirst, violations } = diagnosis;
    const unread = session.files.problems.map(({ path: file, code }) => ({ path: file, code }));
    const isWhole = state !== undefined && unread.length === 0;
    const answer = {
      key,
      findings: findings.slice(0, maxFindings).map(findingView),
      hasMore: findings.length > maxFindings,
      reachable,
      reachableOld,
      compactsFirst: compactsFirst === null ? null : { ...compactsFirst, left: leftAfterCompaction },
      violations: violations.slice(0, maxFindings).map(({ rule, message, line }) => ({ rule, message, line })),
      isRepairable: findings.some(isRepairable),
      unread,
    };
    return { answer, judged: isWhole ? { path, state, verdict: verdictOf(diagnosis) } : undefined };
  }

  /** Without a choice between branches, all strategies give the same result, and only one is tried. */
  async preview({ path }: { readonly path: string }): Promise<FixAnswer> {
    const source = await loadSource(path, { roots: this.#roots() });
    const diagnosis = await diagnoseSession(source.session, { folders: this.#folders });
    const usual = defaultStrategy(diagnosis);
    const tried = newerBranch(source.session) === undefined ? [usual] : strategies;
    const previews: FixPreview[] = [];
    for (const strategy of tried) {
      const plan = await planRepair(source, diagnosis, { strategy });
      if (plan === undefined) continue;
      const outcome = await operate(plan, [source], { isDryRun: true });
      previews.push(previewOf(outcome, diagnosis, strategy, usual));
    }
    return { previews };
  }

  async apply(query: ApplyParams): Promise<AppliedFound> {
    const source = await loadSource(query.path, { roots: this.#roots() });
    const diagnosis = await diagnoseSession(source.session, { folders: this.#folders });
    const usual = defaultStrategy(diagnosis);
    const strategy = query.strategy === undefined ? usual : strategies.find((each) => each === query.strategy);
    if (strategy === undefined) throw new Refusal(400, `unknown strategy "${query.strategy}"`);
    const plan = await planRepair(source, diagnosis, { strategy, isInPlace: query.inPlace === true });
    if (plan === undefined) throw new Refusal(409, 'there is nothing to repair in this file');
    const outcome = await operate(plan, [source]);
    const { findings } = await this.#diagnose(await loadSession(outcome.to.path));
    return {
      operation: outcome.id ?? '',
      to: outcome.to,
      preview: previewOf(outcome, diagnosis, strategy, usual),
      left: findings.slice(0, maxFindings).map(findingView),
    };
  }

  async operations(): Promise<readonly OperationFound[]> {
    await recoverOperations();
    return (await readRecords(operationsFolder())).slice(0, maxOperations).map(operationFound);
  }

  /** `id`: of an operation, or of a group of them. */
  async undo({ id }: { readonly id: string }): Promise<OperationFound> {
    const [first, ...others] = await this.#undoAll(id);
    if (first === undefined) throw new Refusal(404, 'unknown operation');
    const from = [first, ...others].flatMap((record) => record.from);
    const to = [first, ...others].flatMap((record) => record.to);
    return operationFound({ ...first, id, from, to, state: 'undone' });
  }

  async #undoAll(id: string): Promise<readonly OperationRecord[]> {
    const records = operationsNamed(await readRecords(operationsFolder()), id);
    return records.length === 0 ? [] : undoTogether(records);
  }

  #roots(): readonly string[] {
    return this.#folders.map(({ root }) => root);
  }

  async #diagnose(session: Session): Promise<Diagnosis> {
    const daysLeft = daysLeftOf(session.transcript.path, this.#folders, Date.now());
    return diagnoseSession(session, { folders: this.#folders, daysLeft });
  }
}

function previewOf(outcome: Outcome, diagnosis: Diagnosis, strategy: Strategy, usual: Strategy): FixPreview {
  const { proof, changed, dropped, notes, sizeBytes } = outcome;
  return {
    strategy,
    meaning: strategyMeanings[strategy],
    isDefault: strategy === usual,
    before: diagnosis.reachable,
    after: { loaded: proof.reachable.loaded, of: proof.reachable.of },
    changed,
    dropped: dropped.slice(0, maxDropped).map(({ line, reason }) => ({ line, reason })),
    droppedTotal: dropped.length,
    sizeBefore: sizeBytes.before,
    sizeAfter: sizeBytes.after,
    notes,
  };
}

function operationFound({ id, operation, at, state, from, to, hasNoBackup }: OperationRecord): OperationFound {
  return { id, operation, at, state, from, to, canUndo: state === 'done' && hasNoBackup !== true };
}

export function findingView({ code, severity, file, line, message, effect, fix }: Finding): FindingView {
  return { code, severity, title: damageClasses[code].title, file, line, message, effect, fix };
}
