// Where the archive is, if nothing else is said.
import path from 'node:path';
import { stateFolder } from '../../store/index.ts';

export function archiveFolder(env: NodeJS.ProcessEnv = process.env): string {
  return path.join(stateFolder(env), 'archive');
}
