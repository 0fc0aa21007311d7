// SESSION and the roots, as every command takes them → a loaded session, or a UserError that says what the file is
// instead of one.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../base/errors.ts';
import { largeFileBytes, preferSmallMemory } from '../base/memory.ts';
import { loadSession, type Session } from '../session/session.ts';
import type { TranscriptOptions } from '../session/transcript.ts';
import { findSession } from '../store/discover.ts';
import { diskError } from '../store/disk.ts';
import { resolveRoots } from '../store/roots.ts';
import { type CommandInput, listFlag } from './command.ts';

export function rootsOf({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): readonly string[] {
  if (flags.demo === true) return [demoRoot];
  const named = listFlag(flags, 'root');
  const roots = resolveRoots({ roots: named, env: io.env });
  // The default and the environment may name a folder that is yet to come; who types one wants what is in it.
  const missing = named.length === 0 ? undefined : roots.find((root) => !existsSync(root));
  if (missing === undefined) return roots;
  throw new UserError(`there is no folder ${missing}`, 'name one that holds sessions, such as ~/.claude');
}

/** The bundled library stands in the package's own folder; the bundler decides how deep below it this code stands. */
export const demoRoot: string = path.join(packageFolder(fileURLToPath(import.meta.url)), 'demo');

function packageFolder(file: string): string {
  let folder = path.dirname(file);
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder))
    folder = path.dirname(folder);
  return folder;
}

export async function findSessionArgument(input: CommandInput): Promise<string> {
  return findSession(input.argument ?? '', rootsOf(input), input.io.cwd);
}

/** Loads any file that holds at least one record; what holds none is named for what it is. */
export async function openSession(input: CommandInput): Promise<Session> {
  const found = await findSessionArgument(input);
  // For a reader, a line that is broken inside a string matters less than waiting for every line to be parsed.
  const session = await readSession(found, { strict: !isLarge(found) });
  refuseForeign(session);
  const { path: file, sizeBytes, nodes } = session.transcript;
  if (sizeBytes === 0) {
    throw new UserError(`${file} is empty, as some clients leave it when they resume`, 'run `clew ls` for the others');
  }
  if (nodes.length === 0) {
    throw new UserError(
      `${file} is not a transcript: no line of it is a JSON record`,
      'name a .jsonl file of Claude Code',
    );
  }
  return session;
}

export async function readSession(file: string, options: TranscriptOptions = {}): Promise<Session> {
  try {
    if (isLarge(file)) preferSmallMemory();
    return await loadSession(file, options);
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}

function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largeFileBytes;
}

export function refuseForeign({ transcript }: Session): void {
  if (transcript.foreign === undefined) return;
  throw new UserError(
    `${transcript.path} was written by ${transcript.foreign}, and Clew reads Claude Code only`,
    'run `clew ls` for the sessions it can read',
  );
}
