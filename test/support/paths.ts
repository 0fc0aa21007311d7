// Where tests find things: the checkout, its fixtures, and the shared corpora where they are present.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout; the compiled tests stand in build/test/support. */
export const projectRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const fixtures: string = path.join(projectRoot, 'test/fixtures');

/** The large corpora stay outside the repository; tests over them run where the folder exists. */
export const shared: string = path.resolve(projectRoot, '../shared');
export const hasShared: boolean = existsSync(path.join(shared, 'corpus'));
export const skipWithoutShared: string | false = hasShared ? false : 'the shared corpora are not on this machine';

export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => path.join(folder, file));
}
