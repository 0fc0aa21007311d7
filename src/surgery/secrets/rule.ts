// What a rule for one kind of secret is, and the builders that keep the tables of rules short. A rule is data: words
// that must be there (cheap), a pattern tried only where one of them stands (precise), a check of the value (sceptical).
import { looksRandom } from './value-checks.ts';

export interface SecretRule {
  /** Stands in the placeholder: small letters, digits and dashes. */
  readonly kind: string;
  readonly title: string;
  /** At least three characters each; capitals count only with `exact`. */
  readonly keywords: readonly string[];
  readonly exact?: boolean;
  /** Sticky. Tried at the keyword, or `lead` characters before it; every repetition in it has an end. */
  readonly pattern: RegExp;
  readonly lead?: readonly number[];
  /** Whether the first group that took part is the secret, instead of the whole match. */
  readonly grouped?: boolean;
  /** Finds several secrets within the group, its own group 1 each. */
  readonly each?: RegExp;
  /** For patterns of users, which may be anything: tried anywhere in a window of text around a keyword, or in all. */
  readonly window?: boolean;
  /** Of two rules for one place the more certain names the kind. */
  readonly certainty: 'form' | 'place' | 'line' | 'name';
  /** Whether a letter or digit may stand before the pattern. */
  readonly inWord?: boolean;
  readonly check?: (value: string) => boolean;
  /** What to do with a secret of this kind that got out. */
  readonly rotate: string;
}

/** One line of a table of tokens: kind, title, keywords, pattern as text, where to rotate. */
export type TokenRow = readonly [kind: string, title: string, keywords: string, pattern: string, rotate: string];

/** Tokens that are told by their form alone: a prefix, then characters. Nothing of the same alphabet may follow. */
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

/** Values without a form of their own, told by the name they are assigned to: `NAME = value`, `"name": "value"`. */
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
