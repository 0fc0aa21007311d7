// The models that answered in a session, in the order of their first word.
import type { Session } from '../../session/load/session.ts';

export function modelsOf({ transcript }: Pick<Session, 'transcript'>): readonly string[] {
  const models = transcript.nodes.flatMap((node) => (node.type === 'assistant' ? (node.message?.model ?? []) : []));
  return [...new Set(models)].filter((model) => model !== '<synthetic>');
}
