// clew usage as a lean command, if its output is not for a terminal: JSON, or the table in a pipe or a file. The full command
// takes over for other flags, and whenever there is more to say than the report.
import { existsSync, fstatSync, statSync } from 'node:fs';
import { jsonText } from '../../base/json/index.ts';
import {
  cellsOf,
  createCalendar,
  loadPrices,
  makeReport,
  type ReportKind,
  readCurrent,
  reportKinds,
  usageFolder,
} from '../../library/usage/index.ts';
import { PriceList } from '../../models/index.ts';
import { resolveRoots, stateFolder } from '../../store/index.ts';
import { ageWarning } from '../input/index.ts';
import { createStyle, safeText, terminalWidth } from '../terminal/index.ts';
import { reportJson } from './json.ts';
import { usageTable } from './render.ts';

export async function runLean(args: readonly string[]): Promise<string | undefined> {
  const { env } = process;
  const question = questionOf(args);
  const state = stateFolder(env);
  if (question === undefined || (!question.json && !isForFile(env))) return undefined;
  // Reading everything may take a while, and the full command shows how far it is.
  if (!existsSync(usageFolder(state)) && isTerminal(2)) return undefined;
  const prices = new PriceList(loadPrices(env));
  const { version: pricesVersion, notices } = prices.prices;
  if (notices.length > 0 || ageWarning(prices.prices, Date.now()) !== undefined) return undefined;
  const place = { folder: state, roots: resolveRoots({ env }) };
  const { found, usage: current } = readCurrent(place, prices.prices);
  if (found.problems.length > 0) return undefined;
  const usage = current ?? (await import('./count.ts')).countUsage(place, prices, found);
  if (usage === undefined) return undefined;
  const { kind, breakdown } = question;
  const report = makeReport(cellsOf(usage), { kind, calendar: createCalendar(), nowMs: Date.now() });
  if (report.rows.length === 0 && !question.json) return undefined;
  if (question.json) {
    const json = { ...reportJson(report, { pricesVersion, breakdown, kind }), unread: [] };
    return safeText(`${jsonText(json, 2)}\n`);
  }
  const width = terminalWidth({ isTTY: false }, env);
  const style = createStyle(false);
  return safeText(usageTable(report, { kind, breakdown, pricesVersion, width, style }), style);
}

interface Question {
  readonly kind: ReportKind;
  readonly json: boolean;
  readonly breakdown: boolean;
}

function questionOf(args: readonly string[]): Question | undefined {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const kind = reportKinds.find((each) => each === (words[0] ?? 'daily'));
  // Titles are in the index.
  if (
    kind === undefined ||
    kind === 'session' ||
    words.length > 1 ||
    flags.some((flag) => flag !== '--json' && flag !== '--breakdown')
  )
    return undefined;
  return { kind, json: flags.includes('--json'), breakdown: flags.includes('--breakdown') };
}

/** Not for a terminal, which may want a pager and colours. */
function isForFile(env: NodeJS.ProcessEnv): boolean {
  return !isTerminal(1) && env.FORCE_COLOR === undefined && env.CLICOLOR_FORCE === undefined;
}

/** Without `node:tty`, which loads streams and sockets: a character device that is not the null device. */
function isTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
  } catch {
    return true; // unknown: the full command decides
  }
}
