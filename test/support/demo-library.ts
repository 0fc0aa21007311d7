// The bundled demo sessions, as files of a library that a test may change.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow, projectRoot } from './paths.ts';

/** By their path below `projects`. */
export function demoProjects(): Readonly<Record<string, Buffer>> {
  const folder = path.join(projectRoot, 'demo/projects');
  const files = filesBelow(folder, '').filter((file) => /\.\w+$/.test(file));
  return Object.fromEntries(files.map((file) => [path.relative(folder, file), readFileSync(file)]));
}
