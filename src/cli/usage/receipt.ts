// Receipts → lines for the user: each message with what it costs and where it counts, below it the lines that do not.

import { counted, formatCount, neutralise, oneLine } from '../../base/text/index.ts';
import { billedTokens } from '../../format/entry/index.ts';
import { type Receipt, type Receipts, sumMessages } from '../../library/usage/index.ts';
import type { DroppedLine, DropReason, UsageLine } from '../../session/usage/index.ts';
import { costText, formatCost, localTime, unpricedText } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';

export interface ReceiptTextOptions {
  readonly style: Style;
  readonly pricesVersion: string;
}

/** Names and ids of the API are shorter; what a transcript says instead may be anything. */
const nameColumns = 60;

export function* receiptLines(found: Receipts, { style, pricesVersion }: ReceiptTextOptions): Generator<string> {
  for (const receipt of found.receipts) yield `${receiptText(receipt, style)}\n`;
  if (found.synthetic.length > 0) {
    yield `${style.muted('made by the client, not by a model')}\n`;
    for (const drop of found.synthetic) yield `${dropText(drop, style)}\n`;
  }
  const sum = sumMessages(found.receipts.map(({ message }) => message));
  const dropped = found.receipts.reduce((total, receipt) => total + receipt.dropped.length, found.synthetic.length);
  const lines = `${counted(sum.messages, 'message')} counted, ${counted(dropped, 'line')} dropped`;
  const out = `${sum.outputIsLowerBound ? '≥ ' : ''}${formatCount(sum.outputTokens)} out`;
  const cost = [costText(sum), unpricedText(sum)].filter((text) => text !== '').join(' ');
  yield `\n${style.bold(`${lines}: ${out}, ${cost}`)}\n`;
  yield `${style.muted(`prices of ${pricesVersion}`)}\n`;
}

function receiptText({ message, dropped }: Receipt, style: Style): string {
  const { line, usage, costMicroUsd, isLowerBound } = message;
  const billed = billedTokens(usage);
  const written = billed.cacheWrite5mTokens + billed.cacheWrite1hTokens;
  const tokens = [
    `${formatCount(billed.inputTokens)} in`,
    `${isLowerBound ? '≥ ' : ''}${formatCount(billed.outputTokens)} out`,
    ...(billed.cacheReadTokens > 0 ? [`${formatCount(billed.cacheReadTokens)} cache read`] : []),
    ...(written > 0 ? [writtenText(billed.cacheWrite5mTokens, billed.cacheWrite1hTokens)] : []),
    ...(usage.webSearches > 0 ? [counted(usage.webSearches, 'web search', 'web searches')] : []),
    ...(usage.fast ? ['fast'] : []),
    ...(usage.usOnly ? ['in the US only'] : []),
    ...(usage.batch ? ['batch'] : []),
    ...(usage.compactions.length > 0 ? [`${counted(usage.compactions.length, 'compaction')} by the API included`] : []),
  ].join(', ');
  const cost = costMicroUsd === undefined ? 'unpriced' : formatCost(costMicroUsd);
  const what = `${localTime(line.time) || 'no time'}  ${oneLine(line.model ?? 'no model', nameColumns)}`;
  const name = oneLine(line.messageId ?? line.uuid ?? '', nameColumns);
  return [
    `${style.bold(what)}  ${style.accent(name)}`,
    `  ${style.ok('counted')} ${safe(linePlace(line))}  ${tokens}  ${cost}`,
    ...dropped.map((drop) => dropText(drop, style)),
  ].join('\n');
}

function writtenText(minutes: number, hour: number): string {
  const parts = [
    ...(minutes > 0 ? [`${formatCount(minutes)} cache write for 5 min`] : []),
    ...(hour > 0 ? [`${formatCount(hour)} cache write for 1 h`] : []),
  ];
  return parts.join(', ');
}

function dropText({ line, reason }: DroppedLine, style: Style): string {
  const out = `${formatCount(line.usage.outputTokens)} out`;
  return style.muted(`  dropped ${safe(linePlace(line))}  ${out}  ${reasonTexts[reason]}`);
}

const reasonTexts: Readonly<Record<DropReason, string>> = {
  'smaller-line': 'another line of the message says more',
  copy: 'a copy: it counts where it was first',
  synthetic: 'made by the client',
};

function linePlace({ file, line }: UsageLine): string {
  return `${file}:${line}`;
}

/** Names come from transcripts and from the disk. */
function safe(text: string): string {
  return neutralise(text).replace(/\s/g, ' ');
}
