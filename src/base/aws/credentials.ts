// The environment → credentials of AWS, by the rules of its SDKs: variables, profile files, web identity, metadata services.
// The SDK's part is loaded only if the keys are not in variables.
import type { Environment } from '../node/index.ts';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The function may be called for every request: it keeps keys until they expire. */
export async function awsCredentials(env: Environment, region: string): Promise<() => Promise<AwsKeys>> {
  if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY) return async () => keysOf(env);
  return awsChain(env, region);
}

function keysOf({ AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN }: Environment): AwsKeys {
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
}

async function awsChain(env: Environment, region: string): Promise<() => Promise<AwsKeys>> {
  const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
  const { AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE } = env;
  return fromNodeProviderChain({
    clientConfig: { region },
    ...(AWS_PROFILE ? { profile: AWS_PROFILE } : {}),
    ...(AWS_SHARED_CREDENTIALS_FILE ? { filepath: AWS_SHARED_CREDENTIALS_FILE } : {}),
    ...(AWS_CONFIG_FILE ? { configFilepath: AWS_CONFIG_FILE } : {}),
    ...(AWS_ROLE_ARN ? { roleArn: AWS_ROLE_ARN } : {}),
    ...(AWS_WEB_IDENTITY_TOKEN_FILE ? { webIdentityTokenFile: AWS_WEB_IDENTITY_TOKEN_FILE } : {}),
  });
}
