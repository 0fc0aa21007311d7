// The rules of `clew redact`, as the tracer uses them: one text in, the same with placeholders out.

import { makeRuleSet } from '../surgery/secrets/find.ts';
import { Placeholders } from '../surgery/secrets/placeholders.ts';
import { redactText } from '../surgery/secrets/redact-text.ts';
import { loadRuleSet } from '../surgery/secrets/user-rules.ts';
import type { Redact } from './content.ts';

/** `rulesFile`: rules of the user's own beside the bundled ones. */
export function makeRedact(rulesFile: string | undefined): Redact {
  const ruleSet = rulesFile === undefined ? makeRuleSet() : loadRuleSet(rulesFile);
  // One for the whole run: what was recognised once is cut out wherever it comes again.
  const state = new Placeholders();
  return (text) => redactText(text, state, ruleSet).text;
}
