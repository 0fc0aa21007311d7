// clew team most and retain: the rules of the store. What the next sweep would then remove is shown, and must be agreed to.
import { UserError } from '../../base/errors/index.ts';
import { counted } from '../../base/text/index.ts';
import {
  changeRule,
  type Due,
  listRetention,
  type Retention,
  type RuleChange,
  type Tenant,
} from '../../team/admin/index.ts';
import type { Sql } from '../../team/database/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { agreed, levelOf, nameOfLevel, print, withTenant, wordsOf } from './action.ts';

export async function runMost(input: CommandInput): Promise<void> {
  const [word = ''] = wordsOf(input, 'most', 'LEVEL');
  const level = levelOf(word);
  const answer = await withTenant(input, (sql, tenant) => askAndChange(input, sql, tenant, { kind: 'most', level }));
  const { due, isChanged } = answer;
  await print(input, { level: word, due, dryRun: !isChanged }, [
    `the store ${isChanged ? 'accepts' : 'would accept'} ${nameOfLevel(level)} at most`,
    dueText(due),
  ]);
}

export async function runRetain(input: CommandInput): Promise<void> {
  if (input.words.length === 0) return list(input);
  const [word = ''] = wordsOf(input, 'retain', 'DAYS');
  const days = word === 'off' ? undefined : daysOf(word);
  const named = textFlag(input.flags, 'level');
  const level = named === undefined ? undefined : levelOf(named);
  await withTenant(input, async (sql, tenant) => {
    const { due, isChanged } = await askAndChange(input, sql, tenant, { kind: 'retain', level, days });
    const retention = await listRetention(sql, tenant);
    await print(input, { retention: retentionJson(retention), due, dryRun: !isChanged }, [
      ...(isChanged ? retentionLines(retention) : ['nothing is changed']),
      dueText(due),
    ]);
  });
}

async function list(input: CommandInput): Promise<void> {
  const retention = await withTenant(input, (sql, tenant) => listRetention(sql, tenant));
  await print(input, { retention: retentionJson(retention), due: null, dryRun: false }, retentionLines(retention));
}

function daysOf(word: string): number {
  const [, count = '', unit] = /^(\d{1,5})([dw])$/.exec(word) ?? [];
  const days = Number(count) * (unit === 'w' ? 7 : 1);
  if (days === 0) throw new UserError(`"${word}" is not a time to keep rows`, 'for example 90d, 52w, or off');
  return days;
}

export function retentionJson(retention: readonly Retention[]): object {
  return retention.map(({ level, days }) => ({ level: nameOfLevel(level), days }));
}

export function retentionLines(retention: readonly Retention[]): readonly string[] {
  if (retention.length === 0) return ['everything is kept until its person removes it'];
  return retention.map(({ level, days }) => {
    const what = level === 1 ? 'everything' : `${nameOfLevel(level)} and above`;
    return `${what} is removed ${counted(days, 'day')} after the end of its session`;
  });
}

interface RuleAnswer {
  readonly due: Due;
  readonly isChanged: boolean;
}

async function askAndChange(input: CommandInput, sql: Sql, tenant: Tenant, change: RuleChange): Promise<RuleAnswer> {
  const { due } = await changeRule(sql, tenant, change, () => false);
  if (input.flags['dry-run'] === true) return { due, isChanged: false };
  if (due.sessions > 0 && !(await agreed(input, `the next sweep removes rows of ${counted(due.sessions, 'session')}`)))
    throw new UserError('nothing was changed', '--dry-run shows what the rule would do');
  return changeRule(sql, tenant, change, () => true);
}

export function dueText({ sessions, held }: Due): string {
  const rest = held > 0 ? `; ${counted(held, 'session')} on legal hold stay` : '';
  return `the next sweep removes rows of ${counted(sessions, 'session')}${rest}`;
}
