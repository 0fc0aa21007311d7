// The SESSION argument → a loaded session, or a UserError that says what the file is instead.
import { statSync } from 'node:fs';
import { UserError } from '../../base/errors/errors.ts';
import { largeFileBytes, preferSmallMemory } from '../../base/process/memory.ts';
import { loadSession, type Session } from '../../session/load/session.ts';
import { refuseUnreadable } from '../../session/transcript/recognise.ts';
import type { TranscriptOptions } from '../../session/transcript/transcript.ts';
import { findSession } from '../../store/discover.ts';
import { diskError } from '../../store/disk.ts';
import type { CommandInput } from '../command/command.ts';
import { rootsOf } from './session.ts';

export async function findSessionArgument(input: CommandInput): Promise<string> {
  return findSession(input.argument ?? '', rootsOf(input), input.io.cwd);
}

/** Loads any file with at least one record; refuses other files and says what they are. */
export async function loadSessionArgument(input: CommandInput): Promise<Session> {
  const found = await findSessionArgument(input);
  // Strict reading parses every line, which takes too long for a large file that is only shown.
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

/** The file of a sub-agent can be read, but not resumed or changed without its session. */
export function refuseAgent({ isAgent, transcript, id }: Session): void {
  if (!isAgent || !id.startsWith('agent-')) return;
  const owner = transcript.nodes.find(({ sessionId }) => sessionId !== undefined && sessionId !== id)?.sessionId;
  throw new UserError(
    `${id} is the transcript of a sub-agent, not a session`,
    owner === undefined ? 'name the session it belongs to' : `name its session: ${owner}`,
  );
}
