// What a reader reports about bad data. Codes are stable; L- codes are about lines, G- codes about the graph.

/** Something wrong in a transcript, and where. */
export interface Diagnostic {
  readonly code: string;
  readonly line: number;
  readonly offset: number;
  readonly message: string;
}

/** Common in intact files, so they do not count as damage. */
const harmlessCodes: ReadonlySet<string> = new Set(['L-no-newline', 'L-crlf', 'L-bom']);

export function isDamage(diagnostic: Diagnostic): boolean {
  return !harmlessCodes.has(diagnostic.code);
}
