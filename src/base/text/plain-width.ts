// The width of common characters without Unicode tables, which take tens of milliseconds to load and would delay the
// first frame of a screen.

/** The width of a UTF-16 code unit that never combines with another one, otherwise 0. */
export function plainWidth(code: number): number {
  if (code < 0x7f) return code >= 0x20 ? 1 : 0;
  if (code >= 0x00c0 && code <= 0x024f) return 1;
  if (code >= 0x2500 && code <= 0x257f) return 1;
  if (narrowSigns.has(code)) return 1;
  if (code >= 0x3001 && code <= 0x3029) return 2;
  if ((code >= 0x3041 && code <= 0x3096) || (code >= 0x30a1 && code <= 0x30fa)) return 2;
  if ((code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return 2;
  return code >= 0xff01 && code <= 0xff60 ? 2 : 0;
}

/** Symbols that Clew prints. */
const narrowSigns: ReadonlySet<number> = new Set([...'·…›◆●❯✓▸↳⋮'].map((sign) => sign.charCodeAt(0)));

/** The width of a text without its colours; `undefined` if it needs the tables. */
export function plainColumns(text: string): number | undefined {
  const plain = text.includes('\x1b') ? text.replace(/\x1b\[[0-9;]*m/g, '') : text;
  let columns = 0;
  for (let at = 0; at < plain.length; at++) {
    const width = plainWidth(plain.charCodeAt(at));
    if (width === 0) return undefined;
    columns += width;
  }
  return columns;
}
