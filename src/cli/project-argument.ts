// `--project P` as every command takes it: whether a session is of that project.
import { homedir } from 'node:os';
import path from 'node:path';
import { encodeOldSlug, slugMatches } from '../store/slug.ts';

export interface ProjectSource {
  readonly cwd: string | undefined;
  /** The folder of its transcript. */
  readonly project: string;
}

/** A path names a folder exactly; any other word is looked for in the folder's path. */
export function isOfProject(session: ProjectSource, wanted: string, cwd: string): boolean {
  if (isPathArgument(wanted)) {
    const full = path.resolve(cwd, wanted.replace(/^~(?=$|\/)/, homedir()));
    return session.cwd === undefined ? slugMatches(session.project, full) : session.cwd === full;
  }
  return (session.cwd ?? session.project).toLowerCase().includes(wanted.toLowerCase()) || session.project === wanted;
}

/** For commands that open no transcript: the folder's name is all they have, and a word is looked for as it is there. */
export function isOfProjectFolder(slug: string, wanted: string, cwd: string): boolean {
  const word = isPathArgument(wanted) ? wanted : encodeOldSlug(wanted);
  return isOfProject({ cwd: undefined, project: slug }, word, cwd);
}

function isPathArgument(wanted: string): boolean {
  return path.isAbsolute(wanted) || /^[.~](?:$|[./])/.test(wanted);
}
