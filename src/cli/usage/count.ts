// The part of the lean `clew usage` that is needed if a transcript has changed.
import { optimiseLess } from '../../base/process/index.ts';
import { type CountedUsage, UsageStore } from '../../library/usage/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { TranscriptFiles } from '../../store/index.ts';

/** `undefined` if there is a problem to report. */
export function countUsage(
  place: { readonly folder: string; readonly roots: readonly string[] },
  prices: PriceList,
  found: TranscriptFiles,
): CountedUsage | undefined {
  optimiseLess();
  const store = new UsageStore(place);
  const { problems, saveError } = store.update({ prices, found });
  return problems.length > 0 || saveError !== undefined ? undefined : store;
}
