// Roots → the sessions that a client has open now. Current clients keep `sessions/<pid>.json` next to the projects folder
// while they run; a file whose process is gone is left over.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/files/regular-file.ts';
import { asObject, asString, parseJson } from '../../base/json/json.ts';
import { isAlive } from '../../store/lock.ts';
import { projectsFolders } from '../../store/roots.ts';
import { sessionPlace } from './session-paths.ts';

/** The process by session id. */
export function runningClients(roots: readonly string[]): ReadonlyMap<string, number> {
  const running = new Map<string, number>();
  for (const { projects } of projectsFolders(roots)) {
    const folder = path.join(path.dirname(projects), 'sessions');
    for (const name of namesIn(folder)) {
      const pid = Number(/^(\d+)\.json$/.exec(name)?.[1]);
      const id = pid > 0 && isAlive(pid) ? sessionIdIn(path.join(folder, name)) : undefined;
      if (id !== undefined) running.set(id, pid);
    }
  }
  return running;
}

/** The process of the client that has this session open; told by the id alone, whatever else its file says. */
export function runningClientOf(main: string): number | undefined {
  const { sessionId, projects } = sessionPlace(main);
  const folder = path.join(path.dirname(projects), 'sessions');
  for (const name of namesIn(folder)) {
    const pid = Number(/^(\d+)\.json$/.exec(name)?.[1]);
    if (pid > 0 && isAlive(pid) && readText(path.join(folder, name)).includes(sessionId)) return pid;
  }
  return undefined;
}

function sessionIdIn(file: string): string | undefined {
  return asString(asObject(parseJson(readText(file)))?.sessionId);
}

function readText(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    return ''; // its client has just ended
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // clients that do not keep one
  }
}
