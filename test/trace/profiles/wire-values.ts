// A span on the wire as one plain object, for comparing.
import type { Wire, WireAttribute } from '../../../src/trace/span/span.ts';

export function valuesOf(attributes: readonly WireAttribute[] | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries((attributes ?? []).map(({ key, value }) => [key, value]));
}

/** Name, kind and status with the attributes. */
export function spanValues(wire: Wire, index = 0): Readonly<Record<string, unknown>> {
  const span = wire.spans[index];
  const { code, message } = span?.status ?? {};
  return {
    name: span?.name,
    kind: span?.kind,
    ...(code === 0 ? {} : { status: [code, message] }),
    ...valuesOf(span?.attributes),
  };
}
