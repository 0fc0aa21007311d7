// What a span is called where names are for people: in Langfuse (seed 002 §7), in Phoenix and in `clew trace explain`.
import type { TraceSpan } from './span.ts';

export function spanName({ detail }: Pick<TraceSpan, 'detail'>): string {
  switch (detail.kind) {
    case 'turn':
      return turnName(detail.number);
    case 'generation':
      return (detail.model ?? 'unknown').toWellFormed();
    case 'tool':
      return detail.name.toWellFormed();
    case 'subagent':
      return agentName(detail.agentType);
    default:
      return detail satisfies never;
  }
}

export function turnName(number: number): string {
  return `Turn ${number}`;
}

export function agentName(agentType: string | undefined): string {
  return `Subagent: ${agentType ?? 'unknown'}`.toWellFormed();
}
