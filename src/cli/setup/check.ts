// For clew fsck: what an interrupted or damaged `clew setup` has left, and its repair. Only what is provable is repaired: a
// call that was killed is finished as its record says; a record that cannot be read is kept under another name.
import { homedir } from 'node:os';
import path from 'node:path';
import { findUserConfig } from '../../agent/settings/index.ts';
import { explainSystemError } from '../../base/errors/index.ts';
import { hasLeftSwap, withSettingsLock } from '../../settings/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { Plan } from './add.ts';
import { applyPlan } from './apply.ts';
import { type Place, SetupContent } from './content.ts';
import type { PartName } from './parts.ts';
import {
  findLeftCopies,
  type RootRecord,
  readCopy,
  readRecords,
  recordFile,
  removeLeftCopies,
  setRecordAside,
  setupFolder,
} from './record.ts';

export interface SetupFinding {
  /** The config folder of Claude Code, or a file in Clew's own folder. */
  readonly where: string;
  readonly problem: string;
  /** What was done about it; with `repair: false`, and if nothing can be done, `undefined`. */
  readonly repair: string | undefined;
  /** What the user can do; empty after a repair. */
  readonly next: string;
}

export interface SetupCheck {
  readonly env: NodeJS.ProcessEnv;
  /** `false` writes nothing. */
  readonly repair: boolean;
}

/** Never throws for a problem of the disk or of a file: that is a finding too. */
export async function checkSetup({ env, repair }: SetupCheck): Promise<readonly SetupFinding[]> {
  const check = (): Promise<readonly SetupFinding[]> => checkRecords(env, repair);
  try {
    if (!repair) return await check();
    const { roots, damage } = readRecords(env);
    const isClean = roots.size === 0 && damage === undefined && findLeftCopies(env).length === 0;
    return isClean ? [] : await withSettingsLock(stateFolder(env), check);
  } catch (error) {
    return [asFinding(setupFolder(env), error)];
  }
}

async function checkRecords(env: NodeJS.ProcessEnv, repair: boolean): Promise<readonly SetupFinding[]> {
  const findings: SetupFinding[] = [];
  const records = readRecords(env);
  if (records.damage !== undefined) {
    const problem = `the record of clew setup is damaged (${records.damage})`;
    const aside = repair ? setRecordAside(env, records) : undefined;
    const next = 'run clew setup --remove: it finds the entries of Clew by their form';
    findings.push({ where: recordFile(env), problem, repair: aside && `kept as ${aside}`, next });
  }
  for (const [root, record] of records.roots) findings.push(...(await checkRoot(env, root, record, repair)));
  for (const file of findLeftCopies(env))
    findings.push({
      where: file,
      problem: 'a killed clew setup has left this file',
      repair: repair ? 'removed' : undefined,
      next: repair ? '' : 'run clew fsck',
    });
  if (repair) removeLeftCopies(env);
  return findings;
}

async function checkRoot(
  env: NodeJS.ProcessEnv,
  root: string,
  record: RootRecord,
  repair: boolean,
): Promise<readonly SetupFinding[]> {
  const findings: SetupFinding[] = [];
  const place: Place = { root, userConfig: findUserConfig(root, homedir()), env };
  try {
    const plan = planFinish(place, record);
    const left = plan.targets.filter(({ file }) => hasLeftSwap(file, stateFolder(env)));
    if (record.goal !== undefined || left.length > 0) {
      const isAdding = record.goal === undefined || record.goal.length > 0;
      if (repair) await applyPlan(plan, place, record);
      findings.push({
        where: root,
        problem: 'clew setup was interrupted',
        repair: repair ? 'finished' : undefined,
        next: repair ? '' : `run clew setup${isAdding ? '' : ' --remove'} again`,
      });
    }
  } catch (error) {
    findings.push(asFinding(root, error));
  }
  const now = repair ? (readRecords(env).roots.get(root)?.files ?? {}) : record.files;
  for (const [file, recorded] of Object.entries(now)) {
    if (recorded.backup === null || readCopy(env, recorded) !== undefined) continue;
    const next = 'clew setup --remove takes its own entries out instead of restoring the old bytes';
    const problem = `the copy of ${file} from before clew setup is missing or damaged`;
    findings.push({ where: path.join(setupFolder(env), recorded.backup), problem, repair: undefined, next });
  }
  return findings;
}

/** What the interrupted call wanted. */
function planFinish(place: Place, record: RootRecord): Plan {
  const content = new SetupContent(place, record);
  const goal = content.keptParts();
  return {
    parts: [],
    known: content.known,
    goal,
    targets: content.targets(goal, Object.keys(content.known) as PartName[]),
  };
}

function asFinding(where: string, error: unknown): SetupFinding {
  const explained = explainSystemError(error);
  if (explained === undefined) throw error;
  const [problem = '', ...next] = explained.message.split('; ');
  return { where, problem, repair: undefined, next: next.join('; ') };
}
