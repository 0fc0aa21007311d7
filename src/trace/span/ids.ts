// The ids of traces and spans, derived from the ids of the API: every run, and every copy of a session, computes the same
// ids, so that nothing is sent twice under two names.
import { createHash } from 'node:crypto';

/** `seed`: makes ids that another program can predict, from this text and the number of the turn. */
export function traceIdOf(turnKey: string, turnNumber: number, seed?: string): string {
  return hexDigits(seed === undefined ? `cct1|trace|${turnKey}` : `${seed}:${turnNumber}`, 32);
}

export function turnSpanId(traceId: string): string {
  return hexDigits(`${traceId}|agent`, 16);
}

/** The span that `CLEW_TRACE_WRAPPER_SPAN` puts above the turn. */
export function wrapperSpanId(traceId: string): string {
  return hexDigits(`${traceId}|wrapper`, 16);
}

export function subagentSpanId(traceId: string, agentId: string): string {
  return hexDigits(`${traceId}|sub|${agentId}`, 16);
}

/** `scope`: the trace id, or `agentScope` inside a sub-agent. A message without an id is named by its index. */
export function generationSpanId(scope: string, messageId: string | undefined, index: number): string {
  return hexDigits(messageId === undefined ? `${scope}|gen#${index}` : `${scope}|gen|${messageId}`, 16);
}

export function toolSpanId(scope: string, toolUseId: string): string {
  return hexDigits(`${scope}|tool|${toolUseId}`, 16);
}

export function agentScope(traceId: string, agentId: string): string {
  return `${traceId}|sub|${agentId}`;
}

/** Short enough to be stored for all turns of a session. */
export function shortKey(turnKey: string): string {
  return createHash('sha256').update(turnKey).digest('base64url').slice(0, 11);
}

function hexDigits(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
