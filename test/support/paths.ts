// Where tests find things in the checkout.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout; the compiled tests are in build/test/support. */
export const projectRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => path.join(folder, file));
}
