// --project for commands that open no transcript: the folder's name is all they have.
import { homedir } from 'node:os';
import path from 'node:path';
import { encodeOldSlug, slugMatches } from '../store/slug.ts';

/** A path names a folder exactly; any other word is looked for in the folder's name. */
export function isOfProject(slug: string, wanted: string, cwd: string): boolean {
  const isPath = path.isAbsolute(wanted) || /^[.~](?:$|[./])/.test(wanted);
  if (isPath) return slugMatches(slug, path.resolve(cwd, wanted.replace(/^~(?=$|\/)/, homedir())));
  return slug.toLowerCase().includes(encodeOldSlug(wanted).toLowerCase());
}
