// The tracer's settings as a command has them: the environment and trace.json, with the command's own flags on top.
import { UserError } from '../../base/errors.ts';
import { readTraceConfig, type TraceConfig } from '../../trace/config.ts';
import { oneOf } from '../../trace/config-values.ts';
import { contentModes } from '../../trace/destinations.ts';
import { type CommandInput, textFlag } from '../command.ts';

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
    // It started this command, not the sessions.
    parent: undefined,
  };
}

export function neededConfigOf(input: Pick<CommandInput, 'flags' | 'io'>): TraceConfig {
  const config = traceConfigOf(input);
  if (config.destinations.length > 0) return config;
  if (config.isOff) throw new UserError('CLEW_TRACE says that nothing is traced here', 'unset it');
  throw new UserError('no destination is set up', setUpHint(input.io.env));
}

/** People with keys for Langfuse have done most of it, and wonder what is missing. */
export function setUpHint(env: NodeJS.ProcessEnv): string {
  const hasKeys = Boolean((env.CC_LANGFUSE_SECRET_KEY || env.LANGFUSE_SECRET_KEY) && !env.TRACE_TO_LANGFUSE);
  if (hasKeys) return 'set TRACE_TO_LANGFUSE=true to trace to Langfuse by the keys that are there';
  return 'set CLEW_TRACE_ENDPOINT=http://HOST:4318, or TRACE_TO_LANGFUSE=true and the keys of Langfuse (docs/tracing.md)';
}
