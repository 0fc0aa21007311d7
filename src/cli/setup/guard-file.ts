// Whether `clew guard set` has set a limit.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { stateFolder } from '../../store/index.ts';

export function readGuardFile(env: NodeJS.ProcessEnv): boolean {
  return existsSync(path.join(stateFolder(env), 'guard.json'));
}
