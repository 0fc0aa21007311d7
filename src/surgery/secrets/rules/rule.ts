// A rule for one kind of secret, and builders for the tables of rules. A rule has keywords (a cheap test), a pattern that is
// tried only at a keyword, and a check of the value.
import { isUuid } from '../../../base/text/index.ts';

/**
 * A row per first letter, a digit per second letter: the logarithm of the frequency of the pair in words relative to
 * chance, from 0 (1/16) over 4 (equal) to 7 (8 times). Counted in the 16,000 different words of this program's sources and
 * its packages.
 */
const pairs: readonly string[] = [
  '25541241403646040656332131',
  '64436311521622520552511030',
  '61326116405420610435410020',
  '53347331611322520452421120',
  '42563331201446232664132420',
  '52335610600522620534501140',
  '52217145501434520643502121',
  '62227022601332620534400030',
  '43544440002447540355040203',
  '62326132403233641063623011',
  '53237233612333520354412030',
  '61237210602511620044420050',
  '64226100601342560142400020',
  '51555361513223420256330020',
  '33442240312556440644544210',
  '61226114401511640645400020',
  '42434322301432242443723201',
  '61337230603243520454320030',
  '41526225503322451156512030',
  '50316114600321520554401040',
  '45434230401556240555100000',
  '62427210600222520224210020',
  '62236234602315510553002210',
  '52535313502331462246211430',
  '54435331512555460354313132',
  '61327123622332410033201144',
];

/** The mean over all pairs, without those where a camelCase word starts; words have 1 and more, random letters less than 0. */
export function wordiness(letters: string): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i + 1 < letters.length; i++) {
    const [first, second] = [letters.charCodeAt(i), letters.charCodeAt(i + 1)];
    if (first > second && first >= 97 && second <= 90) continue;
    const odds = pairs[(first | 32) - 97]?.charCodeAt((second | 32) - 97);
    if (odds === undefined || Number.isNaN(odds)) continue;
    sum += odds - 52;
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** Whether a value of only letters is not made of words. */
export function isRandomLetters(value: string): boolean {
  if (value.length < 8 || !/^[A-Za-z]+$/.test(value)) return false;
  const limit = value.length < 12 ? 0 : value.length < 20 ? 0.3 : 0.5;
  const words = wordiness(value);
  return words <= limit || (words < 0.9 && isUneven(value, 3.2)) || (words < 1.6 && isUneven(value, 2.6));
}

/** The maximum mean length of words in randomly mixed case. */
function isUneven(value: string, letters: number): boolean {
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 0;
  return value.length >= 10 && words > value.length / letters;
}

// Checks whether a value that looks like a secret can be one: not a placeholder, not a word, random enough. Documentation
// and test code are full of values that only look like secrets, and every false finding costs trust.

/** Bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** For values with a known form: refuses only obvious placeholders. */
export function looksRandom(value: string): boolean {
  if (isRedacted(value) || filledIn.test(value)) return false;
  return entropyOf(value) >= (value.length < 24 ? 2.5 : 3);
}

/** For passwords in a context that only has passwords: `user:HERE@host`. */
export function looksLikePassword(value: string): boolean {
  return value.length >= 4 && !isPlaceholder(value) && !commonPasswords.test(value);
}

/** For values recognized only by name: mixed letters and digits; not a word, path, code or id. */
export function looksLikeSecret(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isHarmlessForm(value) || !/[A-Za-z]/.test(value)) return false;
  if (/\d/.test(value)) return entropyOf(value) >= (value.length < 16 ? 2.7 : 3);
  return value.length >= 10 && lettersOf(value).some(isRandomLetters);
}

/** For a line `DB_PASSWORD=value` of an .env file: passwords made of words count too. */
export function looksLikeEnvSecret(value: string): boolean {
  if (value.length < 8 || isRedacted(value) || filledIn.test(value) || reference.test(value)) return false;
  if (isUuid(value) || isRandomLetters(value)) return true;
  if (isHarmlessForm(value) && !/^[A-Za-z]{4,}\d+$/.test(value)) return false;
  if (!/[A-Za-z]/.test(value) || !/[\d!@#$%^&*?+~]/.test(value)) return looksLikeSecret(value);
  return (
    !/^(?:my|some|the|test|dummy|fake|sample|dev|local)?[-_ ]?(?:secret|password|token|key|test|api[-_]?key)s?[-_ ]?\d{0,4}$/i.test(
      value,
    ) && entropyOf(value) >= 2.5
  );
}

/** For headers and cookies, which have longer values. */
export function looksLikeCredential(value: string): boolean {
  return value.length >= 16 && looksLikeSecret(value);
}

/** For values recognized only by a sentence: not like a word, name or version. */
export function looksStrong(value: string): boolean {
  if (value.length < 12 || !looksLikeSecret(value)) return false;
  if (/^[a-f0-9]{32,}$/.test(value) || isRandomLetters(value)) return true;
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropyOf(value) >= 3.2;
}

/** `user:password` in base64, which may be short and have no digit. */
export function isBasicPair(value: string): boolean {
  if (value.length < 12 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const pair = Buffer.from(value, 'base64').toString('latin1');
  return /^[\x20-\x7e]{1,64}:[\x20-\x7e]{4,200}$/.test(pair) && looksLikePassword(pair.slice(pair.indexOf(':') + 1));
}

function isPlaceholder(value: string): boolean {
  return isRedacted(value) || filledIn.test(value) || madeUp.test(value) || reference.test(value);
}

function isRedacted(value: string): boolean {
  return value.includes('[redacted') || value.includes('redacted:');
}

const filledIn = /x{5}|0{8}|\*{3}|\.{3}|…|example|placeholder|your[-_]|change[-_]?me\b|<[^>]*>|insert[-_]|replace[-_]/i;
const madeUp =
  /example|sample|dummy|fake|placeholder|changeme|secret|passw|token|test|todo|redact|hidden|masked|invalid|default|foobar|qwerty|deadbeef|your|x{4}|(.)\1{5}|\bnull\b|undefined|^none|api[-_]?key|^my[-_]|^some|^\W+$/i;
/** A variable, template, call or member: a reference to the secret. */
const reference =
  /^[$%@{<([]|\$\{|\{\{|%\(|\$\(|^(?:process\.env|os\.|env\.|env\[|secrets?\.|vars?\.|self\.|this\.|args\.|config\.|settings\.|var\.|local\.)|^[\w.]+\(|\)$|=>|^\w+\[/i;
const commonPasswords =
  /^(?:postgres(?:ql)?|mysql|root|admin|user(?:name)?|guest|rabbitmq|redis|mongo|db|dev|local(?:host)?|pass|pw|pwd|letmein|12345\w*|\d{1,5}|[a-z])$/i;

function isHarmlessForm(value: string): boolean {
  return (
    isUuid(value) ||
    /^(?:sha(?:1|256|384|512)|md5)[-:]/i.test(value) ||
    /^(?:toolu|msg|req|srvtoolu|call|chatcmpl)_/.test(value) ||
    /^(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/]|file:|https?:)/.test(value) ||
    /^[\d.,:_-]+(?:[a-z]{1,3})?$/i.test(value) ||
    /^\d{4}-\d\d-\d\d/.test(value) ||
    isWords(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){2,}$/.test(value) ||
    // Chinese, Japanese and Korean have no spaces between words.
    /[\u3000-\u9fff\uac00-\ud7af]/.test(value) ||
    /^[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+$/.test(value)
  );
}

/** A name: words joined by dashes or similar, with at most a small number. */
function isWords(value: string): boolean {
  return value
    .split(/[-_./:\s]/)
    .every((part) => part === '' || (/^[A-Z]?(?:[a-z]+|[A-Z]*)\d{0,2}$/.test(part) && !isRandomLetters(part)));
}

function lettersOf(value: string): readonly string[] {
  return value.match(/[A-Za-z]+/g) ?? [];
}

export interface SecretRule {
  /** Part of the placeholder: lowercase letters, digits and dashes. */
  readonly kind: string;
  readonly title: string;
  /** At least three characters each; case-sensitive only with `exact`. */
  readonly keywords: readonly string[];
  readonly exact?: boolean;
  /** Sticky. Tried at the keyword, or `lead` characters before it; all repetitions are bounded. */
  readonly pattern: RegExp;
  readonly lead?: readonly number[];
  /** Whether the first matching group is the secret, instead of the whole match. */
  readonly grouped?: boolean;
  /** Finds several secrets within the group, its own group 1 each. */
  readonly each?: RegExp;
  /** For patterns of users: tried anywhere in a window of text around a keyword, or in all text. */
  readonly window?: boolean;
  /** If two rules match, the more certain one decides the kind. */
  readonly certainty: 'form' | 'place' | 'line' | 'name';
  /** Whether a letter or digit may precede the pattern. */
  readonly inWord?: boolean;
  readonly check?: (value: string) => boolean;
  /** How to rotate a leaked secret of this kind. */
  readonly rotate: string;
}

/** One line of a table of tokens: kind, title, keywords, pattern as text, where to rotate. */
export type TokenRow = readonly [kind: string, title: string, keywords: string, pattern: string, rotate: string];

/** Tokens that are recognized by their form: a prefix, then characters. No character of the same alphabet may follow. */
export function tokenRules(rows: readonly TokenRow[], check: (value: string) => boolean = looksRandom): SecretRule[] {
  return rows.map(([kind, title, keywords, pattern, rotate]) => ({
    kind,
    title,
    keywords: keywords.split(' '),
    pattern: new RegExp(`${pattern}(?![A-Za-z0-9_])`, 'y'),
    certainty: 'form',
    check,
    rotate,
  }));
}

/** Values that are recognized by the name they are assigned to: `NAME = value`, `"name": "value"`. */
export function namedRules(rows: readonly TokenRow[], check: (value: string) => boolean = looksRandom): SecretRule[] {
  return rows.map(([kind, title, keywords, value, rotate]) => {
    const names = keywords.split(' ');
    return {
      kind,
      title,
      keywords: names,
      pattern: new RegExp(`(?:${names.join('|')})[\\w.-]{0,40}${assigned}(${value})(?![A-Za-z0-9_/+=-])`, 'iy'),
      grouped: true,
      inWord: true,
      certainty: 'place',
      check,
      rotate,
    };
  });
}

/** Between a name and its value, in the shells, JSON, YAML, TOML, headers and code. */
export const assigned = `["'\`\\]]{0,3}[ \\t]{0,8}(?:=>|:=|[=:,]|[ \\t])[ \\t]{0,8}["'\`]{0,3}`;
