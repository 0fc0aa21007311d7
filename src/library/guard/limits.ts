// The limits that the user set for spending: a small file in Clew's own folder, so that the hooks in settings.json stay as
// they are when a limit changes. Amounts are dollars in the file and on the command line, micro-dollars everywhere else.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { makeFolderSync, readRegularText } from '../../base/files/index.ts';
import { asObject, asString, type JsonObject, jsonText, parseJson } from '../../base/json/index.ts';
import { diskError, privateFileMode } from '../../store/index.ts';

/** What a limit is for: the local day, a session with its sub-agents, or the 5-hour block of `clew usage blocks`. */
export const guardPeriods = ['day', 'session', 'block'] as const;
export type GuardPeriod = (typeof guardPeriods)[number];

export interface GuardLimits {
  /** Micro-dollars; reaching it is a notice. */
  readonly soft: number | undefined;
  /** Micro-dollars; reaching it blocks. */
  readonly hard: number | undefined;
  readonly per: GuardPeriod;
  /** Of the days; by default that of the machine. */
  readonly timeZone: string | undefined;
}

export function guardFile(state: string): string {
  return path.join(state, 'guard.json');
}

/** `undefined` if the user has set none. */
export function readGuard(state: string): GuardLimits | undefined {
  const file = guardFile(state);
  let text: string;
  try {
    text = readRegularText(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw diskError(error, 'read', file);
  }
  const value = asObject(parseJson(text));
  if (value === undefined) throw new UserError(`${file} is not JSON`, setHint);
  try {
    return limitsFrom({
      soft: amountIn(value, 'soft'),
      hard: amountIn(value, 'hard'),
      per: textIn(value, 'per'),
      timeZone: textIn(value, 'timezone'),
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${file} cannot be used: ${error.message.split('; ')[0]}`, setHint);
  }
}

const setHint = 'run `clew guard set --soft 5 --hard 15`';

export interface LimitWords {
  readonly soft: string | undefined;
  readonly hard: string | undefined;
  readonly per: string | undefined;
  readonly timeZone: string | undefined;
}

export function limitsFrom(words: LimitWords, usual?: GuardLimits): GuardLimits {
  const soft = words.soft === undefined ? usual?.soft : parseAmount(words.soft, '--soft');
  const hard = words.hard === undefined ? usual?.hard : parseAmount(words.hard, '--hard');
  if (soft !== undefined && hard !== undefined && soft > hard)
    throw new UserError(
      `the soft limit ${amountText(soft)} is above the hard limit ${amountText(hard)}`,
      'give a lower --soft or a higher --hard',
    );
  const per = guardPeriods.find((each) => each === (words.per ?? usual?.per ?? 'day'));
  if (per === undefined)
    throw new UserError(`--per takes day, session or block, not "${words.per}"`, 'for example --per day');
  const timeZone = words.timeZone ?? usual?.timeZone;
  return { soft, hard, per, timeZone };
}

/** Dollars, such as `5`, `0.50` or `$5` → micro-dollars. */
export function parseAmount(text: string, flag: string): number {
  const [, dollars] = /^\$?(\d{1,7}(?:\.\d{1,6})?)$/.exec(text.trim()) ?? [];
  const amount = dollars === undefined ? 0 : Math.round(Number(dollars) * 1e6);
  if (amount > 0) return amount;
  throw new UserError(`${flag} takes an amount in dollars above 0, not "${text}"`, `for example ${flag} 5 or 2.50`);
}

/** `$5`, `$2.50`, `$0.0031`: no digit that matters is lost. */
export function amountText(microUsd: number): string {
  const dollars = microUsd / 1e6;
  if (Number.isInteger(dollars)) return `$${dollars}`;
  return `$${dollars.toFixed(microUsd % 10_000 === 0 ? 2 : microUsd % 100 === 0 ? 4 : 6)}`;
}

export function writeGuard(state: string, { soft, hard, per, timeZone }: GuardLimits): void {
  const file = guardFile(state);
  const value = {
    ...(soft === undefined ? {} : { soft: soft / 1e6 }),
    ...(hard === undefined ? {} : { hard: hard / 1e6 }),
    per,
    ...(timeZone === undefined ? {} : { timezone: timeZone }),
  };
  const temporary = `${file}.${process.pid}-${Date.now().toString(36)}`;
  try {
    makeFolderSync(state);
    writeFileSync(temporary, `${jsonText(value, 2)}\n`, { mode: privateFileMode });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskError(error, 'write', file);
  }
}

/** Returns whether there were limits. */
export function removeGuard(state: string): boolean {
  const file = guardFile(state);
  try {
    rmSync(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw diskError(error, 'write', file);
  }
}

function amountIn(value: JsonObject, name: string): string | undefined {
  const amount = value[name];
  if (amount === undefined || amount === null) return undefined;
  return typeof amount === 'number' ? plainNumber(amount) : String(amount);
}

/** Not `1e-7`. */
function plainNumber(amount: number): string {
  return Number.isInteger(amount) ? String(amount) : amount.toFixed(6);
}

function textIn(value: JsonObject, name: string): string | undefined {
  const text = value[name];
  return text === undefined || text === null ? undefined : (asString(text) ?? String(text));
}
