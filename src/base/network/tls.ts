// Certificates from the environment: a client certificate, and authorities in addition to those that Node knows.
import { rootCertificates } from 'node:tls';
import { systemErrorCode, UserError } from '../errors/index.ts';
import { readRegularText } from '../files/index.ts';
import type { Environment } from '../node/index.ts';

export interface TlsOptions {
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly ca?: string[];
}

/** `undefined` if Node's own settings are enough. */
export function readTls(env: Environment): TlsOptions | undefined {
  const cert = readPem('CLAUDE_CODE_CLIENT_CERT', env);
  const key = readPem('CLAUDE_CODE_CLIENT_KEY', env);
  const passphrase = env.CLAUDE_CODE_CLIENT_KEY_PASSPHRASE;
  // Node reads the variable when it starts, but not from settings.
  const isKnown = env.NODE_EXTRA_CA_CERTS === process.env.NODE_EXTRA_CA_CERTS;
  const extra = isKnown ? undefined : readPem('NODE_EXTRA_CA_CERTS', env);
  if (cert === undefined && key === undefined && extra === undefined) return undefined;
  return {
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(passphrase ? { passphrase } : {}),
    ...(extra === undefined ? {} : { ca: [...rootCertificates, extra] }),
  };
}

function readPem(variable: string, env: Environment): string | undefined {
  const file = env[variable];
  if (!file) return undefined;
  try {
    return readRegularText(file);
  } catch (error) {
    throw new UserError(
      `cannot read ${file} of ${variable} (${systemErrorCode(error) ?? 'it is not a file'})`,
      'correct the path, or unset the variable',
    );
  }
}
