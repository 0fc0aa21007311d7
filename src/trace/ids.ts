// What names a turn comes in, the ids of its trace and spans go out. They follow from ids that the API gave, so that
// every run, and every copy of a session, arrives at the same ones: nothing can be sent twice under two names.
import { createHash } from 'node:crypto';

/** `seed`: ids that somebody else can predict, from a text of their choice and the number of the turn. */
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

/** `scope`: the trace, or inside a sub-agent what `agentScope` says. Without an id a message goes by its place. */
export function generationSpanId(scope: string, messageId: string | undefined, index: number): string {
  return hexDigits(messageId === undefined ? `${scope}|gen#${index}` : `${scope}|gen|${messageId}`, 16);
}

export function toolSpanId(scope: string, toolUseId: string): string {
  return hexDigits(`${scope}|tool|${toolUseId}`, 16);
}

/** Names the spans of a sub-agent apart from those of the turn and of other sub-agents. */
export function agentScope(traceId: string, agentId: string): string {
  return `${traceId}|sub|${agentId}`;
}

/** A name for a turn that is short enough to be kept for all turns of a session. */
export function shortKey(turnKey: string): string {
  return createHash('sha256').update(turnKey).digest('base64url').slice(0, 11);
}

function hexDigits(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
