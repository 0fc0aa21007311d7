// One text → the same text with placeholders for its secrets, and what was found. Works on decoded strings and on raw
// JSON alike: a placeholder needs no escaping, and escapes are never cut in half.
import { findSecrets, type RuleSet, type Secret } from './find.ts';
import type { Placeholders } from './placeholders.ts';

export interface RedactedText {
  readonly text: string;
  /** With places in the text before the round in which each was found; the first round is the text as given. */
  readonly found: readonly Secret[];
}

/** What a cut brings to light is cut in the next round. */
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

/** Only looks: makes every secret of the text known, for a first pass over all copies of a session. */
export function learnSecrets(text: string, state: Placeholders, ruleSet?: RuleSet): readonly Secret[] {
  const secrets = findSecrets(text, ruleSet);
  for (const secret of secrets) state.placeholderOf(secret);
  return secrets;
}
