// SESSION and the roots, as every command takes them → a loaded session, or a UserError that says what the file is
// instead of one.
import { statSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { largeFileBytes, preferSmallMemory } from '../base/memory.ts';
import { refuseUnreadable } from '../session/recognise.ts';
import { loadSession, type Session } from '../session/session.ts';
import type { TranscriptOptions } from '../session/transcript.ts';
import { findSession } from '../store/discover.ts';
import { diskError } from '../store/disk.ts';
import type { CommandInput } from './command.ts';
import { rootsOf } from './roots-argument.ts';

export { demoRoot, rootsOf } from './roots-argument.ts';

export async function findSessionArgument(input: CommandInput): Promise<string> {
  return findSession(input.argument ?? '', rootsOf(input), input.io.cwd);
}

/** Loads any file that holds at least one record; what holds none is named for what it is. */
export async function openSession(input: CommandInput): Promise<Session> {
  const found = await findSessionArgument(input);
  // For a reader, a line that is broken inside a string matters less than waiting for every line to be parsed.
  const session = await readSession(input, found, { strict: !isLarge(found) });
  refuseUnreadable(session.transcript);
  return session;
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

function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largeFileBytes;
}

/** The file of a sub-agent belongs to a session; by itself it can be read, but not resumed or changed. */
export function refuseAgent({ isAgent, transcript, id }: Session): void {
  if (!isAgent || !id.startsWith('agent-')) return;
  const owner = transcript.nodes.find(({ sessionId }) => sessionId !== undefined && sessionId !== id)?.sessionId;
  throw new UserError(
    `${id} is the transcript of a sub-agent, not a session`,
    owner === undefined ? 'name the session it belongs to' : `name its session: ${owner}`,
  );
}
