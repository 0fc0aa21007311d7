// For `clew fsck`: what is wrong in the journal of operations, and around the files that its records name. Repairs what is
// certain; keeps the rest under another name.
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { isSameFile } from '../../store/index.ts';
import {
  findRecords,
  type OperationRecord,
  operationsFolder,
  type Recovered,
  recoverOperations,
  writeRecord,
} from '../journal/index.ts';

/** Something that is wrong. */
export interface CheckFinding {
  readonly where: string;
  readonly problem: string;
  /** What was done about it; `undefined` with `repairs: false`, and if nothing can be done. */
  readonly repair: string | undefined;
  /** What the user can do; empty after a repair. */
  readonly next: string;
}

export interface CheckedOperations {
  readonly records: number;
  readonly findings: readonly CheckFinding[];
}

export async function checkOperations(env: Environment, repairs: boolean): Promise<CheckedOperations> {
  const operations = operationsFolder(env);
  const recovered = repairs ? await recoverOperations(env, { isThorough: true, waitMs: 10_000 }) : [];
  const findings: CheckFinding[] = recovered.flatMap((each) => recoveredFinding(operations, each));
  let records = 0;
  for (const found of findRecords(operations)) {
    if (found.is === 'record') {
      records++;
      findings.push(...(await checkRecord(operations, found.record, repairs)));
    } else if (!recovered.some(({ id }) => id === found.id))
      findings.push({
        where: path.join(operations, found.id),
        problem: found.is === 'none' ? 'an operation that was killed before it changed anything' : found.reason,
        repair: undefined,
        next: 'run `clew fsck`',
      });
  }
  for (const name of namesIn(operations).filter((each) => each.startsWith('quarantine-')))
    if (!recovered.some(({ id }) => name.endsWith(id)))
      findings.push({
        where: path.join(operations, name),
        problem: 'holds the backups of an operation whose record cannot be used',
        repair: undefined,
        next: 'take what you need from it and remove it',
      });
  return { records, findings };
}

function recoveredFinding(operations: string, { id, operation, outcome, doubts }: Recovered): readonly CheckFinding[] {
  const where = path.join(operations, id);
  const problem = `${operation ?? 'an operation'} was killed before it was done`;
  const rest = doubts.map((doubt) => ({ where, problem: doubt, repair: undefined, next: 'look at both versions' }));
  switch (outcome) {
    case 'set aside':
      return doubts.map((doubt) => ({ where, problem: doubt, repair: 'kept with its backups', next: '' }));
    case 'left alone':
      return doubts.map((doubt) => ({
        where,
        problem: doubt,
        repair: undefined,
        next: 'check the permissions, or update Clew',
      }));
    case 'nothing':
      return [{ where, problem, repair: 'it had changed nothing', next: '' }];
    default:
      return [{ where, problem, repair: `it is ${outcome}`, next: '' }, ...rest];
  }
}

async function checkRecord(
  operations: string,
  record: OperationRecord,
  repairs: boolean,
): Promise<readonly CheckFinding[]> {
  const { id, operation, state } = record;
  const folder = path.join(operations, id);
  if (state !== 'done' && state !== 'undone')
    return [
      {
        where: folder,
        problem: `${operation} was killed before it was done`,
        repair: undefined,
        next: 'run `clew fsck`',
      },
    ];
  const findings = await checkLeftNames(folder, record, repairs);
  const lost = record.files.filter(
    ({ backup, archived }) => archived === undefined && backup !== undefined && !existsSync(path.join(folder, backup)),
  );
  if (state === 'undone' || record.hasNoBackup === true || lost.length === 0) return findings;
  const problem = `the backup of ${operation} is gone, so it cannot be undone`;
  if (!repairs)
    return [...findings, { where: folder, problem, repair: undefined, next: 'run `clew fsck`, which notes it' }];
  await writeRecord(operations, { ...record, hasNoBackup: true });
  return [...findings, { where: folder, problem, repair: 'its record says so now', next: '' }];
}

/** Names that the operation gives next to its files, and that a kill or a faulty disk may leave. */
async function checkLeftNames(
  folder: string,
  record: OperationRecord,
  repairs: boolean,
): Promise<readonly CheckFinding[]> {
  const start = `.clew-${record.id}-`;
  const findings: CheckFinding[] = [];
  for (const near of new Set(record.files.map((file) => path.dirname(file.path)))) {
    for (const name of namesIn(near).filter((each) => each.startsWith(start))) {
      const file = path.join(near, name);
      if (!lstatSync(file).isFile()) continue;
      const change = record.files[Number(/-(\d+)\.\w+$/.exec(name)?.[1])];
      const others = [change?.path, change?.backup === undefined ? undefined : path.join(folder, change.backup)];
      const isSecondName = await isSameAsAny(file, others);
      const isSafe = name.endsWith('.tmp') || isSecondName;
      if (repairs && isSafe) rmSync(file, { force: true });
      findings.push({
        where: file,
        problem: `was left by ${record.operation} (${record.id})`,
        repair: repairs && isSafe ? 'removed' : undefined,
        next:
          repairs && isSafe
            ? ''
            : isSafe
              ? 'run `clew fsck`'
              : 'it may hold lines that are nowhere else: compare and remove it',
      });
    }
  }
  return findings;
}

async function isSameAsAny(file: string, others: readonly (string | undefined)[]): Promise<boolean> {
  for (const other of others) if (other !== undefined && (await isSameFile(file, other))) return true;
  return false;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // a project folder may be gone
  }
}
