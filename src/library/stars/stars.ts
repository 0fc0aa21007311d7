// The sessions that the user starred: an empty file for each in Clew's own state folder, named by the session's id. One
// file per star, so that a star can be undone whatever was starred since; nothing is written to the session.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { diskError } from '../../store/index.ts';

export function starsFolder(state: string): string {
  return path.join(state, 'stars');
}

/** The name of a session's file may contain any character. */
export function starFile(state: string, sessionId: string): string {
  return path.join(starsFolder(state), `${encodeURIComponent(sessionId).slice(0, 200)}.star`);
}

/** The ids of all starred sessions. */
export function readStars(state: string): ReadonlySet<string> {
  try {
    const names = readdirSync(starsFolder(state)).filter((name) => name.endsWith('.star'));
    return new Set(names.map((name) => decoded(name.slice(0, -'.star'.length))));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return new Set();
    throw diskError(error, 'read', starsFolder(state));
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
