// What the actions of `clew team` share: the store, the tenant, words, levels, confirmations, and the form of the output.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import type { Tenant } from '../../team/admin/index.ts';
import { type Level, type LevelNumber, levelName, levelNumber, levels } from '../../team/contract/index.ts';
import type { Sql } from '../../team/database/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { type Cell, type Column, renderTable } from '../render/index.ts';
import { canAsk, confirm, terminalWidth, writeOut } from '../terminal/index.ts';

/** `words` do not include the name of the action. */
export type Action = (input: CommandInput) => Promise<void>;

/** The store of `--to`, of CLEW_STORE or of team.json. */
export async function storeAddress({ flags, io }: CommandInput): Promise<string> {
  const { isGatewayAddress, readTeamConfig } = await import('../../team/config/index.ts');
  const address = textFlag(flags, 'to') ?? readTeamConfig(io.env).store;
  if (address === undefined)
    throw new UserError('there is no address of a store', 'give --to postgres://USER@HOST/DATABASE, or set CLEW_STORE');
  if (isGatewayAddress(address))
    throw new UserError('a gateway cannot be administered', 'give the database: --to postgres://USER@HOST/DATABASE');
  return address;
}

/** Opens the store for `work`, and turns its errors into errors of the user. */
export async function withStore<T>(input: CommandInput, work: (sql: Sql) => Promise<T>): Promise<T> {
  const address = await storeAddress(input);
  const { connect, storeError } = await import('../../team/database/index.ts');
  const sql = await connect(address);
  try {
    return await work(sql);
  } catch (error) {
    throw storeError(error, address);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

export function withTenant<T>(input: CommandInput, work: (sql: Sql, tenant: Tenant) => Promise<T>): Promise<T> {
  return withStore(input, async (sql) => {
    const { tenantOf } = await import('../../team/admin/index.ts');
    return work(sql, await tenantOf(sql, textFlag(input.flags, 'tenant')));
  });
}

/** Exactly these words, by their names in messages. */
export function wordsOf({ words }: CommandInput, action: string, ...names: readonly string[]): readonly string[] {
  const usage = `clew team ${[action, ...names].join(' ')}`;
  if (words.length < names.length)
    throw new UserError(`clew team ${action} needs ${names[words.length]}`, `write ${usage}`);
  if (words.length > names.length)
    throw new UserError(`"${words[names.length]}" is one word too many`, `write ${usage}`);
  return words;
}

export function levelOf(value: string): LevelNumber {
  const level = levels.find((each): each is Level => each === value);
  if (level === undefined) throw new UserError(`there is no level "${value}"`, `use ${levels.join(', ')}`);
  return levelNumber(level);
}

export function nameOfLevel(level: number): string {
  return levelName(level) ?? 'nothing';
}

/** Asks on a terminal; elsewhere `--yes` is needed. */
export async function agreed({ flags, io }: CommandInput, what: string): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk(io.stderr))
    throw new UserError(`confirmation required: ${what}`, 'add --yes, or --dry-run to look only', exitCodes.refused);
  return confirm(`${what}. Continue?`, io.stderr);
}

export async function print({ flags, io }: CommandInput, json: object, lines: readonly string[]): Promise<void> {
  await writeOut([flags.json === true ? `${jsonText(json, 2)}\n` : lines.map((line) => `${line}\n`).join('')], {
    ...io,
    pager: flags.json !== true,
  });
}

export function table({ io }: CommandInput, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  return renderTable(columns, rows, { width: terminalWidth(io.stdout, io.env), style: io.style });
}
