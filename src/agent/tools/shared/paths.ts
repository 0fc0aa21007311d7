// Resolves paths of the model, and describes paths that do not exist. Relative paths start at the project folder, as in
// permission rules; `~` and variables are not expanded, for the same reason.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { Workspace } from '../../contract/index.ts';
import { limits } from './limits.ts';

export const pathSchema: z.ZodString = z
  .string()
  .min(1, 'is empty')
  .max(limits.pathChars, `is longer than ${limits.pathChars} characters`)
  .refine((text) => !text.includes('\0'), 'holds a NUL character');

export function resolvePath(workspace: Workspace, given: string): string {
  return path.resolve(workspace.projectDir, given);
}

/** Suggests a similar name in the same folder, or the same name with another extension. */
export async function describeMissing(workspace: Workspace, file: string): Promise<string> {
  const similar = await findSimilar(file);
  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
  return `File does not exist: ${file}. Relative paths are seen from ${workspace.projectDir}.${hint}`;
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
