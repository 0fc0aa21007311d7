// A usage report, or receipts → what `--json` prints (docs/json.md).

import { isoDate } from '../../base/json/index.ts';
import { billedTokens, sumOfTokens } from '../../format/entry/index.ts';
import {
  type BlockPace,
  byModel,
  type Receipt,
  type Receipts,
  type ReportKind,
  sumMessages,
  type UsageReport,
  type UsageRow,
  type UsageSum,
} from '../../library/usage/index.ts';
import type { DroppedLine } from '../../session/usage/index.ts';
import { usdOf } from '../render/index.ts';

export interface ReportJsonOptions {
  readonly pricesVersion: string;
  readonly breakdown: boolean;
  readonly kind: ReportKind;
  /** Of the session report, by session id. */
  readonly titles?: ReadonlyMap<string, string>;
  /** Each row has the person whose sessions it counts, or null for several. */
  readonly namesPeople?: boolean;
}

export function reportJson(
  report: UsageReport,
  { pricesVersion, breakdown, titles, namesPeople = false }: ReportJsonOptions,
): object {
  return {
    rows: report.rows.map((row) => ({
      ...rowJson(row, titles === undefined ? {} : { title: titles.get(row.key) ?? null }),
      ...(row.block === undefined ? {} : blockJson(row.block)),
      ...(breakdown ? { models: byModel(row.cells).map((model) => rowJson(model)) } : {}),
      ...(namesPeople ? { person: personOf(row) } : {}),
    })),
    totals: sumJson(report.totals),
    unpricedModels: report.unpricedModels,
    unpriced: report.unpriced.map(({ model, ...sums }) => ({ model: model === '' ? null : model, ...sums })),
    pricesVersion,
  };
}

export function receiptsJson({ receipts, synthetic }: Receipts, pricesVersion: string): object {
  return {
    receipts: receipts.map(receiptJson),
    synthetic: synthetic.map(lineJson),
    totals: sumJson(sumMessages(receipts.map(({ message }) => message))),
    pricesVersion,
  };
}

function blockJson({ endsAt, isActive, pace }: NonNullable<UsageRow['block']>): object {
  return { endsAt: isoDate(endsAt), isActive, pace: pace === undefined ? null : paceJson(pace) };
}

function paceJson(pace: BlockPace): object {
  return {
    costMicroUsdPerHour: pace.costMicroUsdPerHour ?? null,
    costUsdPerHour: usdOf(pace.costMicroUsdPerHour),
    tokensPerHour: pace.tokensPerHour,
    projectedCostMicroUsd: pace.projectedCostMicroUsd ?? null,
    projectedCostUsd: usdOf(pace.projectedCostMicroUsd),
    projectedTokens: pace.projectedTokens,
  };
}

function personOf({ cells }: UsageRow): string | null {
  const people = new Set(cells.map(({ session }) => session.person));
  return people.size === 1 ? ([...people][0] ?? null) : null;
}

function rowJson(row: UsageRow, names: object = {}): object {
  return { key: row.key === '' ? null : row.key, ...names, ...sumJson(row) };
}

export function sumJson(sum: UsageSum): object {
  return {
    inputTokens: sum.inputTokens,
    outputTokens: sum.outputTokens,
    cacheReadTokens: sum.cacheReadTokens,
    cacheWrite5mTokens: sum.cacheWrite5mTokens,
    cacheWrite1hTokens: sum.cacheWrite1hTokens,
    totalTokens: sumOfTokens(sum),
    costMicroUsd: sum.costMicroUsd ?? null,
    costUsd: usdOf(sum.costMicroUsd),
    messages: sum.messages,
    unpricedMessages: sum.unpricedMessages,
    unpricedTokens: sum.unpricedTokens,
    outputIsLowerBound: sum.outputIsLowerBound,
  };
}

function receiptJson({ message, dropped }: Receipt): object {
  const { line, usage, session } = message;
  const tokens = billedTokens(usage);
  return {
    path: line.file,
    line: line.line,
    sessionId: session.sessionId,
    messageId: line.messageId ?? null,
    requestId: line.requestId ?? null,
    model: line.model ?? null,
    timestamp: isoDate(line.time),
    inputTokens: tokens.inputTokens,
    outputTokens: tokens.outputTokens,
    cacheReadTokens: tokens.cacheReadTokens,
    cacheWrite5mTokens: tokens.cacheWrite5mTokens,
    cacheWrite1hTokens: tokens.cacheWrite1hTokens,
    webSearches: usage.webSearches,
    isFast: usage.fast,
    isUsOnly: usage.usOnly,
    isBatch: usage.batch,
    compactions: usage.compactions.length,
    costMicroUsd: message.costMicroUsd ?? null,
    costUsd: usdOf(message.costMicroUsd),
    outputIsLowerBound: message.isLowerBound,
    dropped: dropped.map(lineJson),
  };
}

function lineJson({ line, reason }: DroppedLine): object {
  return { path: line.file, line: line.line, outputTokens: line.usage.outputTokens, reason };
}
