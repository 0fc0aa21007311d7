// Whether one model reads the thinking of another, and for which accounts the API checks the prefix of thinking. This
// applies to the Claude API; clouds differ.
import { modelRowOf } from './facts.ts';
import type { ModelRow } from './model-row.ts';

/** The accounts for which the API checks the prefix of this model's thinking; `undefined` for an unknown model. */
export function prefixCheckOf(model: string): ModelRow['prefixCheck'] | undefined {
  return modelRowOf(model)?.prefixCheck;
}

/**
 * Whether `reader` reads thinking that `writer` wrote. The API drops other thinking without an error. `undefined` if it
 * is not documented, or a model is unknown.
 */
export function readsThinkingOf(reader: string, writer: string): boolean | undefined {
  const [own, other] = [modelRowOf(reader), modelRowOf(writer)];
  if (own === undefined || other === undefined) return undefined;
  const { models = [], lines = [], upTo = '', earlier } = own.reads ?? {};
  if (models.includes(other.id)) return true;
  if (lines.includes(other.line) && releasedOf(other) <= upTo) return true;
  return earlier === 'unknown' && releasedOf(other) < releasedOf(own) && !isReadByFew(other) ? undefined : false;
}

/** The oldest models have no release day in the table. */
function releasedOf({ released = '' }: ModelRow): string {
  return released;
}

/** Models with a fixed list of readers. */
function isReadByFew({ prefixCheck }: ModelRow): boolean {
  return prefixCheck !== 'none';
}
