// The environment → the span of another program that becomes the parent of turns. Only the hook uses it: whoever runs a
// backfill did not start the sessions.
import type { Environment } from '../../base/node/node-types.ts';
import type { SpanParent } from '../span/span.ts';

/** A value that is not a traceparent is ignored, as W3C Trace Context asks. */
export function parentOf(env: Environment): SpanParent | undefined {
  return (
    parseTraceparent(env.CC_LANGFUSE_TRACEPARENT) ?? (hasOwnTraces(env) ? undefined : parseTraceparent(env.TRACEPARENT))
  );
}

/** With its own tracing on, Claude Code sets `TRACEPARENT` for its child processes: that span did not start the session. */
function hasOwnTraces(env: Environment): boolean {
  const names = ['CLAUDE_CODE_ENHANCED_TELEMETRY_BETA', 'ENABLE_BETA_TRACING_DETAILED'];
  return names.some((name) => env[name] !== undefined && !/^(?:0|false|no|off)?$/i.test(env[name]?.trim() ?? ''));
}

function parseTraceparent(text: string | undefined): SpanParent | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/.exec(
    text?.trim().toLowerCase() ?? '',
  );
  const [, traceId = '', spanId = ''] = match ?? [];
  return match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}
