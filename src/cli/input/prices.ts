// The environment → the prices for costs. Price files that cannot be used are reported on stderr.
import { loadPrices } from '../../library/usage/index.ts';
import { PriceList, type Prices } from '../../models/index.ts';
import type { CommandIo } from '../command/index.ts';
import { writeNotice } from '../terminal/index.ts';

/** Older tables are likely to miss models and prices. */
const oldDays = 60;
const dayMs = 24 * 60 * 60 * 1000;

export function ageInDays({ day }: Prices, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(day)) / dayMs));
}

export function ageWarning(prices: Prices, nowMs: number): string | undefined {
  const days = ageInDays(prices, nowMs);
  if (days <= oldDays) return undefined;
  return `the prices are from ${prices.day}, ${days} days old; \`clew prices update FILE\` replaces them`;
}

export function currentPrices({ env, stderr }: Pick<CommandIo, 'env' | 'stderr'>): PriceList {
  const prices = loadPrices(env);
  for (const notice of prices.notices) writeNotice(stderr, notice);
  return new PriceList(prices);
}
