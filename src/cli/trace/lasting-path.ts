// Checks that a path of this installation stays valid, because another program stores it (a hook in settings.json).
// Runners such as npx install into a cache that may be emptied at any time.
import { exitCodes, UserError } from '../../base/errors/index.ts';

/** Refuses a path below the cache of npx, pnpm dlx, yarn dlx or bunx. `command`: what to run again. */
export function requireLastingPath(file: string, command: string): void {
  if (!temporaryFolders.test(file)) return;
  throw new UserError(
    `${file} is in the cache of a package runner, which may be emptied at any time`,
    `install Clew (npm install -g clew) and run ${command} again`,
    exitCodes.refused,
  );
}

const temporaryFolders = /[\\/](?:_npx|dlx|dlx-[^\\/]+|xfs-[^\\/]+|bunx-[^\\/]+)[\\/]/;
