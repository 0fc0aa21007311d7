// Runs git for reading: no shell, no hooks, no pager, no programs that a repository names, no network, no locks.
import { execFile } from 'node:child_process';
import type { Environment } from '../../base/node/index.ts';
import { pathOutside } from '../../base/process/index.ts';

const safeSettings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.quotePath=false',
  'log.showSignature=false',
  'log.showRoot=true',
  'diff.external=',
  'protocol.allow=never',
];

const mostBytes = 1024 * 1024 * 1024;

/** Git in one folder. */
export class Git {
  readonly folder: string;
  readonly #env: Environment;
  /** How often git was started. */
  runs = 0;

  constructor(folder: string, env: Environment) {
    this.folder = folder;
    this.#env = env;
  }

  /** The output; `undefined` if git is missing or fails. */
  async run(args: readonly string[], input?: string): Promise<Buffer | undefined> {
    this.runs++;
    return new Promise((resolve) => {
      const child = execFile(
        'git',
        [...safeSettings.flatMap((setting) => ['-c', setting]), '--literal-pathspecs', ...args],
        {
          cwd: this.folder,
          env: { ...this.#env, PATH: pathOutside(this.#env, [this.folder]), ...quiet },
          encoding: 'buffer',
          maxBuffer: mostBytes,
        },
        (error, stdout) => resolve(error === null ? stdout : undefined),
      );
      child.stdin?.on('error', () => undefined); // git ended before it read everything
      child.stdin?.end(input ?? '');
    });
  }

  /** The output without its last newline. */
  async line(args: readonly string[]): Promise<string | undefined> {
    return (await this.run(args))?.toString('utf8').replace(/\n$/, '');
  }
}

const quiet = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' };

/** The bytes of blobs, by their hash; those that are missing or too large are left out. */
export async function readBlobs(
  git: Git,
  hashes: Iterable<string>,
  { mostBytesEach }: { readonly mostBytesEach: number },
): Promise<ReadonlyMap<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  const wanted = [...new Set(hashes)];
  for (let i = 0; i < wanted.length; i += blobsAtOnce) {
    const input = wanted
      .slice(i, i + blobsAtOnce)
      .map((hash) => `${hash}\n`)
      .join('');
    const output = (await git.run(['cat-file', '--batch'], input)) ?? Buffer.alloc(0);
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf(0x0a, at);
      if (end < 0) break;
      const [hash = '', type, size] = output.toString('latin1', at, end).split(' ');
      at = end + 1;
      if (type === 'missing' || size === undefined) continue;
      const length = Number(size);
      if (type === 'blob' && length <= mostBytesEach) blobs.set(hash, output.subarray(at, at + length));
      at += length + 1;
    }
  }
  return blobs;
}

const blobsAtOnce = 200;
