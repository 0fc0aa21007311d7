// clew usage: tokens and cost of all sessions, grouped as asked, as a table, as JSON, or with the lines that were counted.
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { parseMoment, type TimeWords } from '../../base/time/index.ts';
import type { LibrarySource } from '../../library/source/index.ts';
import {
  createCalendar,
  findReceipts,
  makeReport,
  type Placed,
  passes,
  pricedMessages,
  type Receipts,
  type ReportKind,
  type RowOrder,
  reportKinds,
  rowKey,
  rowOrders,
  type UsageCell,
  type UsageFilter,
  type UsageReport,
  type UsageRow,
  type UsageSession,
  type UsageStore,
} from '../../library/usage/index.ts';
import type { PriceList } from '../../models/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { ageWarning, currentPrices, currentUsage, nextStep, projectFilter, refuseWithStore } from '../input/index.ts';
import { cellsFor, withSource } from '../source/index.ts';
import { terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { receiptsJson, reportJson } from './json.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const { kind, key, hasReceipts } = questionOf(input);
  refuseWithStore(input, { live: 'the store has only what was pushed', receipts: 'receipts are lines of transcripts' });
  if (flags.live === true) refuseLive(kind, hasReceipts);
  const filter = filterOf(input);
  const order = orderOf(input);
  const report = (cells: readonly UsageCell[]): UsageReport =>
    makeReport(cells, { kind, calendar: filter.calendar, nowMs: Date.now(), order });
  if (hasReceipts || (flags.live === true && flags.json !== true)) {
    const prices = currentPrices(io);
    const store = currentUsage(input, prices);
    if (!hasReceipts) return (await import('./live.ts')).showLive(input, { store, prices, filter });
    const found = report(cellsFor(filter, store, prices));
    const chunks = await receiptChunks(input, { store, kind, key, filter, prices, report: found });
    return print(input, found, chunks, ageWarning(prices.prices, Date.now()));
  }
  await withSource(input, async (source) => {
    const { cells, pricesVersion, warning } = await source.usage({ kind, filter });
    const found = report(cells);
    await print(input, found, await reportChunks(input, source, found, kind, pricesVersion), warning);
  });
}

async function print(
  { flags, io }: CommandInput,
  report: UsageReport,
  chunks: Iterable<string>,
  warning: string | undefined,
): Promise<void> {
  if (report.rows.length > 0 && warning !== undefined) writeNotice(io.stderr, warning);
  await writeOut(chunks, { ...io, pager: flags.json !== true });
}

async function reportChunks(
  input: CommandInput,
  source: LibrarySource,
  report: UsageReport,
  kind: ReportKind,
  pricesVersion: string,
): Promise<readonly string[]> {
  const { flags, io } = input;
  const breakdown = flags.breakdown === true;
  const titles = kind === 'session' && report.rows.length > 0 ? await source.titles() : undefined;
  const named = titles === undefined ? {} : { titles };
  const { namesPeople } = source;
  if (flags.json === true)
    return [jsonLines(input, reportJson(report, { pricesVersion, breakdown, kind, namesPeople, ...named }))];
  if (report.rows.length === 0) return sayNothing(input, source);
  const { usageTable } = await import('./render.ts');
  const width = terminalWidth(io.stdout, io.env);
  return [usageTable(report, { kind, breakdown, pricesVersion, width, style: io.style, ...named })];
}

function jsonLines({ unread }: CommandInput, report: object): string {
  return `${jsonText({ ...report, unread: unread.problems }, 2)}\n`;
}

interface Question {
  readonly kind: ReportKind;
  readonly hasReceipts: boolean;
  readonly key: string | undefined;
}

function questionOf({ argument, flags }: CommandInput): Question {
  let word = argument;
  let key = textFlag(flags, 'receipts');
  // `clew usage --receipts daily`: the name of the report is in the place of a key.
  if (word === undefined && key !== undefined && isKind(key)) [word, key] = [key, undefined];
  const kind = word ?? 'daily';
  if (!isKind(kind)) throw new UserError(`there is no report "${kind}"`, `name one of ${reportKinds.join(', ')}`);
  return { kind, key, hasReceipts: flags.receipts !== undefined };
}

function isKind(word: string): word is ReportKind {
  return (reportKinds as readonly string[]).includes(word);
}

function filterOf(input: CommandInput): UsageFilter {
  const { flags } = input;
  const calendar = createCalendar(textFlag(flags, 'timezone'));
  const timeFlag = (name: string): TimeWords | undefined => {
    const text = textFlag(flags, name);
    return text === undefined ? undefined : parseMoment(text, `--${name}`, { dayOf: calendar.dayOf });
  };
  const [since, until] = [timeFlag('since'), timeFlag('until')];
  const isOfProject = projectFilter(input);
  return {
    since: since?.day,
    until: until?.day,
    sinceMs: since?.day === undefined ? since?.time : undefined,
    untilMs: until?.day === undefined ? until?.time : undefined,
    calendar,
    isWanted: flags.project === undefined ? undefined : ({ cwd, slug }) => isOfProject({ cwd, project: slug }),
  };
}

function refuseLive(kind: ReportKind, hasReceipts: boolean): void {
  if (kind !== 'blocks' || hasReceipts)
    throw new UserError('--live shows the active block only', 'run `clew usage blocks --live`');
}

function orderOf({ flags }: CommandInput): RowOrder | undefined {
  const text = textFlag(flags, 'order');
  const order = rowOrders.find((each) => each === text);
  if (text !== undefined && order === undefined)
    throw new UserError(`--order takes asc or desc, not "${text}"`, 'for example --order desc');
  return order;
}

interface ReceiptQuestion {
  readonly store: UsageStore;
  readonly kind: ReportKind;
  readonly key: string | undefined;
  readonly filter: UsageFilter;
  readonly prices: PriceList;
  readonly report: UsageReport;
}

async function receiptChunks(input: CommandInput, question: ReceiptQuestion): Promise<Iterable<string>> {
  const { io, flags } = input;
  const { store, prices, filter } = question;
  const rows = rowsFor(question);
  const isOfRow = rowFilter(question, rows);
  const isWanted = (placed: Placed, session: UsageSession): boolean =>
    passes(filter, placed, session) && isOfRow(placed, session);
  const messages = pricedMessages(store, prices).filter(({ line, session }) => isWanted(line, session));
  const found: Receipts = findReceipts(store, messages, { prices, isWanted });
  input.unread.add(found.problems);
  if (flags.json === true) return [jsonLines(input, receiptsJson(found, prices.prices.version))];
  const { receiptLines } = await import('./receipt.ts');
  return receiptLines(found, { style: io.style, pricesVersion: prices.prices.version });
}

/** The row that KEY names, in full or by its beginning; all rows without one. */
function rowsFor({ report, key, kind }: ReceiptQuestion): readonly UsageRow[] {
  if (key === undefined) return report.rows;
  const exact = report.rows.filter((row) => row.key === key);
  const found = exact.length > 0 ? exact : report.rows.filter((row) => row.key.startsWith(key));
  if (found.length === 1) return found;
  const what = found.length === 0 ? 'no row' : `${found.length} rows`;
  throw new UserError(`the ${kind} report has ${what} "${key}"`, `run \`clew usage ${kind} --json\` for the keys`);
}

function rowFilter(
  { kind, key, filter }: ReceiptQuestion,
  rows: readonly UsageRow[],
): (placed: Placed, session: UsageSession) => boolean {
  if (key === undefined) return () => true;
  if (kind === 'blocks') {
    return ({ time }) =>
      rows.some(({ key: start, block }) => time >= Date.parse(start) && time < (block?.endsAt ?? Number.NaN));
  }
  const keyOf = rowKey(kind, filter.calendar);
  return (placed, session) => rows.some((row) => row.key === keyOf(placed, session));
}

function sayNothing(input: CommandInput, { place }: LibrarySource): readonly string[] {
  const { flags, io } = input;
  const isNarrowed = ['since', 'until', 'project'].some((name) => flags[name] !== undefined);
  const next = isNarrowed ? '`clew usage` counts all' : '`clew usage --demo` counts the bundled sessions';
  writeNotice(io.stderr, `nothing to count ${place}; ${nextStep(flags, next)}`);
  return [];
}
