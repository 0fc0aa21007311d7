// The display name of a span: in Langfuse (seed 002 §7), in Phoenix and in `clew trace explain`.
import type { TraceSpan } from './span.ts';

/** `strictSeed`: a reply of the client itself is named `<synthetic>`, as in the original description. */
export function spanName({ detail, error }: Pick<TraceSpan, 'detail' | 'error'>, strictSeed = false): string {
  switch (detail.kind) {
    case 'turn':
      return turnName(detail.number);
    case 'generation':
      if (isClientReply(detail) && !strictSeed) return error === undefined ? 'client message' : 'API error';
      return (detail.model ?? 'unknown').toWellFormed();
    case 'tool':
      return detail.name.toWellFormed();
    case 'subagent':
      return agentName(detail.agentType);
    default:
      return detail satisfies never;
  }
}

/** The client wrote it, not a model: after an API error, or when no answer was needed. */
export function isClientReply(detail: TraceSpan['detail']): boolean {
  return detail.kind === 'generation' && detail.model === '<synthetic>';
}

export function turnName(number: number): string {
  return `Turn ${number}`;
}

export function agentName(agentType: string | undefined): string {
  return `Subagent: ${agentType ?? 'unknown'}`.toWellFormed();
}
