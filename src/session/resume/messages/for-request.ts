// Drafts → the drafts for the model of the request, with its tools and the thinking it receives.
// (RESUME rules 41–45, 64, 65, BINDING 9.1 and 9.3.)
import { type ClientRules, currentRules } from '../client/client-rules.ts';
import type { Draft } from './draft.ts';
import { isThinking } from './filter.ts';
import { type ClientHost, forModel } from './model.ts';
import { withKnownReferences } from './references.ts';

export function forRequest(
  drafts: readonly Draft[],
  model: string,
  host: ClientHost,
  rules: ClientRules = currentRules,
): Draft[] {
  const referring = withKnownReferences(drafts, model, host, rules);
  return forModel(rules.has('honoursThinkingMark') ? withoutStripped(referring) : referring, model, host, rules);
}

/**
 * After the API refused a thinking block, the client continues without thinking and writes a mark: no thinking before the
 * last mark on the chain is sent again, regardless of the scope in the mark.
 */
function withoutStripped(drafts: readonly Draft[]): readonly Draft[] {
  const mark = drafts.findLastIndex((draft) => draft.lines.some(isStrippedMark));
  if (mark < 0) return drafts;
  return drafts.map((draft, i) => {
    if (i > mark || draft.role !== 'assistant' || !draft.content.some(isThinking)) return draft;
    return { ...draft, content: draft.content.filter((block) => !isThinking(block)) };
  });
}

function isStrippedMark({ type, subtype, uuid }: Draft['lines'][number]): boolean {
  return type === 'attachment' && subtype === 'thinking_stripped' && uuid !== undefined;
}
