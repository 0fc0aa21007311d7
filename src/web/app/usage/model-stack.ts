// Rows of a report → the models that get a colour of their own, and the pieces of each bar.
import type { ModelShare } from '../../wire/index.ts';
import type { Measure } from './usage-address.ts';

/** As many as the style sheet has colours for; the others share the last one. */
export const maxModels = 5;

export interface Piece {
  /** Its place in the list of models; `maxModels` for all others together. */
  readonly colour: number;
  readonly amount: number;
}

/** The largest first. */
export function stackedModels(
  rows: readonly { readonly models: readonly ModelShare[] }[],
  measure: Measure,
): readonly string[] {
  const sums = new Map<string, number>();
  for (const { models } of rows)
    for (const share of models) sums.set(nameOf(share), (sums.get(nameOf(share)) ?? 0) + amountOf(share, measure));
  return [...sums]
    .filter(([, sum]) => sum > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => name);
}

/** From the bottom up, in the order of the list. */
export function piecesOf(shares: readonly ModelShare[], models: readonly string[], measure: Measure): readonly Piece[] {
  const amounts = new Array<number>(maxModels + 1).fill(0);
  for (const share of shares) {
    const place = models.indexOf(nameOf(share));
    const colour = place < 0 || place >= maxModels ? maxModels : place;
    amounts[colour] = (amounts[colour] ?? 0) + amountOf(share, measure);
  }
  return amounts.map((amount, colour) => ({ colour, amount })).filter(({ amount }) => amount > 0);
}

function nameOf({ model }: ModelShare): string {
  return model ?? 'unknown model';
}

function amountOf({ costMicroUsd, tokens }: ModelShare, measure: Measure): number {
  return measure === 'cost' ? (costMicroUsd ?? 0) : tokens;
}
