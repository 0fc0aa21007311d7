// Flags and environment → the config folders to read, their `projects` folders and Clew's own state folder. One place
// decides, so that every command looks at the same sessions.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { realPath } from '../base/files/index.ts';
import type { Environment } from '../base/node/index.ts';

/** Options of `resolveRoots`. */
export interface RootOptions {
  /** What `--root` named; relative paths are relative to the working directory. */
  readonly roots?: readonly string[];
  readonly env?: Environment;
  readonly home?: string;
}

/** The folder of projects that a root holds. */
export interface ProjectsFolder {
  readonly root: string;
  readonly projects: string;
}

/**
 * Returns the folders to look for sessions in, as the commands do: `--root`, else CLEW_ROOTS, else CLAUDE_CONFIG_DIR,
 * else the defaults.
 */
export function resolveRoots(options: RootOptions = {}): readonly string[] {
  const { roots = [], env = process.env, home = homedir() } = options;
  const named = [roots, splitList(env.CLEW_ROOTS, path.delimiter), configFolders(env.CLAUDE_CONFIG_DIR, home)]
    .map((list) => list.filter((root) => root.trim() !== ''))
    .find((list) => list.length > 0);
  return [...new Set((named ?? defaultRoots(home)).map((root) => path.resolve(expandHome(root.trim(), home))))];
}

/** Where the project folders of `root` are. A `projects` folder, or a copy of one, may itself be named as a root. */
export function projectsFolder(root: string): string {
  const inside = path.join(root, 'projects');
  if (isFolder(inside)) return inside;
  if (path.basename(root) === 'projects' || holdsProjects(root)) return root;
  return inside;
}

/** The projects folder of every root, absolute, each real folder once, however many roots or links lead to it. */
export function projectsFolders(roots: readonly string[]): readonly ProjectsFolder[] {
  const seen = new Map<string, ProjectsFolder>();
  for (const root of roots.map((each) => path.resolve(each))) {
    const projects = projectsFolder(root);
    const real = realPath(projects);
    if (!seen.has(real)) seen.set(real, { root, projects });
  }
  return [...seen.values()];
}

/** Where Clew keeps its own state; never below a root. */
export function stateFolder(env: Environment = process.env, home: string = homedir()): string {
  if (env.CLEW_HOME) return path.resolve(expandHome(env.CLEW_HOME, home));
  // The XDG base directory specification says that a relative path must be ignored.
  const xdg = env.XDG_STATE_HOME;
  return xdg && path.isAbsolute(xdg) ? path.join(xdg, 'clew') : path.join(home, '.local', 'state', 'clew');
}

function defaultRoots(home: string): readonly string[] {
  const xdg = path.join(home, '.config', 'claude');
  return [path.join(home, '.claude'), ...(existsSync(xdg) ? [xdg] : [])];
}

/** The client takes the variable as one folder, ccusage as a list; a folder with a comma in its name stays one. */
function configFolders(value: string | undefined, home: string): readonly string[] {
  if (value !== undefined && isFolder(expandHome(value, home))) return [value];
  return splitList(value, ',');
}

function splitList(value: string | undefined, separator: string): readonly string[] {
  return value === undefined ? [] : value.split(separator);
}

/** In an env file or a quoted assignment no shell has expanded the tilde. */
function expandHome(folder: string, home: string): string {
  return folder === '~' || folder.startsWith('~/') ? path.join(home, folder.slice(1)) : folder;
}

function holdsProjects(root: string): boolean {
  return listNames(root).some((name) => listNames(path.join(root, name)).some((file) => file.endsWith('.jsonl')));
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/** Whether a file is below the projects folder of one of these roots. */
export function isInLibrary(file: string, roots: readonly string[]): boolean {
  const real = realPath(file);
  return projectsFolders(roots).some(({ projects }) => real.startsWith(realPath(projects) + path.sep));
}

const longestSlug = 200;

/** Returns the name of the project folder for a working directory, as current clients write it. */
export function encodeSlug(cwd: string): string {
  const slug = encodeOldSlug(cwd);
  if (slug.length <= longestSlug) return slug;
  return `${slug.slice(0, longestSlug)}-${Math.abs(hashOf(cwd)).toString(36)}`;
}

/** The same for clients up to 2.1.45, which never cut a long name. */
export function encodeOldSlug(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-');
}

/** Every folder name under which sessions of `cwd` may be, the current one first. */
export function slugsFor(cwd: string): readonly string[] {
  return [...new Set([encodeSlug(cwd), encodeOldSlug(cwd)])];
}

/** Whether a project folder of this name may belong to `cwd`; other paths may share the name. */
export function slugMatches(slug: string, cwd: string): boolean {
  return slugsFor(cwd).includes(slug);
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
