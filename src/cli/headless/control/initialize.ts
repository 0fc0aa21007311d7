// `initialize`, the first request of the Agent SDK: what the program brings and asks for → options of the agent. What
// Clew cannot do fails here, before anything runs.
import type { AgentOptions, HostServerSettings, PermissionUpdate } from '../../../agent/contract/index.ts';
import { UserError } from '../../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { given } from '../../input/index.ts';
import type { HostChannel } from './channel.ts';
import { readHostHooks } from './host-hooks.ts';
import { ProgramServers } from './host-servers.ts';

export type HostOptions = Pick<
  AgentOptions,
  | 'agents'
  | 'appendSystemPrompt'
  | 'hookCallbacks'
  | 'hostServers'
  | 'outputSchema'
  | 'skills'
  | 'systemPrompt'
  | 'title'
>;

export interface Initialization {
  readonly options: HostOptions;
  readonly servers: ProgramServers;
  /** The policies of the program for the tools of its servers. */
  readonly updates: readonly PermissionUpdate[];
  /** The program shows what sub-agents say. */
  readonly forwardsAgentText: boolean;
  /** Fields that Clew does not know. */
  readonly unknown: readonly string[];
  /** The part of the answer that depends on the request. */
  readonly answer: JsonObject;
}

/** These say what the program can show or stop; Clew asks for nothing that needs them, or does it anyway. */
const accepted: ReadonlySet<string> = new Set([
  ...['subtype', 'hooks', 'sdkMcpServers', 'sdkMcpServerConfigs', 'sdkMcpServerManifests', 'jsonSchema'],
  ...['sdkMcpServerManifestsOrigin', 'systemPrompt', 'appendSystemPrompt', 'agents', 'title'],
  // The system prompt of Clew never contains the folder, the date or the state of git.
  ...['skills', 'excludeDynamicSections', 'supportedDialogKinds', 'perTaskStopAffordance'],
  'forwardSubagentText',
]);

/** Each with the value that asks for nothing. */
const unsupported: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  planModeInstructions: (value) => value === '',
  toolAliases: (value) => isObject(value) && Object.keys(value).length === 0,
  promptSuggestions: (value) => value === false,
  agentProgressSummaries: (value) => value === false,
  plugins: (value) => isArray(value) && value.length === 0,
  systemPromptSnapshot: (value) => value === true,
};

/** Fails with a `UserError`. */
export function readInitialize(body: JsonObject, channel: HostChannel): Initialization {
  for (const [name, asksNothing] of Object.entries(unsupported)) {
    const value = body[name];
    if (value === undefined || value === null || asksNothing(value)) continue;
    throw new UserError(`Clew does not support ${name} of initialize`, 'leave it out');
  }
  const { servers, updates } = readServers(body);
  const hostServers = new ProgramServers(channel, servers);
  const hooks = readHostHooks(body.hooks, channel);
  const manifests = asObject(body.sdkMcpServerManifests);
  return {
    servers: hostServers,
    updates,
    forwardsAgentText: body.forwardSubagentText === true,
    unknown: Object.keys(body).filter((name) => !accepted.has(name) && unsupported[name] === undefined),
    options: {
      hostServers,
      hookCallbacks: hooks,
      ...given('systemPrompt', promptText(body.systemPrompt)),
      ...given('appendSystemPrompt', text(body, 'appendSystemPrompt')),
      ...given('agents', object(body, 'agents')),
      ...given('outputSchema', object(body, 'jsonSchema')),
      ...given('title', text(body, 'title')),
      ...given('skills', texts(body, 'skills')),
    },
    answer: {
      ...(body.hooks === undefined ? {} : { hooks_applied: true }),
      // The servers are asked again over the channel, which costs a few messages and is always right.
      ...(manifests === undefined || servers.length === 0
        ? {}
        : {
            sdk_mcp_manifests_parked: Object.fromEntries(
              servers.filter(({ name }) => name in manifests).map(({ name }) => [name, 'not_honoured']),
            ),
          }),
    },
  };
}

/** The SDK sends a list of parts, and `[""]` for no system prompt. */
function promptText(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (!isArray(value) || !value.every((part) => typeof part === 'string'))
    throw invalid('systemPrompt', 'a list of texts');
  return value.filter((part) => part.trim() !== '' && part !== boundary).join('\n\n');
}

/** `SYSTEM_PROMPT_DYNAMIC_BOUNDARY` of the SDK: parts before it may be cached for several users. */
const boundary = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

function readServers(body: JsonObject): {
  readonly servers: readonly HostServerSettings[];
  readonly updates: readonly PermissionUpdate[];
} {
  const names = texts(body, 'sdkMcpServers') ?? [];
  const configs = asObject(body.sdkMcpServerConfigs) ?? {};
  return {
    servers: names.map((name) => {
      const timeout = asObject(configs[name])?.timeout;
      return { name, ...(typeof timeout === 'number' && timeout >= 1000 ? { callTimeoutMs: timeout } : {}) };
    }),
    updates: names.flatMap((name) => policyOf(name, asObject(configs[name])?.tools)),
  };
}

const policies = { always_ask: 'ask', always_deny: 'deny' } as const;

/** A policy that is not known asks. */
function policyOf(server: string, tools: JsonValue | undefined): readonly PermissionUpdate[] {
  return (isArray(tools) ? tools : []).flatMap((tool): readonly PermissionUpdate[] => {
    const { name, permission_policy: policy } = asObject(tool) ?? {};
    if (typeof name !== 'string' || policy === undefined || policy === 'always_allow') return [];
    const behavior = policy === 'always_deny' ? policies.always_deny : policies.always_ask;
    const toolName = `mcp__${server}__${name}`.replace(/[^a-zA-Z0-9_-]/g, '_');
    return [{ type: 'addRules', rules: [{ toolName }], behavior, destination: 'session' }];
  });
}

function text(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const found = asString(value);
  if (found === undefined) throw invalid(name, 'a text');
  return found;
}

function object(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalid(name, 'an object');
  return value;
}

function texts(body: JsonObject, name: string): readonly string[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isArray(value) || !value.every((each) => typeof each === 'string')) throw invalid(name, 'a list of texts');
  return value;
}

function invalid(name: string, wanted: string): UserError {
  return new UserError(`${name} of initialize must be ${wanted}`, 'correct the request');
}
