// Reads rows of hand-written places for secrets: a text in which « » surround the secret. The rows are written with
// generators, such as {w20}, so that each seed gives other values and the repository holds nothing that looks real.
import { seededRandom } from '../../support/seeded-random.ts';

export interface SecretPlaceText {
  readonly name: string;
  /** What the tool printed. */
  readonly text: string;
  /** What must be gone. */
  readonly value: string;
}

/**
 * `{w20}` letters and digits, `{l20}` letters, `{a20}` small letters, `{h20}` hex digits, `{d20}` digits, `{b20}` base64,
 * `{U20}` capitals and 2 to 7, `{p20}` a password with signs, `{u}` a uuid, `{pem:LABEL}` a block of a private key,
 * `{jwt}` a web token, `‹…›` the base64 of the text between them, `⟪…⟫` its hex digits. `¦` cuts a prefix in two.
 */
export function placeTexts(rows: readonly string[], seed: number): SecretPlaceText[] {
  return rows.map((row, index) => {
    const written = expand(row, seededRandom(seed * 1000 + index));
    const parts = written.split(/[«»]/);
    const [before, value, after] = parts;
    if (parts.length !== 3 || before === undefined || !value || after === undefined)
      throw new Error(`one secret must be marked in ${row}`);
    return { name: row, text: `${before}${value}${after}`, value };
  });
}

/** Whether any eight characters in a row of the value are in the text. */
export function holdsPartOf(text: string, value: string): boolean {
  const window = Math.min(8, value.length);
  for (let at = 0; at + window <= value.length; at++) {
    const part = value.slice(at, at + window);
    if (!/[\n-]{2}|PRIVATE|BEGIN|^[\s\d:0-]*$/.test(part) && text.includes(part)) return true;
  }
  return false;
}

function expand(row: string, random: () => number): string {
  return row
    .replaceAll('¦', '')
    .replace(/\{(?:([wlahdbUp])(\d+)|(u)|pem:([A-Z ]*)|(jwt))\}/g, (_, alphabet, length, uuid, label, jwt) => {
      const make = (name: string, count: number): string => draw(alphabets[name] ?? '', count, random);
      if (uuid !== undefined)
        return `${make('h', 8)}-${make('h', 4)}-4${make('h', 3)}-a${make('h', 3)}-${make('h', 12)}`;
      if (jwt !== undefined)
        return `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(`{"sub":"${make('w', 10)}"}`)}.${make('w', 43)}`;
      if (alphabet !== undefined) return make(alphabet, Number(length));
      const body = Array.from({ length: 4 }, () => make('b', 64)).join('\n');
      return `-----BEGIN ${label}PRIVATE KEY-----\n${body}\n-----END ${label}PRIVATE KEY-----`;
    })
    .replace(/‹([^›]*)›/g, (_, inside: string) => Buffer.from(inside).toString('base64'))
    .replace(/⟪([^⟫]*)⟫/g, (_, inside: string) => Buffer.from(inside).toString('hex'));
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

const small = 'abcdefghijklmnopqrstuvwxyz';
const word = `${small}${small.toUpperCase()}0123456789`;
const alphabets: Readonly<Record<string, string>> = {
  a: small,
  l: small + small.toUpperCase(),
  w: word,
  h: '0123456789abcdef',
  d: '0123456789',
  b: `${word}+/`,
  U: `${small.toUpperCase()}234567`,
  p: `${word}!*+~`,
};

/** As a generator of passwords draws it: words have a digit, passwords begin with a letter. */
function draw(alphabet: string, count: number, random: () => number): string {
  const text = Array.from({ length: count }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
  const hasDigit = alphabet.startsWith(word) && count >= 6;
  return hasDigit ? `k${text.slice(1, 3)}7${text.slice(4)}` : text;
}
