// clew undo [OPERATION]: undoes an operation, by default the last one.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import {
  type OperationRecord,
  operationsFolder,
  operationsNamed,
  type Recovered,
  readRecords,
  refuseUndo,
  undoTogether,
} from '../../surgery/journal/index.ts';
import type { CommandInput } from '../command/index.ts';
import { operationNotices, recoverKilled } from '../operation/index.ts';
import { writeOut } from '../terminal/index.ts';

export async function run({ argument, flags, io }: CommandInput): Promise<void> {
  const killed = flags['dry-run'] === true ? [] : await recoverKilled(io);
  // Then the last operation is not the one that the user means.
  if (argument === undefined && killed.length > 0) return endAfterRecovery(killed, flags, io);
  const settled = killed.find(({ id }) => argument !== undefined && isNamed(id, argument));
  if (settled !== undefined && settled.outcome !== 'finished') return endAfterRecovery([settled], flags, io);
  const records = chooseRecords(await readRecords(operationsFolder(io.env)), argument);
  const isDryRun = flags['dry-run'] === true;
  if (isDryRun) for (const record of records) await refuseUndo(record, io.env);
  else await undoTogether(records, operationNotices(io));
  if (flags.json === true) return writeOut([`${jsonText(jsonOf(records), 2)}\n`], io);
  const verb = isDryRun ? 'would undo' : 'undid';
  for (const { id, operation, files, copies = [] } of records) {
    const lines = files.slice(0, most).map(({ path, kind }) => `  ${(isDryRun ? intents : outcomes)[kind]} ${path}\n`);
    if (files.length > most) lines.push(`  and ${counted(files.length - most, 'more file')}\n`);
    for (const { session } of copies)
      lines.push(`  ${isDryRun ? 'remove' : 'removed'} the copy of ${session} from the archive\n`);
    const what = counted(files.length, 'file');
    await writeOut([neutralise(`${verb} ${operation} ${id} (${what})\n${lines.join('')}`)], io);
  }
}

/** What was killed is settled now: nothing else is undone. */
async function endAfterRecovery(
  killed: readonly Recovered[],
  flags: CommandInput['flags'],
  io: CommandInput['io'],
): Promise<void> {
  if (flags.json === true) {
    const operations = killed.map(({ id, operation, outcome, doubts }) => ({
      id,
      operation: operation ?? null,
      outcome,
      doubts,
    }));
    return writeOut([`${jsonText({ recovered: operations }, 2)}\n`], io);
  }
  const isUnchanged = killed.every(({ outcome }) => outcome === 'nothing');
  const what = isUnchanged
    ? 'the last operation was killed before it changed anything'
    : 'the killed operation is settled';
  await writeOut([`${what}; \`clew undo\` again undoes the operation before it\n`], io);
}

function isNamed(id: string, wanted: string): boolean {
  return id.startsWith(wanted) || id.endsWith(wanted);
}

/** Of several operations, the first is the newest. */
function jsonOf(records: readonly OperationRecord[]): object {
  const rows = records.map(({ id, operation, files }) => {
    return { id, operation, files: files.map(({ path, kind }) => ({ path, kind })) };
  });
  return rows.length === 1 ? { ...rows[0] } : { operations: rows };
}

const most = 12;

const intents = { made: 'delete', replaced: 'restore', removed: 'restore' } as const;
const outcomes = { made: 'deleted', replaced: 'restored', removed: 'restored' } as const;

/** One operation by its id, or all of a group: without an id, an action on several sessions is the last operation. */
function chooseRecords(records: readonly OperationRecord[], wanted: string | undefined): readonly OperationRecord[] {
  const [last] = records.filter(({ state }) => state === 'done');
  if (wanted === undefined) {
    if (last === undefined)
      throw new UserError('there is no operation to undo', 'see `clew history`', exitCodes.refused);
    return operationsNamed(records, last.group ?? last.id);
  }
  const fits = (id: string): boolean => isNamed(id, wanted);
  const groups = records.flatMap(({ group }) => group ?? []).filter(fits);
  const ids = new Set([...records.map(({ id }) => id).filter(fits), ...groups]);
  const [id] = ids;
  if (id === undefined) throw new UserError(`there is no operation "${wanted}"`, 'see `clew history`');
  if (ids.size > 1) throw new UserError(`"${wanted}" matches ${ids.size} operations`, 'give more of the id');
  const chosen = operationsNamed(records, id);
  if (chosen.length === 0) throw new UserError(`operation ${id} is already undone`, 'see `clew history`');
  return chosen;
}
