// Tokens and cost of the visible sessions: the same figures as `clew usage` has for them.

import type { Environment } from '../../base/node/index.ts';
import { counted } from '../../base/text/index.ts';
import { parseMoment, type TimeWords } from '../../base/time/index.ts';
import {
  cellsOf,
  createCalendar,
  loadPrices,
  makeCells,
  makeReport,
  passes,
  pricedMessages,
  type UsageSession,
  UsageStore,
  type UsageSum,
} from '../../library/usage/index.ts';
import { PriceList } from '../../models/index.ts';
import type { UsageQuestion } from '../questions/index.ts';
import { formatReference, sessionPart } from '../reference/index.ts';
import { Answer, type SecretFilter } from '../text/index.ts';

export interface UsagePlace {
  readonly roots: readonly string[];
  /** `undefined` keeps the counts nowhere. */
  readonly folder: string | undefined;
  readonly env: Environment;
}

export function usageAnswer(
  { roots, folder, env }: UsagePlace,
  { by, since, until, tokens }: UsageQuestion,
  isWanted: (session: UsageSession) => boolean,
  secrets: SecretFilter,
): string {
  const prices = new PriceList(loadPrices(env));
  const store = new UsageStore({ folder, roots });
  store.update({ prices });
  const calendar = createCalendar(undefined);
  const [from, to] = [since, until].map((text, i) =>
    text === undefined ? undefined : parseMoment(text, i === 0 ? 'since' : 'until', { dayOf: calendar.dayOf }),
  );
  const filter = {
    since: from?.day,
    until: to?.day,
    sinceMs: momentOf(from),
    untilMs: momentOf(to),
    isWanted,
    calendar,
  };
  // Cells are too coarse for moments.
  const cells =
    filter.sinceMs === undefined && filter.untilMs === undefined
      ? cellsOf(store).filter((cell) => passes(filter, cell, cell.session))
      : makeCells(pricedMessages(store, prices).filter(({ line, session }) => passes(filter, line, session)));
  const { rows, totals } = makeReport(cells, { kind: by, calendar: filter.calendar, nowMs: Date.now() });
  const answer = new Answer(tokens);
  answer.say(`total: ${sumText(totals)}`);
  answer.say(`prices of ${prices.prices.version}; the calling session is not counted`);
  // The newest days and the largest sessions are what is asked for.
  const isByTime = by === 'daily' || by === 'weekly' || by === 'monthly' || by === 'blocks';
  const order = isByTime
    ? [...rows].reverse()
    : [...rows].sort((a, b) => (b.costMicroUsd ?? 0) - (a.costMicroUsd ?? 0));
  for (const [i, row] of order.entries()) {
    const isRecorded = by === 'project' || by === 'model';
    const key = by === 'session' ? formatReference(sessionPart(row.key)) : secrets.line(row.key, 120) || 'unknown';
    const line = `${key}: ${sumText(row)}`;
    if (isRecorded ? !answer.quoteLine(line) : !answer.say(line))
      return answer.end(`cut: ${counted(order.length - i, 'row')} left out; narrow with since and until`);
  }
  return answer.end();
}

function momentOf(words: TimeWords | undefined): number | undefined {
  return words?.day === undefined ? words?.time : undefined;
}

/** With every digit, so that it can be compared. */
function sumText(sum: UsageSum): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, costMicroUsd } = sum;
  const cost = costMicroUsd === undefined ? 'no price' : `$${(costMicroUsd / 1e6).toFixed(6)}`;
  const parts = [
    cost,
    `in ${inputTokens}`,
    `out ${outputTokens}`,
    `cache read ${cacheReadTokens}`,
    `cache write ${cacheWrite5mTokens + cacheWrite1hTokens}`,
    `${sum.messages} messages`,
  ];
  if (sum.unpricedMessages > 0) parts.push(`${sum.unpricedMessages} without a price`);
  return parts.join(', ');
}
