// The headers of a request that the user sets: ANTHROPIC_CUSTOM_HEADERS and ANTHROPIC_BETAS.
import { UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';

type Headers = Readonly<Record<string, string>>;

/** One `Name: Value` per line; as in the client, lines without a colon are ignored. Names are in lower case. */
export function customHeaders({ ANTHROPIC_CUSTOM_HEADERS = '' }: Environment): Headers {
  const lines = ANTHROPIC_CUSTOM_HEADERS.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf(':');
    return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const];
  });
  for (const [name, value] of lines) {
    // The value may be a secret, and is not shown.
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new UserError(
        `ANTHROPIC_CUSTOM_HEADERS contains a header that cannot be sent: ${JSON.stringify(name)}`,
        'write one "Name: Value" per line',
      );
  }
  return Object.fromEntries(lines);
}

/** Betas of all sources add up, each once; of other headers the custom one counts. */
export function mergeHeaders(own: Headers, env: Environment): Headers {
  const custom = customHeaders(env);
  const betas = [own['anthropic-beta'], env.ANTHROPIC_BETAS, custom['anthropic-beta']]
    .flatMap((list) => (list ?? '').split(','))
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
  const merged = { ...own, ...custom };
  return betas.length === 0 ? merged : { ...merged, 'anthropic-beta': [...new Set(betas)].join(',') };
}
