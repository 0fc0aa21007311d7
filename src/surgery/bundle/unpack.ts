// Unpacks a bundle into a temporary folder. A later import removes what a killed one left.
import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { stateFolder } from '../../store/roots.ts';
import type { Manifest } from './format.ts';
import { extractBundle } from './read.ts';

export async function unpackBundle<T>(
  file: string,
  env: NodeJS.ProcessEnv,
  use: (manifest: Manifest, folder: string) => Promise<T>,
): Promise<T> {
  const imports = path.join(stateFolder(env), 'imports');
  await removeStale(imports);
  const folder = path.join(imports, randomUUID());
  try {
    return await use(await extractBundle(file, folder), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const staleMs = 24 * 3_600_000;

async function removeStale(imports: string): Promise<void> {
  for (const name of await readdir(imports).catch(() => [])) {
    const left = path.join(imports, name);
    const { mtimeMs } = await stat(left).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleMs) await rm(left, { recursive: true, force: true });
  }
}
