// Finds text that is encoded in base64 or hex digits: the output of `base64`, `xxd` and `hexdump -C`, values of a Kubernetes
// secret, encoded commands of PowerShell. It may hold secrets like plain text.

export interface EncodedPart {
  readonly start: number;
  readonly end: number;
  /** Decoded. */
  readonly text: string;
}

/** Shorter runs of letters are words far more often than encoded text. */
const shortest = 16;
/** Of one part; longer ones are files. */
const longest = 1 << 20;

/** From left to right, without overlaps. */
export function encodedParts(text: string): EncodedPart[] {
  const dumps = text.includes('00000000') ? hexDumps(text) : [];
  const parts = [...dumps];
  // Every run of this length includes one of these positions, so most characters are skipped.
  for (let at = shortest - 1; at < text.length; ) {
    if (classOf(text.charCodeAt(at)) === 0) {
      at += shortest;
      continue;
    }
    let start = at;
    while (start > 0 && classOf(text.charCodeAt(start - 1)) !== 0) start--;
    const end = endOfRun(text, start);
    if (end - start >= shortest) {
      const part = decodeRun(text, start, end);
      if (part !== undefined && !dumps.some((dump) => part.start < dump.end && dump.start < part.end)) parts.push(part);
      at = (part?.end ?? end) + shortest;
    } else at = end + shortest;
  }
  return parts;
}

/** 0: neither; 1: base64; 2: a hex digit, which is both. */
function classOf(code: number): 0 | 1 | 2 {
  return code < 128 ? (classes[code] as 0 | 1 | 2) : 0;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/[0-9a-fA-F]/.test(letter)) return 2;
  return alphabet.includes(letter) ? 1 : 0;
});
const sextets = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, alphabet.indexOf(String.fromCharCode(code))));

function endOfRun(text: string, start: number): number {
  let end = start;
  while (end < text.length && classOf(text.charCodeAt(end)) !== 0) end++;
  return end;
}

function decodeRun(text: string, start: number, end: number): EncodedPart | undefined {
  if (beginsAsHex(text, start)) {
    const whole = endOfLines(text, start, end, 2);
    const digits = text.slice(start, whole).replace(/\s/g, '');
    if (!/^(?:[0-9a-fA-F]{2})+$/.test(digits)) return undefined;
    return printable(start, whole, Buffer.from(digits, 'hex').toString('utf8'));
  }
  const isWide = beginsAsWide(text, start);
  if (!isWide && !beginsAsText(text, start)) return undefined;
  const last = endOfLines(text, start, end, 4);
  const whole = last + (/^={0,2}/.exec(text.slice(last, last + 2))?.[0].length ?? 0);
  const bytes = Buffer.from(text.slice(start, Math.min(whole, start + longest)), 'base64');
  return printable(start, whole, bytes.toString(isWide ? 'utf16le' : 'utf8'));
}

function printable(start: number, end: number, text: string): EncodedPart | undefined {
  // It may be cut anywhere, also inside a UTF-8 character: only bytes that no text has are refused.
  return /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]|\ufffd[\s\S]*\ufffd/.test(text) ? undefined : { start, end, text };
}

/** `base64` and `xxd -p` break their output into lines of one length, a multiple of `unit`. */
function endOfLines(text: string, start: number, first: number, unit: number): number {
  const width = first - start;
  let end = first;
  while (width % unit === 0 && end - start < longest) {
    const gap = /\r?\n[ \t]{0,40}/y;
    gap.lastIndex = end;
    const next = gap.exec(text);
    if (next === null) break;
    const from = end + next[0].length;
    const to = endOfRun(text, from);
    if (to === from || to - from > width) break;
    end = to;
    if (to - from < width) break;
  }
  return end;
}

/** Whether the first six bytes are printable ASCII. */
function beginsAsText(text: string, start: number): boolean {
  for (let at = start; at < start + 8; at += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((i) => sextets[text.charCodeAt(at + i)] ?? 0) as [
      number,
      number,
      number,
      number,
    ];
    if (!isText((a << 2) | (b >> 4)) || !isText(((b & 15) << 4) | (c >> 2)) || !isText(((c & 3) << 6) | d))
      return false;
  }
  return true;
}

/** The same in UTF-16, where every second byte is zero. */
function beginsAsWide(text: string, start: number): boolean {
  const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((i) => sextets[text.charCodeAt(start + i)] ?? 0) as number[];
  const bytes = [
    ((a ?? 0) << 2) | ((b ?? 0) >> 4),
    (((b ?? 0) & 15) << 4) | ((c ?? 0) >> 2),
    (((c ?? 0) & 3) << 6) | (d ?? 0),
  ];
  return isText(bytes[0] ?? 0) && bytes[1] === 0 && isText(bytes[2] ?? 0) && (e ?? 1) === 0;
}

function beginsAsHex(text: string, start: number): boolean {
  for (let at = start; at < start + shortest; at += 2) {
    const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
    if (classOf(high) !== 2 || classOf(low) !== 2 || !isText((digitOf(high) << 4) | digitOf(low))) return false;
  }
  return true;
}

function digitOf(code: number): number {
  return code < 0x3a ? code - 0x30 : (code | 32) - 0x57;
}

function isText(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09 || byte === 0x0d;
}

const dumpLine = /^.{0,12}?\b[0-9a-f]{7,8}:? {1,3}((?:[0-9a-f]{2,4} {1,2}){1,16})[^\r\n]{0,80}$/;

/** The output of `xxd` and `hexdump -C`: offsets, hex digits, and the same as text. */
export function hexDumps(text: string): EncodedPart[] {
  const parts: EncodedPart[] = [];
  let [start, at] = [-1, 0];
  let digits: string[] = [];
  for (const line of text.split('\n')) {
    const found = line.length <= 120 ? dumpLine.exec(line)?.[1] : undefined;
    if (found === undefined && start >= 0) {
      parts.push({ start, end: at - 1, text: Buffer.from(digits.join(''), 'hex').toString('latin1') });
      [start, digits] = [-1, []];
    }
    if (found !== undefined) {
      if (start < 0) start = at;
      digits.push(found.replaceAll(' ', ''));
    }
    at += line.length + 1;
  }
  if (start >= 0) parts.push({ start, end: text.length, text: Buffer.from(digits.join(''), 'hex').toString('latin1') });
  return parts;
}

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
