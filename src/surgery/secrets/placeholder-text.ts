// Text → where placeholders stand in it already. What is redacted stays as it is, whatever rule would match it.
const placeholder = /\[redacted:([a-z0-9-]{1,60}):\d{1,9}\]/g;

export interface Span {
  readonly start: number;
  readonly end: number;
}

export function writePlaceholder(kind: string, number: number): string {
  return `[redacted:${kind}:${number}]`;
}

/** The spans that do not cut into a placeholder; one may hold a whole placeholder within it. */
export function sparePlaceholders<T extends Span>(text: string, spans: readonly T[]): T[] {
  if (spans.length === 0 || !text.includes('[redacted:')) return [...spans];
  const taken = [...text.matchAll(placeholder)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
  return spans.filter((span) => !cutsInto(span, taken));
}

/** Each as often as it stands there. */
export function placeholdersIn(text: string): { readonly kind: string; readonly placeholder: string }[] {
  if (!holdsPlaceholder(text)) return [];
  return [...text.matchAll(placeholder)].map(([found, kind = '']) => ({ kind, placeholder: found }));
}

export function holdsPlaceholder(text: string): boolean {
  return text.includes('[redacted:');
}

/** The placeholders are in order, so the first that ends behind the start of the span is looked for by halving. */
function cutsInto(span: Span, taken: readonly Span[]): boolean {
  let low = 0;
  let high = taken.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((taken[middle]?.end ?? 0) <= span.start) low = middle + 1;
    else high = middle;
  }
  const first = taken[low];
  if (first !== undefined && first.start < span.start) return true;
  for (let i = low; i < taken.length; i++) {
    const next = taken[i] as Span; // i is in range
    if (next.start >= span.end) return false;
    if (next.end > span.end) return true;
  }
  return false;
}
