// Finds placeholders in a text, which are never redacted again.
const placeholder = /\[redacted:([a-z0-9-]{1,60}):\d{1,9}\]/g;

export interface Span {
  readonly start: number;
  readonly end: number;
}

export function writePlaceholder(kind: string, number: number): string {
  return `[redacted:${kind}:${number}]`;
}

/** The spans that do not overlap a placeholder partly; a span may include a whole one. */
export function sparePlaceholders<T extends Span>(text: string, spans: readonly T[]): T[] {
  if (spans.length === 0 || !text.includes('[redacted:')) return [...spans];
  const taken = [...text.matchAll(placeholder)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
  return spans.filter((span) => !cutsInto(span, taken));
}

/** With repetitions. */
export function placeholdersIn(text: string): { readonly kind: string; readonly placeholder: string }[] {
  if (!holdsPlaceholder(text)) return [];
  return [...text.matchAll(placeholder)].map(([found, kind = '']) => ({ kind, placeholder: found }));
}

export function holdsPlaceholder(text: string): boolean {
  return text.includes('[redacted:');
}

/** Binary search for the first placeholder that ends after the start of the span. */
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
