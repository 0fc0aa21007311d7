// Session ids → their shortest unique prefixes of at least eight characters.

export function shortIds(ids: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return new Map(
    sorted.map((id, i) => {
      const shared = Math.max(sharedLength(id, sorted[i - 1] ?? ''), sharedLength(id, sorted[i + 1] ?? ''));
      return [id, id.slice(0, Math.max(minLength, shared + 1))];
    }),
  );
}

const minLength = 8;

/** Ignores case, as the lookup of ids does. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]?.toLowerCase() === b[length]?.toLowerCase()) length++;
  return length;
}
