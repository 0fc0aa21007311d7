// Replaces the secrets in one text by placeholders. Works on decoded strings and on raw JSON: a placeholder needs no
// escaping, and escapes are never split.
import { findSecrets, type RuleSet, type Secret } from './find.ts';
import type { Placeholders } from './placeholders.ts';

export interface RedactedText {
  readonly text: string;
  /** With offsets in the text before the round in which each was found. */
  readonly found: readonly Secret[];
}

/** A replacement may reveal another secret, which the next round replaces. */
const mostRounds = 4;

export function redactText(text: string, state: Placeholders, ruleSet?: RuleSet): RedactedText {
  const found: Secret[] = [];
  let current = text;
  for (let round = 0; round < mostRounds; round++) {
    const secrets = findSecrets(current, ruleSet);
    const cut = secrets.length === 0 ? current : state.replace(current, secrets);
    const known = state.findKnown(cut);
    const next = known.length === 0 ? cut : state.replace(cut, known);
    found.push(...secrets, ...known);
    if (next === current) break;
    current = next;
  }
  return { text: current, found };
}

/** Learns the secrets of a text without replacing them. */
export function learnSecrets(text: string, state: Placeholders, ruleSet?: RuleSet): readonly Secret[] {
  const secrets = findSecrets(text, ruleSet);
  for (const secret of secrets) state.placeholderOf(secret);
  return secrets;
}
