// The tracer's settings as a command has them: the environment and trace.json, with the command's own flags on top.
import { UserError } from '../../base/errors.ts';
import { readTraceConfig, type TraceConfig } from '../../trace/config.ts';
import type { CommandInput } from '../command.ts';

export function traceConfigOf({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): TraceConfig {
  const config = readTraceConfig(io.env);
  return {
    ...config,
    keepsForks: config.keepsForks || flags['keep-forks'] === true,
    isCompat: config.isCompat || flags.compat === true,
    strictSeed: config.strictSeed || flags['strict-seed'] === true,
  };
}

export function neededConfigOf(input: Pick<CommandInput, 'flags' | 'io'>): TraceConfig {
  const config = traceConfigOf(input);
  if (config.destinations.length > 0) return config;
  throw new UserError('no destination is set up', 'set CLEW_TRACE_ENDPOINT, or see docs/tracing.md for others');
}
