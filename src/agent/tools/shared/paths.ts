// Resolves paths of the model, and describes paths that do not exist. Relative paths start at the working directory, `~`
// is the home folder. Permission rules judge both what a path says and where it leads (permission/path.ts).
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import type { Workspace } from '../../contract/index.ts';
import { limits } from './limits.ts';

/** Blanks around a path are dropped before anything judges it. */
const anyPath = z
  .string()
  .trim()
  .max(limits.pathChars, `is longer than ${limits.pathChars} characters`)
  .refine((text) => !text.includes('\0'), 'holds a NUL character');

export const pathSchema: z.ZodString = anyPath.min(1, 'is empty');
/** An empty path is the working directory. */
export const folderSchema: z.ZodString = anyPath;

export function resolvePath({ cwd }: Pick<Workspace, 'cwd'>, given: string): string {
  // The home folder by which the rules judge, not the HOME of the environment of commands.
  return /^~(?:\/|$)/.test(given) ? path.resolve(`${homedir()}${given.slice(1)}`) : path.resolve(cwd, given);
}

/** As the model names it: relative to the working directory if it is below. */
export function shownPath({ cwd }: Pick<Workspace, 'cwd'>, file: string): string {
  const relative = path.relative(cwd, file);
  const isBelow = relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`);
  return isBelow && !path.isAbsolute(relative) ? relative : file;
}

/** Suggests a similar name in the same folder, or the same name with another extension. */
export async function describeMissing(workspace: Workspace, file: string): Promise<string> {
  const similar = await findSimilar(file);
  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
  return `File does not exist: ${file}. The working directory is ${workspace.cwd}.${hint}`;
}

const maxNames = 5000;

async function findSimilar(file: string): Promise<string | undefined> {
  const folder = path.dirname(file);
  const wanted = path.basename(file).toLowerCase();
  const names = await readdir(folder).catch(() => []);
  const ranked = names
    .slice(0, maxNames)
    .map((name) => ({ name, distance: nameDistance(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0] === undefined ? undefined : path.join(folder, ranked[0].name);
}

function nameDistance(a: string, b: string): number {
  if (path.parse(a).name === path.parse(b).name) return 0;
  if (Math.abs(a.length - b.length) > 4 || a.length > 255) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? Number.POSITIVE_INFINITY;
}
