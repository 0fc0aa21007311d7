// Reads the `sandbox` settings of Claude Code. A project can only make the sandbox stricter.
import { asObject, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Domains } from './network.ts';

export interface SandboxSettings {
  readonly isEnabled: boolean;
  readonly runsUnasked: boolean;
  readonly mayLeave: boolean;
  readonly excluded: readonly string[];
  readonly allowWrite: readonly string[];
  readonly deny: readonly string[];
  readonly isRequired: boolean;
  readonly domains: Domains;
}

export function readSandboxSettings(
  files: readonly { readonly scope: string; readonly value: JsonObject }[],
): SandboxSettings {
  const all = files.map(({ scope, value }) => ({ scope, value: asObject(value.sandbox) ?? {} }));
  const ofScope = (wanted: string): readonly JsonObject[] =>
    all.flatMap(({ scope, value }) => (scope === wanted ? [value] : []));
  // Settings of the command line precede the user's file.
  const own = [...ofScope('flag'), ...ofScope('user')].reduceRight(mergeOwn, {});
  const disk = (value: JsonObject): JsonObject => asObject(value.filesystem) ?? {};
  const rules = (tool: string, key: string): readonly string[] =>
    all.flatMap(({ value }) => strings(disk(value)[key]).map((file) => `${tool}(${file.replace(/^\//, '//')})`));
  const domains = (value: JsonObject, key: string): readonly string[] => strings(asObject(value.network)?.[key]);
  return {
    isEnabled: own.enabled !== false,
    runsUnasked: all.every(({ value }) => value.autoAllowBashIfSandboxed !== false),
    mayLeave: all.every(({ value }) => value.allowUnsandboxedCommands !== false),
    excluded: strings(own.excludedCommands),
    allowWrite: strings(disk(own).allowWrite),
    deny: [...rules('Read', 'denyRead'), ...rules('Edit', 'denyWrite')],
    isRequired: all.some(({ value }) => value.failIfUnavailable === true),
    domains: {
      allowed: domains(own, 'allowedDomains'),
      denied: all.flatMap(({ value }) => domains(value, 'deniedDomains')),
    },
  };
}

/** `over` wins; lists are combined. */
function mergeOwn(under: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = under[key];
    if (isArray(before) && isArray(value)) merged[key] = [...before, ...value];
    else if (isObject(before) && isObject(value)) merged[key] = mergeOwn(before, value);
    else merged[key] = value;
  }
  return merged;
}

function strings(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
