// The folders with sessions: --root, --demo, otherwise those of the environment.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { largeFileBytes, preferSmallMemory } from '../../base/process/index.ts';
import { loadSession, type Session } from '../../session/load/index.ts';
import type { TranscriptOptions } from '../../session/transcript/index.ts';
import { diskError, resolveRoots } from '../../store/index.ts';
import { type CommandInput, listFlag } from '../command/index.ts';

export function rootsOf({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): readonly string[] {
  if (flags.demo === true) return [demoRoot];
  const named = listFlag(flags, 'root');
  const roots = resolveRoots({ roots: named, env: io.env });
  // The default and the environment may name a folder that does not exist yet; a typed one must exist.
  const missing = named.length === 0 ? undefined : roots.find(isMissing);
  if (missing === undefined) return roots;
  throw new UserError(`there is no folder ${missing}`, 'give one with sessions, such as ~/.claude');
}

/** The demo sessions belong to the installed program. */
export function refuseDemo({ flags }: Pick<CommandInput, 'flags'>, command: string): void {
  if (flags.demo !== true) return;
  throw new UserError(`${command} does not change the demo sessions`, 'leave out --demo');
}

/** A folder below an unreadable one may exist; the search for sessions reports it. */
function isMissing(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return systemErrorCode(error) === 'ENOTDIR';
  }
}

/** The folder of the package; the bundler decides how deep below it this file is. dist/ has a package.json too. */
export const packageRoot: string = packageFolder(
  // The lean commands are CommonJS, where it is a path.
  import.meta.url.startsWith('file:') ? fileURLToPath(import.meta.url) : import.meta.url,
);
export const demoRoot: string = path.join(packageRoot, 'demo');

function packageFolder(file: string): string {
  let folder = path.dirname(file);
  while (!existsSync(path.join(folder, 'demo')) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  return folder;
}

export async function readSession(
  { unread }: Pick<CommandInput, 'unread'>,
  file: string,
  options: TranscriptOptions = {},
): Promise<Session> {
  try {
    spareMemoryFor(file);
    const session = await loadSession(file, options);
    unread.add(session.files.problems);
    return session;
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}

export function spareMemoryFor(file: string): void {
  if (isLarge(file)) preferSmallMemory();
}

export function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largeFileBytes;
}

/** The file of a sub-agent can be read, but not resumed or changed without its session. */
export function refuseAgent({ isAgent, transcript, id }: Session): void {
  if (!isAgent || !id.startsWith('agent-')) return;
  const owner = transcript.nodes.find(({ sessionId }) => sessionId !== undefined && sessionId !== id)?.sessionId;
  throw new UserError(
    `${id} is the transcript of a sub-agent, not a session`,
    owner === undefined ? 'name the session it belongs to' : `name its session: ${owner}`,
  );
}
