// The environment → the prices to count with. A file of prices that could not be used is said on stderr.
import { loadPrices } from '../library/prices.ts';
import { PriceList } from '../models/price-list.ts';
import type { CommandIo } from './command.ts';
import { writeNotice } from './notice.ts';

export function currentPrices({ env, stderr }: Pick<CommandIo, 'env' | 'stderr'>): PriceList {
  const prices = loadPrices(env);
  for (const notice of prices.notices) writeNotice(stderr, notice);
  return new PriceList(prices);
}
