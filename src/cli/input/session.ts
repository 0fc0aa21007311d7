// The folders with sessions: --root, --demo, otherwise those of the environment.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemErrorCode, UserError } from '../../base/errors/errors.ts';
import { resolveRoots } from '../../store/roots.ts';
import { type CommandInput, listFlag } from '../command/command.ts';

export function rootsOf({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): readonly string[] {
  if (flags.demo === true) return [demoRoot];
  const named = listFlag(flags, 'root');
  const roots = resolveRoots({ roots: named, env: io.env });
  // The default and the environment may name a folder that does not exist yet; a typed one must exist.
  const missing = named.length === 0 ? undefined : roots.find(isMissing);
  if (missing === undefined) return roots;
  throw new UserError(`there is no folder ${missing}`, 'give one with sessions, such as ~/.claude');
}

/** A folder below an unreadable one may exist; the search for sessions reports it. */
function isMissing(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return systemErrorCode(error) === 'ENOTDIR';
  }
}

/** The folder of the package; the bundler decides how deep below it this file is. */
export const packageRoot: string = packageFolder(fileURLToPath(import.meta.url));
export const demoRoot: string = path.join(packageRoot, 'demo');

function packageFolder(file: string): string {
  let folder = path.dirname(file);
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder))
    folder = path.dirname(folder);
  return folder;
}
