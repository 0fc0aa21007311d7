// Checks whether a value that looks like a secret can be one: not a placeholder, not a word, random enough. Documentation
// and test code are full of values that only look like secrets, and every false finding costs trust.
import { isUuid } from '../../../base/text/uuid.ts';
import { isRandomLetters } from './letter-pairs.ts';

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
