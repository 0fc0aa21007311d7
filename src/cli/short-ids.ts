// Session ids → the shortest beginnings, of at least eight characters, that still name one session each.

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

/** Without regard to case, as ids are looked up. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]?.toLowerCase() === b[length]?.toLowerCase()) length++;
  return length;
}
