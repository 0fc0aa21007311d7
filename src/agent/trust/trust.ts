// Whether the user trusts a folder. Clew keeps one file per trusted folder in its state folder; a folder that Claude
// Code recorded as trusted counts too.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { UserError } from '../../base/errors/errors.ts';
import { asObject, parseJson } from '../../base/json/json.ts';
import type { Environment } from '../../base/node/node-types.ts';
import { writeNewFile } from '../../store/replace.ts';
import { stateFolder } from '../../store/roots.ts';
import { readText } from '../access/file.ts';
import { realPath } from '../access/place.ts';
import { findUserConfig } from '../settings/settings.ts';

export interface TrustPlace {
  readonly cwd: string;
  /** The user's `.claude` folder. */
  readonly root: string;
  readonly home: string;
  readonly env: Environment;
}

const maxConfigBytes = 32 * 1024 * 1024;

/** Only this folder: trusting a folder does not trust the folders in it. */
export async function isFolderAccepted(place: TrustPlace): Promise<boolean> {
  const folder = await realPath(place.cwd);
  const own = asObject(parseJson((await readText(acceptanceFile(folder, place.env), maxConfigBytes)) ?? ''));
  if (own?.folder === folder) return true;
  const config = (await readText(findUserConfig(place.root, place.home), maxConfigBytes)) ?? '';
  const projects = asObject(asObject(parseJson(config))?.projects);
  return asObject(projects?.[folder])?.hasTrustDialogAccepted === true;
}

export async function acceptFolder({ cwd, env }: TrustPlace, now: Date): Promise<void> {
  const folder = await realPath(cwd);
  const content = `${JSON.stringify({ folder, acceptedAt: now.toISOString() })}\n`;
  try {
    await writeNewFile(acceptanceFile(folder, env), Buffer.from(content));
  } catch (error) {
    // Another session accepted it in the meantime.
    if (!(error instanceof UserError) || !(await isFolderAccepted({ cwd, env, root: cwd, home: cwd }))) throw error;
  }
}

function acceptanceFile(folder: string, env: Environment): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return path.join(stateFolder(env), 'trusted-folders', `${name}.json`);
}
