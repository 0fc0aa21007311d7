// The rules of `clew redact` as a function of one text.
import { makeRuleSet } from '../../surgery/secrets/find.ts';
import { Placeholders } from '../../surgery/secrets/placeholders.ts';
import { redactText } from '../../surgery/secrets/redact-text.ts';
import { loadRuleSet } from '../../surgery/secrets/user-rules.ts';
import type { Redact } from '../span/content.ts';

/** `rulesFile`: additional rules of the user. */
export function makeRedact(rulesFile: string | undefined): Redact {
  const ruleSet = rulesFile === undefined ? makeRuleSet() : loadRuleSet(rulesFile);
  // Shared by the whole run: a secret that was recognized once is replaced wherever it occurs again.
  const state = new Placeholders();
  return (text) => redactText(text, state, ruleSet).text;
}
