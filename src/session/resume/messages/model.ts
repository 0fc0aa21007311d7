// Drafts → the model of the request, and the drafts without thinking that the model cannot read. (RESUME rules 40–45.)
import { isOffered, takesSystemRole } from '../../../models/client-models.ts';
import { canonicalModel, syntheticModel } from '../client/client.ts';
import { type ClientRules, currentRules } from '../client/client-rules.ts';
import type { Draft, WireBlock } from './draft.ts';
import { isThinking } from './filter.ts';

export function requestModel(drafts: readonly Draft[], { models }: ClientRules = currentRules): string {
  const last = drafts.findLast((draft) => draft.role === 'assistant' && draft.model && draft.model !== syntheticModel);
  const model = last?.model;
  const name = canonicalModel(model) ?? '';
  return isOffered(name) && !models.missing.some((each) => name.includes(each)) ? name : models.defaultModel;
}

/**
 * The destination of the client's requests: api.anthropic.com or another address. To the API it also sends the thinking
 * of other models, and the API drops what the model may not read (BINDING 9.1).
 */
export type ClientHost = 'anthropic' | 'gateway';

export function forModel(
  drafts: readonly Draft[],
  model: string,
  host: ClientHost,
  rules: ClientRules = currentRules,
): Draft[] {
  const isReminded = takesSystemRole(model) && rules.has('usesSystemRole');
  return drafts.map((draft) => {
    if (draft.source === 'attachment' && draft.isSystemRole && isReminded) return { ...draft, content: [] };
    if (!rules.has('dropsOtherThinking')) return draft;
    if (draft.source !== 'message' || draft.role !== 'assistant' || isSentThinking(draft, model, host)) return draft;
    return { ...draft, content: draft.content.filter((block) => !isSignedThinking(block)) };
  });
}

function isSentThinking(draft: Draft, model: string, host: ClientHost): boolean {
  if (host === 'anthropic') return Boolean(draft.model);
  return draft.model === syntheticModel || canonicalModel(draft.model) === model;
}

/** Rule 42: thinking without a signature is never dropped for its model. */
function isSignedThinking(block: WireBlock): boolean {
  return isThinking(block) && Boolean(block.signature || block.data);
}
