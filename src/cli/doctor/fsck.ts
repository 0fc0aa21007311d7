// clew fsck: checks what Clew itself keeps: the journal of operations, the archive, the index, what `clew setup` wrote, what
// waits for a push, and files that killed processes left. Repairs what is certain, keeps the rest aside, exits with 1 if
// something remains.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { archiveFolder, isDamaged, repairArchive } from '../../library/archive/index.ts';
import { checkIndex, indexPath, removeIndex } from '../../library/index/index.ts';
import { projectsFolders, removeStaleTemps, stateFolder } from '../../store/index.ts';
import { type CheckFinding, checkOperations } from '../../surgery/keep/index.ts';
import { countSpooled, findUnreadable, pushFolder } from '../../team/push/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { checkSetup } from '../setup/index.ts';
import { writeOut } from '../terminal/index.ts';

interface CheckedArea {
  readonly area: string;
  /** What was read. */
  readonly checked: string;
  readonly findings: readonly CheckFinding[];
}

type Area = (input: CommandInput, repairs: boolean) => Promise<CheckedArea>;

export async function run(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  const areas: CheckedArea[] = [];
  for (const check of [operations, archive, index, setup, push, leftovers])
    areas.push(await check(input, flags['dry-run'] !== true).catch((error: unknown) => unchecked(check.name, error)));
  const remaining = areas.flatMap(({ findings }) => findings.filter(({ repair }) => repair === undefined));
  const text = flags.json === true ? `${jsonText(toJson(areas), 2)}\n` : neutralise(areas.map(describeArea).join(''));
  await writeOut([text], io);
  return remaining.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** What could not be checked is not sound. */
function unchecked(area: string, error: unknown): CheckedArea {
  if (!(error instanceof UserError)) throw error;
  return {
    area,
    checked: 'not checked',
    findings: [{ where: area, problem: error.message, repair: undefined, next: '' }],
  };
}

const operations: Area = async ({ io }, repairs) => {
  const { records, findings } = await checkOperations(io.env, repairs);
  return { area: 'operations', checked: counted(records, 'record'), findings };
};

const archive: Area = async ({ io }, repairs) => {
  const folder = archiveFolder(io.env);
  const { found, steps, left } = await repairArchive({ folder, isDryRun: !repairs });
  const done = steps.map(({ file, message }) => ({ where: file, problem: message, repair: 'done', next: '' }));
  const lost = left.verdicts
    .filter(({ isRestorable }) => !isRestorable)
    .map(({ sessionId, title }) => ({
      where: folder,
      problem: `session ${sessionId}${title === '' ? '' : ` (${title})`} can no longer be restored`,
      repair: undefined,
      next: 'archive it again while it is in your library: `clew archive`',
    }));
  const damage = left.damage.map(({ pack, message }) => ({
    where: pack,
    problem: message,
    repair: undefined,
    next: repairs ? 'see `clew archive --verify`' : 'run `clew fsck`',
  }));
  const findings = [...done, ...lost, ...damage];
  if (isDamaged(left) && findings.every(({ repair }) => repair !== undefined))
    findings.push({ where: folder, problem: 'is damaged', repair: undefined, next: 'see `clew archive --verify`' });
  return { area: 'archive', checked: counted(found.sessions, 'session'), findings };
};

const index: Area = async ({ io }, repairs) => {
  const state = stateFolder(io.env);
  const found = checkIndex(state);
  if (found !== 'damaged')
    return { area: 'index', checked: found === 'missing' ? 'there is none' : 'read', findings: [] };
  if (repairs) removeIndex(indexPath(state));
  const finding = {
    where: indexPath(state),
    problem: 'is damaged',
    repair: repairs ? 'removed; the next command builds it from the sessions' : undefined,
    next: repairs ? '' : 'run `clew fsck`',
  };
  return { area: 'index', checked: 'read', findings: [finding] };
};

const setup: Area = async ({ io }, repairs) => {
  return { area: 'setup', checked: 'record and files', findings: await checkSetup({ env: io.env, repair: repairs }) };
};

const push: Area = async ({ io }, repairs) => {
  const folder = pushFolder(io.env);
  const outboxes = namesIn(folder).map((name) => path.join(folder, name, 'outbox'));
  const waiting = outboxes.reduce((sum, outbox) => sum + countSpooled(outbox), 0);
  const findings = outboxes.flatMap(findUnreadable).map((file) => ({
    where: file,
    problem: 'cannot be sent',
    // The push itself drops it and collects the session again.
    repair: repairs ? 'the next push collects its session again' : undefined,
    next: repairs ? '' : 'run `clew push`',
  }));
  return { area: 'push', checked: `${counted(waiting, 'session')} waiting`, findings };
};

const hourMs = 3_600_000;

/** Temporary files of killed processes. Young ones may belong to a process that is at work. */
const leftovers: Area = async (input, repairs) => {
  const state = stateFolder(input.io.env);
  const projects = projectsFolders(rootsOf(input)).map((each) => each.projects);
  const folders = [state, ...foldersIn(state), ...projects, ...projects.flatMap(foldersIn)];
  const findings: CheckFinding[] = [];
  for (const folder of folders)
    for (const file of await removeStaleTemps(folder, hourMs, !repairs))
      findings.push({
        where: file,
        problem: 'was left by a process that was killed',
        repair: repairs ? 'removed' : undefined,
        next: repairs ? '' : 'run `clew fsck`',
      });
  return { area: 'leftovers', checked: counted(folders.length, 'folder'), findings };
};

function foldersIn(folder: string): readonly string[] {
  return namesIn(folder).map((name) => path.join(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return []; // there is none
  }
}

function describeArea({ area, checked, findings }: CheckedArea): string {
  const lines = findings.map(({ where, problem, repair, next }) => {
    const end = repair ?? next;
    return `  ${where}: ${problem}${end === '' ? '' : `; ${end}`}\n`;
  });
  return `${area}: ${checked}${findings.length === 0 && checked !== 'there is none' ? ', sound' : ''}\n${lines.join('')}`;
}

function toJson(areas: readonly CheckedArea[]): object {
  const rows = areas.map(({ area, checked, findings }) => ({
    area,
    checked,
    findings: findings.map((finding) => ({ ...finding, repair: finding.repair ?? null })),
  }));
  return { isSound: areas.every(({ findings }) => findings.every(({ repair }) => repair !== undefined)), areas: rows };
}
