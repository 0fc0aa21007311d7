// The width of common characters without Unicode tables, which take tens of milliseconds to load and would delay the
// first frame of a screen.

/** The width of a UTF-16 code unit that never combines with another one of these, otherwise 0. */
export function plainWidth(code: number): number {
  widths ??= widthTable();
  return widths[code] ?? 0;
}

/** By code unit. */
let widths: Uint8Array | undefined;

function widthTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [first, last, width] of ranges) table.fill(width, first, last + 1);
  return table;
}

/** First, last, width. */
const ranges: readonly (readonly [number, number, 1 | 2])[] = [
  [0x0020, 0x007e, 1],
  [0x00a1, 0x00ac, 1], // signs of Latin-1, without the soft hyphen
  [0x00ae, 0x024f, 1], // Latin
  [0x0370, 0x0482, 1], // Greek, Cyrillic
  [0x048a, 0x052f, 1],
  [0x2010, 0x2027, 1], // dashes, quotation marks, the ellipsis
  [0x2030, 0x205e, 1],
  [0x20a0, 0x20bf, 1], // currencies
  [0x2100, 0x22ff, 1], // letter-like signs, arrows, mathematics
  [0x2500, 0x25fc, 1], // lines, blocks, shapes
  [0x2713, 0x2713, 1], // ✓
  [0x276f, 0x276f, 1], // ❯
  [0x3001, 0x3029, 2], // CJK
  [0x3041, 0x3096, 2],
  [0x30a1, 0x30fe, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2],
  [0xff01, 0xff60, 2],
];

/** The width of a cluster that is one of the usual emoji, otherwise 0. */
export function emojiWidth(cluster: string): number {
  const code = cluster.codePointAt(0) ?? 0;
  if (cluster.length !== (code > 0xffff ? 2 : 1)) return 0;
  return wideSigns.has(code) || wideRanges.some(([first, last]) => code >= first && code <= last) ? 2 : 0;
}

const wideSigns: ReadonlySet<number> = new Set([...'✅✨❌⭐⚡❗❓'].map((sign) => sign.charCodeAt(0)));
const wideRanges: readonly (readonly [first: number, last: number])[] = [
  [0x1f300, 0x1f320],
  [0x1f337, 0x1f37c],
  [0x1f3a0, 0x1f3ca],
  [0x1f3f8, 0x1f43e],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f947, 0x1f9ff],
];

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
