// The settings of the tracer for a command: the environment and trace.json, overridden by flags.
import { UserError } from '../../base/errors/index.ts';
import { contentModes, oneOf, readTraceConfig, type TraceConfig } from '../../trace/config/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';

export function traceConfigOf({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): TraceConfig {
  const config = readTraceConfig(io.env);
  const content = textFlag(flags, 'content');
  const mode = content === undefined ? undefined : oneOf(content, contentModes, '--content');
  return {
    ...config,
    ...(mode === undefined ? {} : { destinations: config.destinations.map((each) => ({ ...each, content: mode })) }),
    keepsForks: config.keepsForks || flags['keep-forks'] === true,
    isCompat: config.isCompat || flags.compat === true,
    strictSeed: config.strictSeed || flags['strict-seed'] === true,
    // The parent span started this command, not the sessions.
    parent: undefined,
  };
}

export function neededConfigOf(input: Pick<CommandInput, 'flags' | 'io'>): TraceConfig {
  const config = traceConfigOf(input);
  if (config.destinations.length > 0) return config;
  if (config.isOff) throw new UserError('tracing is off', 'unset CLEW_TRACE');
  throw new UserError('no destination is set up', setUpHint(input.io.env));
}

export function setUpHint(env: NodeJS.ProcessEnv): string {
  const hasKeys = Boolean((env.CC_LANGFUSE_SECRET_KEY || env.LANGFUSE_SECRET_KEY) && !env.TRACE_TO_LANGFUSE);
  if (hasKeys) return 'set TRACE_TO_LANGFUSE=true to use the Langfuse keys that are set';
  return 'set CLEW_TRACE_ENDPOINT=http://HOST:4318, or TRACE_TO_LANGFUSE=true and the keys of Langfuse (docs/tracing.md)';
}
