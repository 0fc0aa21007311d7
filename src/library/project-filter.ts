// What a person types after --project → whether a session is of that project: a path names a folder exactly, any other
// word is looked for in the folder's path.
import { homedir } from 'node:os';
import path from 'node:path';
import { slugMatches } from '../store/slug.ts';

export interface ProjectPlace {
  readonly cwd?: string | undefined;
  readonly slug: string;
}

export function createProjectFilter(wanted: string, cwd: string): (place: ProjectPlace) => boolean {
  const isPath = path.isAbsolute(wanted) || /^[.~](?:$|[./])/.test(wanted);
  if (isPath) {
    const full = path.resolve(cwd, wanted.replace(/^~(?=$|\/)/, homedir()));
    return (place) => (place.cwd === undefined ? slugMatches(place.slug, full) : place.cwd === full);
  }
  const word = wanted.toLowerCase();
  return (place) => (place.cwd ?? place.slug).toLowerCase().includes(word) || place.slug === wanted;
}
