// Whether git, called in a folder of the project, would find a repository other than the project's own: its configuration
// may name programs that git runs even to show the status.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../real-path.ts';

export function isForeignRepository(folder: string, projectDir: string): boolean {
  for (let at = path.resolve(folder); isWithin(projectDir, at); at = path.dirname(at)) {
    const isBare = existsSync(path.join(at, 'HEAD')) && existsSync(path.join(at, 'objects'));
    if (isBare || (at !== projectDir && existsSync(path.join(at, '.git')))) return true;
    if (at === path.dirname(at)) break;
  }
  return false;
}
