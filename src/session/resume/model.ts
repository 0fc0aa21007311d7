// Drafts → the model the request goes to, and the drafts as that model may see them: thinking is only good for the
// model that wrote it. (RESUME rules 40–45.)
import { defaultModel, isOffered, takesSystemRole } from '../../models/client-models.ts';
import { canonicalModel, syntheticModel } from './client.ts';
import type { Draft, WireBlock } from './draft.ts';
import { isThinking } from './filter.ts';

export function requestModel(drafts: readonly Draft[]): string {
  const last = drafts.findLast((draft) => draft.role === 'assistant' && draft.model && draft.model !== syntheticModel);
  const model = last?.model;
  return model !== undefined && isOffered(model) ? (canonicalModel(model) ?? defaultModel) : defaultModel;
}

export function forModel(drafts: readonly Draft[], model: string): Draft[] {
  return drafts
    .map((draft) => {
      if (draft.source === 'attachment' && draft.isSystemRole && takesSystemRole(model))
        return { ...draft, content: [] };
      if (draft.source !== 'message' || draft.role !== 'assistant' || isOwnThinking(draft, model)) return draft;
      return { ...draft, content: draft.content.filter((block) => !isSignedThinking(block)) };
    })
    .filter((draft) => draft.role !== 'user' || draft.source === 'attachment' || draft.content.length > 0);
}

function isOwnThinking(draft: Draft, model: string): boolean {
  return draft.model === syntheticModel || canonicalModel(draft.model) === model;
}

/** Rule 42: thinking without a signature is never dropped for its model. */
function isSignedThinking(block: WireBlock): boolean {
  return isThinking(block) && Boolean(block.signature || block.data);
}
