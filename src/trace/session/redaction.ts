// The rules of `clew redact` as a function of one text.
import { loadRuleSet, makeRuleSet, Placeholders, redactText } from '../../surgery/secrets/index.ts';
import type { Redact } from '../span/index.ts';

/** `rulesFile`: additional rules of the user. */
export function makeRedact(rulesFile: string | undefined): Redact {
  const ruleSet = rulesFile === undefined ? makeRuleSet() : loadRuleSet(rulesFile);
  // Shared by the whole run: a secret that was recognized once is replaced wherever it occurs again.
  const state = new Placeholders();
  return (text) => redactText(text, state, ruleSet).text;
}
