// The deleted sessions below some roots, those included of which the archive has a copy.
import { existsSync } from 'node:fs';
import type { Environment } from '../../base/node/index.ts';
import { archivedFolder, archivedPrompt, archiveFolder } from '../archive/index.ts';
import { readContents } from '../archive/pack/index.ts';
import { type ArchivedTrace, type DeletedList, type DeletedOptions, findDeleted, type Known } from './deleted.ts';
import type { ConfigFolder } from './traces.ts';

/** Lists the sessions whose transcript is gone, with what is left of each. Nothing is changed. */
export function listDeleted(options: DeletedOptions): DeletedList {
  const { env = process.env } = options;
  return findDeleted({
    ...options,
    archived: (folders, isLiving, known) => archivedAndGone(folders, env, isLiving, known),
  });
}

function* archivedAndGone(
  folders: readonly ConfigFolder[],
  env: Environment,
  isLiving: (id: string) => boolean,
  known: Known,
): Generator<ArchivedTrace> {
  const archive = archiveFolder(env);
  if (!existsSync(archive)) return;
  const contents = readContents(archive);
  for (const { versions } of contents.sessions.values()) {
    const manifest = versions.at(-1);
    const folder = folders.find(({ projects }) => projects === manifest?.projects);
    if (manifest === undefined || folder === undefined || isLiving(manifest.sessionId)) continue;
    const { cwd, firstPrompt } = known.get(manifest.sessionId) ?? {};
    yield {
      id: manifest.sessionId,
      manifest,
      folder,
      cwd: cwd ?? archivedFolder(contents, manifest),
      prompt: firstPrompt ?? archivedPrompt(contents, manifest),
    };
  }
}
