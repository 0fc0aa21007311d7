// Which credentials an environment has for its endpoint, and what a user who has none must set.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { isOn, platformOf } from '../../models/index.ts';

/** As the Agent SDK names it: tokens and the platforms' own credentials do not count as one. */
export type ApiKeySource = 'ANTHROPIC_API_KEY' | 'apiKeyHelper' | 'none';

export function apiKeySourceOf(env: Environment, apiKeyHelper: string | undefined): ApiKeySource {
  if (platformOf(env) !== 'anthropic') return 'none';
  if (env.ANTHROPIC_API_KEY) return 'ANTHROPIC_API_KEY';
  return apiKeyHelper === undefined ? 'none' : 'apiKeyHelper';
}

const defaultBaseUrl = 'https://api.anthropic.com';

export function baseUrlOf({ ANTHROPIC_BASE_URL }: Environment): string {
  return ANTHROPIC_BASE_URL || defaultBaseUrl;
}

/** Only Anthropic's own endpoint is known to have all betas, and to drop thinking that a model may not read. */
export function hostOf(env: Environment): 'anthropic' | 'gateway' {
  const isDirect = URL.parse(baseUrlOf(env))?.host === URL.parse(defaultBaseUrl)?.host;
  return isDirect && platformOf(env) === 'anthropic' ? 'anthropic' : 'gateway';
}

/** No request can be sent: something that the user must set is missing. */
export class MissingKeyError extends UserError {
  constructor(message: string, next: string) {
    super(message, next, exitCodes.failed);
    this.name = 'MissingKeyError';
  }
}

/** Checked before anything is opened or asked. */
export function requireCredentials(env: Environment, apiKeyHelper: string | undefined): void {
  requireNames(env);
  const missing = missingCredentials(env, apiKeyHelper);
  if (missing !== undefined) throw missing;
}

export function missingCredentials(env: Environment, apiKeyHelper: string | undefined): MissingKeyError | undefined {
  switch (platformOf(env)) {
    case 'anthropic': {
      const isSet = env.ANTHROPIC_API_KEY || env.ANTHROPIC_AUTH_TOKEN || apiKeyHelper !== undefined;
      return isSet ? undefined : new MissingKeyError('ANTHROPIC_API_KEY is not set', threeWays(env));
    }
    case 'bedrock':
      // AWS has many places for credentials: whether there are any is known with the first request.
      return undefined;
    case 'vertex':
      return vertexProject(env) === undefined
        ? new MissingKeyError('ANTHROPIC_VERTEX_PROJECT_ID is not set', 'set it to the id of your Google Cloud project')
        : undefined;
    case 'foundry':
      return missingOfFoundry(env);
  }
}

/** The project may also have the names that Google's own tools use. */
export function vertexProject(env: Environment): string | undefined {
  const { ANTHROPIC_VERTEX_PROJECT_ID, GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT } = env;
  return ANTHROPIC_VERTEX_PROJECT_ID || GOOGLE_CLOUD_PROJECT || GCLOUD_PROJECT || undefined;
}

/** They become part of the address that requests and credentials are sent to. */
function requireNames(env: Environment): void {
  const names = ['AWS_REGION', 'AWS_DEFAULT_REGION', 'CLOUD_ML_REGION', 'ANTHROPIC_FOUNDRY_RESOURCE'];
  const regions = Object.keys(env).filter((name) => name.startsWith('VERTEX_REGION_'));
  const wrong = [...names, ...regions].find((name) => !/^[a-z0-9-]*$/i.test(env[name]?.trim() ?? ''));
  if (wrong === undefined || platformOf(env) === 'anthropic') return;
  throw new UserError(`${wrong} is not a name`, 'use letters, digits and hyphens, for example us-east-1');
}

function missingOfFoundry(env: Environment): MissingKeyError | undefined {
  if (!env.ANTHROPIC_FOUNDRY_RESOURCE && !env.ANTHROPIC_FOUNDRY_BASE_URL)
    return new MissingKeyError('ANTHROPIC_FOUNDRY_RESOURCE is not set', 'set it, or ANTHROPIC_FOUNDRY_BASE_URL');
  if (env.ANTHROPIC_FOUNDRY_API_KEY || isOn(env.CLAUDE_CODE_SKIP_FOUNDRY_AUTH)) return undefined;
  return new MissingKeyError(
    'ANTHROPIC_FOUNDRY_API_KEY is not set',
    'set it; signing in with Microsoft Entra is not supported',
  );
}

function threeWays(env: Environment): string {
  const settings = env.CLAUDE_CONFIG_DIR ? `${env.CLAUDE_CONFIG_DIR}/settings.json` : '~/.claude/settings.json';
  return [
    'set it in the environment or in "env" of ',
    settings,
    ', or set "apiKeyHelper" there to a command that prints the key, or choose another endpoint: ANTHROPIC_AUTH_TOKEN ',
    'with ANTHROPIC_BASE_URL for a gateway, CLAUDE_CODE_USE_BEDROCK=1, CLAUDE_CODE_USE_VERTEX=1 or ',
    'CLAUDE_CODE_USE_FOUNDRY=1 (a login of Claude Code is not used)',
  ].join('');
}

const secretVariables: ReadonlySet<string> = new Set([
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ...['ANTHROPIC_FOUNDRY_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK', 'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE'],
]);

/** The agent's own keys, which commands and servers get only if their configuration names them. */
export function withoutOwnKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretVariables.has(name)));
}

/** Replaces the values of keys in a text that leaves this program: an endpoint may repeat the key in its error. */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret) => secret !== undefined && secret.length >= shortestSecret)
    .reduce<string>((hidden, secret) => hidden.replaceAll(secret as string, '[key]'), text);
}

/** A shorter value would hide ordinary words. */
const shortestSecret = 8;
