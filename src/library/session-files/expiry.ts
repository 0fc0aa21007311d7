// Sessions → those that Claude Code deletes soon: when it starts, it removes transcripts that nothing has changed for
// `cleanupPeriodDays` (settings.json, 30 by default). It goes by the time of the file, not of the lines.
import { statSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, parseJson } from '../../base/json/index.ts';
import { type ProjectsFolder, projectsFolder } from '../../store/index.ts';

export interface Expiring<T> {
  readonly session: T;
  readonly expiresAt: number;
  /** Whole days; negative where the next start of the client deletes it. */
  readonly daysLeft: number;
}

const dayMs = 86_400_000;
const defaultDays = 30;
export const warningDays = 7;

export interface ExpiringSource {
  readonly root: string;
  readonly mtimeMs: number;
  /** Of another machine, whose settings are not here. */
  readonly cleanupDays?: number;
}

/** Sessions that are due now or within a week, the soonest first. */
export function findExpiring<T extends ExpiringSource>(sessions: readonly T[], nowMs: number): readonly Expiring<T>[] {
  const local = sessions.filter((session) => session.cleanupDays === undefined);
  const daysOf = new Map([...new Set(local.map(({ root }) => root))].map((root) => [root, cleanupDays(root)]));
  return sessions
    .map((session) => {
      const days = session.cleanupDays ?? daysOf.get(session.root) ?? defaultDays;
      const expiresAt = session.mtimeMs + days * dayMs;
      return { session, expiresAt, daysLeft: Math.floor((expiresAt - nowMs) / dayMs) };
    })
    .filter(({ expiresAt }) => expiresAt - nowMs <= warningDays * dayMs)
    .sort((a, b) => a.expiresAt - b.expiresAt);
}

/** Days until the client deletes a transcript; `undefined` if that is not soon, or if it is in none of the folders. */
export function daysLeftOf(file: string, folders: readonly ProjectsFolder[], nowMs: number): number | undefined {
  const root = folders.find(({ projects }) => file.startsWith(projects + path.sep))?.root;
  const mtimeMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (root === undefined || mtimeMs === undefined) return undefined;
  return findExpiring([{ root, mtimeMs }], nowMs)[0]?.daysLeft;
}

/** For how many days the client of this root keeps a transcript. */
export function cleanupDays(root: string): number {
  const projects = projectsFolder(root);
  const config = path.basename(projects) === 'projects' ? path.dirname(projects) : root;
  const days = asObject(parseJson(readText(path.join(config, 'settings.json'))))?.cleanupPeriodDays;
  return typeof days === 'number' && days >= 0 ? days : defaultDays;
}

function readText(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    return ''; // no settings: the default holds
  }
}
