// clew team forget PERSON: removes everything of PERSON, and reports it table by table.
import { UserError } from '../../base/errors/index.ts';
import { counted } from '../../base/text/index.ts';
import { type Erased, type ForgetReport, forget, vacuumRemovals } from '../../team/admin/index.ts';
import type { CommandInput } from '../command/index.ts';
import { agreed, print, table, withTenant, wordsOf } from './action.ts';
import { pendingLines } from './sweep.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags } = input;
  const [name = ''] = wordsOf(input, 'forget', 'PERSON');
  const isTrial = flags['dry-run'] === true;
  const erases = flags.erase === true;
  await withTenant(input, async (sql, tenant) => {
    const dropsLogin = flags['drop-login'] === true;
    // A hold or a wrong name is reported before the question.
    const trial = await forget(sql, tenant, name, { dropsLogin, isTrial: true });
    if (isTrial) return report(input, trial, { tables: 0, pending: [] }, erases);
    const rows = Object.values(trial.before).reduce((sum, each) => sum + each, 0);
    if (!(await agreed(input, `${counted(rows, 'row')} of ${name} are removed for good`)))
      throw new UserError('nothing was changed', '--dry-run shows what would be removed');
    const done = await forget(sql, tenant, name, { dropsLogin, isTrial: false });
    await report(input, done, await vacuumRemovals(sql, erases), erases);
  });
}

async function report(
  input: CommandInput,
  done: ForgetReport,
  { tables, pending }: Erased,
  erases: boolean,
): Promise<void> {
  const { person, before, after, readings, login, loginIs, problem = null, isTrial } = done;
  const rows = Object.keys(before).map((name) => ({ table: name, before: before[name] ?? 0, after: after[name] ?? 0 }));
  const json = { person, rows, readings, login, loginIs, problem, tables, pending, dryRun: isTrial };
  const columns = [
    { header: 'TABLE' },
    { header: 'ROWS', align: 'right' as const },
    { header: 'LEFT', align: 'right' as const },
  ];
  await print(input, json, [
    table(
      input,
      columns,
      rows.map((row) => [row.table, String(row.before), String(row.after)]),
    ),
    `audit: ${counted(readings, 'reading')} stay, without what was searched for`,
    ...(login === null || isTrial ? [] : [`login role ${login}: ${loginIs}${problem === null ? '' : ` (${problem})`}`]),
    ...(isTrial
      ? ['nothing is removed: --dry-run']
      : [`${counted(tables, 'table')} ${erases ? 'rewritten' : 'cleaned'}`]),
    ...pendingLines(pending, erases),
  ]);
}
