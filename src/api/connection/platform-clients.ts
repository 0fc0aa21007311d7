// Anthropic's clients for the platforms, each with its own bundle, loaded only if the environment asks for it. Their
// constructors read variables of this process; here every value comes from the given environment.
import type { Anthropic } from '@anthropic-ai/sdk';
import { awsCredentials } from '../../base/aws/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { Fetch } from '../../base/network/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { bedrockRegion, isOn, vertexRegion } from '../../models/index.ts';
import { vertexProject } from './credentials.ts';

export type SdkClient = Pick<Anthropic, 'post' | 'baseURL'>;

/** Options of every client. */
export interface SdkOptions {
  readonly fetch: Fetch;
  readonly maxRetries: 0;
  readonly logLevel: 'off';
  readonly openTelemetry: false;
  readonly defaultHeaders: Readonly<Record<string, string>>;
}

/** The platform's own credentials could not be found or refreshed. */
export class CloudCredentialError extends UserError {
  constructor(platform: string, reason: string, next: string) {
    super(`no credentials for ${platform} (${reason.replace(/\s+/g, ' ').slice(0, 300)})`, next, exitCodes.failed);
    this.name = 'CloudCredentialError';
  }
}

export async function bedrockClient(env: Environment, options: SdkOptions): Promise<SdkClient> {
  const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
  const skipAuth = isOn(env.CLAUDE_CODE_SKIP_BEDROCK_AUTH);
  const tier = env.ANTHROPIC_BEDROCK_SERVICE_TIER?.trim();
  const awsRegion = bedrockRegion(env);
  return new AnthropicBedrock({
    ...options,
    awsRegion,
    baseURL: env.ANTHROPIC_BEDROCK_BASE_URL || `https://bedrock-runtime.${awsRegion}.amazonaws.com`,
    apiKey: (skipAuth ? undefined : env.AWS_BEARER_TOKEN_BEDROCK) || null,
    skipAuth,
    providerChainResolver: () => awsProvider(env, awsRegion),
    defaultHeaders: {
      ...options.defaultHeaders,
      ...(tier ? { 'x-amzn-bedrock-service-tier': tier } : {}),
      ...(skipAuth ? gatewayHeaders(env) : {}),
    },
  });
}

async function awsProvider(env: Environment, region: string) {
  const provide = await awsCredentials(env, region);
  return async () => {
    try {
      return await provide();
    } catch (error) {
      const next = 'set AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE';
      throw new CloudCredentialError('Bedrock', error instanceof Error ? error.message : String(error), next);
    }
  };
}

/** The region is part of the address, and may differ between models. */
export async function vertexClient(env: Environment, options: SdkOptions, model: string): Promise<SdkClient> {
  const { AnthropicVertex } = await import('@anthropic-ai/vertex-sdk');
  const skipAuth = isOn(env.CLAUDE_CODE_SKIP_VERTEX_AUTH);
  const projectId = vertexProject(env) ?? null;
  const { AuthClient } = await import('google-auth-library');
  class Gateway extends AuthClient {
    async getRequestHeaders(): Promise<Headers> {
      return new Headers(gatewayHeaders(env));
    }
    async getAccessToken(): Promise<{ token: null }> {
      return { token: null };
    }
    request(): never {
      throw new Error('requests to a gateway are not signed');
    }
  }
  return new AnthropicVertex({
    ...options,
    region: vertexRegion(model, env),
    projectId,
    ...(env.ANTHROPIC_VERTEX_BASE_URL ? { baseURL: env.ANTHROPIC_VERTEX_BASE_URL } : {}),
    ...(skipAuth ? { authClient: new Gateway() } : { authClient: await googleClient(env, options.fetch) }),
  });
}

async function googleClient(env: Environment, fetch: Fetch) {
  const { GoogleAuth } = await import('google-auth-library');
  const { GOOGLE_APPLICATION_CREDENTIALS: keyFilename } = env;
  const auth = new GoogleAuth({
    scopes: 'https://www.googleapis.com/auth/cloud-platform',
    ...(keyFilename ? { keyFilename } : {}),
    clientOptions: { transporterOptions: { fetchImplementation: fetch } },
  });
  try {
    return await auth.getClient();
  } catch (error) {
    const next = 'run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a key file';
    throw new CloudCredentialError('Vertex AI', error instanceof Error ? error.message : String(error), next);
  }
}

export async function foundryClient(env: Environment, options: SdkOptions): Promise<SdkClient> {
  const { AnthropicFoundry } = await import('@anthropic-ai/foundry-sdk');
  const skipAuth = isOn(env.CLAUDE_CODE_SKIP_FOUNDRY_AUTH);
  const baseURL =
    env.ANTHROPIC_FOUNDRY_BASE_URL || `https://${env.ANTHROPIC_FOUNDRY_RESOURCE}.services.ai.azure.com/anthropic/`;
  return new AnthropicFoundry({
    ...options,
    baseURL,
    // An empty name would make the client read its variable.
    resource: null as unknown as string,
    apiKey: (skipAuth ? undefined : env.ANTHROPIC_FOUNDRY_API_KEY) || 'none',
    ...(skipAuth ? { defaultHeaders: { ...options.defaultHeaders, 'x-api-key': null, ...gatewayHeaders(env) } } : {}),
  });
}

/** Without the platform's own authentication, a gateway may ask for Anthropic's. */
function gatewayHeaders({ ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN }: Environment): Record<string, string> {
  return {
    ...(ANTHROPIC_API_KEY ? { 'x-api-key': ANTHROPIC_API_KEY } : {}),
    ...(ANTHROPIC_AUTH_TOKEN ? { authorization: `Bearer ${ANTHROPIC_AUTH_TOKEN}` } : {}),
  };
}
