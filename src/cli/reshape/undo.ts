// clew undo [OPERATION]: undoes an operation, by default the last one.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { withLock } from '../../store/index.ts';
import {
  type OperationRecord,
  operationsFolder,
  readRecords,
  refuseUndo,
  undoOperation,
} from '../../surgery/engine/index.ts';
import type { CommandInput } from '../command/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';

export async function run({ argument, flags, io }: CommandInput): Promise<void> {
  const operations = operationsFolder(io.env);
  const record = chooseRecord(await readRecords(operations), argument);
  const isDryRun = flags['dry-run'] === true;
  if (isDryRun) await refuseUndo(record, io.env);
  else {
    const onWait = (holder: string): void => writeNotice(io.stderr, `waiting for another clew (${holder})`);
    await withLock(operations, { what: 'changing sessions', onWait }, () => undoOperation(operations, record, io.env));
  }
  const { id, operation, files } = record;
  if (flags.json === true)
    return writeOut(
      [`${jsonText({ id, operation, files: files.map(({ path, kind }) => ({ path, kind })) }, 2)}\n`],
      io,
    );
  const verb = isDryRun ? 'would undo' : 'undid';
  const lines = files.slice(0, most).map(({ path, kind }) => `  ${(isDryRun ? intents : outcomes)[kind]} ${path}\n`);
  if (files.length > most) lines.push(`  and ${counted(files.length - most, 'more file')}\n`);
  await writeOut([neutralise(`${verb} ${operation} ${id} (${counted(files.length, 'file')})\n${lines.join('')}`)], io);
}

const most = 12;

const intents = { made: 'delete', replaced: 'restore', removed: 'restore' } as const;
const outcomes = { made: 'deleted', replaced: 'restored', removed: 'restored' } as const;

function chooseRecord(records: readonly OperationRecord[], wanted: string | undefined): OperationRecord {
  const open = records.filter(({ state }) => state === 'done');
  const matches =
    wanted === undefined ? open.slice(0, 1) : records.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const [record] = matches;
  if (record !== undefined && matches.length === 1) return record;
  if (matches.length > 1)
    throw new UserError(`"${wanted}" matches ${matches.length} operations`, 'give more of the id');
  throw wanted === undefined
    ? new UserError('there is no operation to undo', 'see `clew history`', exitCodes.refused)
    : new UserError(`there is no operation "${wanted}"`, 'see `clew history`');
}
