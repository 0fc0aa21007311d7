// Two models' names → whether one reads the thinking of the other, and who checks that thinking stands behind the prefix
// that produced it. All of it holds for the Claude API; clouds differ.
import { modelRowOf } from './facts.ts';
import type { ModelRow } from './model-row.ts';

/** For which accounts the API checks the prefix of this model's thinking; `undefined` for a model that is not known. */
export function prefixCheckOf(model: string): ModelRow['prefixCheck'] | undefined {
  return modelRowOf(model)?.prefixCheck;
}

/**
 * Whether `reader` reads thinking that `writer` wrote. What it does not read is dropped from the request, without an
 * error. `undefined` where the documentation does not say, or a model is not known.
 */
export function readsThinkingOf(reader: string, writer: string): boolean | undefined {
  const [own, other] = [modelRowOf(reader), modelRowOf(writer)];
  if (own === undefined || other === undefined) return undefined;
  const { models = [], lines = [], upTo = '', earlier } = own.reads ?? {};
  if (models.includes(other.id)) return true;
  if (lines.includes(other.line) && releasedOf(other) <= upTo) return true;
  return earlier === 'unknown' && releasedOf(other) < releasedOf(own) && !isReadByFew(other) ? undefined : false;
}

/** The oldest models have no day in the table. */
function releasedOf({ released = '' }: ModelRow): string {
  return released;
}

/** Models that name their readers: nobody else reads them. */
function isReadByFew({ prefixCheck }: ModelRow): boolean {
  return prefixCheck !== 'none';
}
