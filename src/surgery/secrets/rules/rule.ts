// A rule for one kind of secret, and builders for the tables of rules. A rule has keywords (a cheap test), a pattern that is
// tried only at a keyword, and a check of the value.
import { looksRandom } from './value-checks.ts';

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
