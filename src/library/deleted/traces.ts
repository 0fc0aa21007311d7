// The folders of the client → what is left of sessions whose transcript is gone: copies of edited files, sub-agents, saved
// tool output, tasks, environments. Only names and sizes are read here; links that leave the config folder are not followed.
import { type Dirent, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { asObject, asString, isArray, parseJson } from '../../base/json/index.ts';
import { ownerOf } from '../../session/load/index.ts';
import {
  agentIdOf,
  type DiskProblem,
  isBelow,
  type LeftOut,
  listFolder,
  listOwned,
  projectNames,
  projectsFolders,
  realPlace,
} from '../../store/index.ts';
import { isPlainId, readStart } from './history.ts';

/** A config folder of the client, such as `~/.claude`. */
export interface ConfigFolder {
  readonly root: string;
  readonly projects: string;
  /** `undefined`: the root is a copy of a projects folder, with nothing of the client around it. */
  readonly config: string | undefined;
}

/** A file that is left of a session. */
export interface LeftFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** A copy that the client made of a file before it changed it. */
export interface FileVersion extends LeftFile {
  /** The first 16 digits of the SHA-256 of the path of the file. */
  readonly pathHash: string;
  readonly version: number;
}

/** What is left of one session, apart from its prompts. */
export interface Traces {
  /** Where it was found first. */
  readonly folder: ConfigFolder;
  readonly versions: FileVersion[];
  readonly agents: LeftFile[];
  readonly toolResults: LeftFile[];
  /** To-do lists and tasks. */
  readonly tasks: LeftFile[];
  /** Anything else in its folders. */
  readonly others: LeftFile[];
  /** When its environment folder was last changed. */
  envMs: number | undefined;
  title: string | undefined;
  /** The name of its project folder. */
  slug: string | undefined;
  /** From the list of sessions that clients around 2.1.29 kept. */
  listed: ListedTrace | undefined;
}

export interface ListedTrace {
  readonly firstPrompt: string | undefined;
  readonly summary: string | undefined;
  readonly cwd: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface FoundTraces {
  /** By session id. */
  readonly traces: ReadonlyMap<string, Traces>;
  /** The ids that have a transcript, in lower case. */
  readonly living: ReadonlySet<string>;
  readonly leftOut: readonly LeftOut[];
  readonly problems: readonly DiskProblem[];
}

export function configFolders(roots: readonly string[]): readonly ConfigFolder[] {
  return projectsFolders(roots).map(({ root, projects }) => {
    const isUsual = path.basename(projects) === 'projects';
    return { root, projects, config: isUsual ? path.dirname(projects) : undefined };
  });
}

/** Whether a path of the config folder is really in it, whatever links are on the way. */
export function isInside(file: string, config: string): boolean {
  return isBelow(realPlace(file), realPlace(config));
}

/** A session that was moved to another of the folders is not gone, so all are looked at together. `onlyLiving`: no traces. */
export function readTraces(folders: readonly ConfigFolder[], onlyLiving: boolean): FoundTraces {
  const found = new Found();
  const listed = folders.map((folder) => ({ folder, projects: listProjects(folder, found) }));
  if (onlyLiving) return found;
  for (const { folder, projects } of listed) {
    readProjects(folder, projects, found);
    const { config } = folder;
    if (config === undefined) continue;
    const read = (name: string, each: (place: Place, entry: Dirent, found: Found) => void): void => {
      for (const entry of subfolder(config, name, found)) each({ folder, config }, entry, found);
    };
    read('file-history', readVersions);
    read('session-env', readEnv);
    read('todos', readTodo);
    read('tasks', readTasks);
    read('debug', readDebug);
  }
  return found;
}

interface Place {
  readonly folder: ConfigFolder;
  readonly config: string;
}

interface ListedProject {
  readonly slug: string;
  readonly entries: readonly Dirent[];
}

class Found implements FoundTraces {
  readonly traces = new Map<string, Traces>();
  readonly living = new Set<string>();
  readonly leftOut: LeftOut[] = [];
  readonly problems: DiskProblem[] = [];

  of(sessionId: string, folder: ConfigFolder): Traces {
    const known = this.traces.get(sessionId);
    if (known !== undefined) return known;
    const lists = { folder, versions: [], agents: [], toolResults: [], tasks: [], others: [] };
    const fresh: Traces = { ...lists, envMs: undefined, title: undefined, slug: undefined, listed: undefined };
    this.traces.set(sessionId, fresh);
    return fresh;
  }

  has(sessionId: string): boolean {
    return this.living.has(sessionId.toLowerCase());
  }
}

function subfolder(config: string, name: string, found: Found): readonly Dirent[] {
  const folder = path.join(config, name);
  if (isInside(folder, config)) return listFolder(folder, found.problems);
  found.leftOut.push({ path: folder, reason: `is a link to ${realPlace(folder)}, outside ${config}` });
  return [];
}

/** One listing of every project folder gives both the living and the side folders of those that are gone. */
function listProjects({ projects }: ConfigFolder, found: Found): readonly ListedProject[] {
  const { names, problems } = projectNames(projects);
  found.problems.push(...problems);
  return names.map((slug) => {
    const entries = listFolder(path.join(projects, slug), found.problems);
    for (const { name } of entries)
      if (name.endsWith('.jsonl') && agentIdOf(name) === undefined)
        found.living.add(name.slice(0, -'.jsonl'.length).toLowerCase());
    return { slug, entries };
  });
}

function readProjects(folder: ConfigFolder, projects: readonly ListedProject[], found: Found): void {
  for (const { slug, entries } of projects) {
    const project = path.join(folder.projects, slug);
    for (const entry of entries) {
      if (entry.isDirectory() && isPlainId(entry.name) && !found.has(entry.name))
        readSideFolder(folder, slug, entry.name, found);
      else if (agentIdOf(entry.name) !== undefined && entry.name.endsWith('.jsonl') && entry.isFile())
        readFlatAgent(folder, slug, path.join(project, entry.name), found);
    }
    readSessionsIndex(folder, slug, found);
  }
}

function readSideFolder(config: ConfigFolder, slug: string, sessionId: string, found: Found): void {
  const folder = path.join(config.projects, slug, sessionId);
  const { files, leftOut } = listOwned(folder, realPlace(config.projects), found.problems);
  found.leftOut.push(...leftOut);
  // `memory` and other folders of the project are not sessions: those have files of a known kind.
  const isOfSession = /^[0-9a-f-]{36}$/i.test(sessionId) || files.some((file) => agentIdOf(file) !== undefined);
  if (!isOfSession) return;
  const traces = found.of(sessionId, config);
  traces.slug ??= slug;
  for (const file of [...files].sort()) {
    const left = leftFile(file, found.problems);
    if (left === undefined) continue;
    const [kind] = path.relative(folder, file).split(path.sep);
    if (agentIdOf(file) !== undefined && file.endsWith('.jsonl')) traces.agents.push(left);
    else if (kind === 'tool-results') traces.toolResults.push(left);
    else if (kind === 'custom-title.json') traces.title = titleIn(file);
    else if (!file.endsWith('.meta.json')) traces.others.push(left);
  }
}

/** Clients of 2.0.x kept sub-agents next to the transcript; only their lines name the session. */
function readFlatAgent(folder: ConfigFolder, slug: string, file: string, found: Found): void {
  const owner = ownerOf(file);
  if (owner === undefined || !isPlainId(owner) || found.has(owner)) return;
  const left = leftFile(file, found.problems);
  const traces = found.of(owner, folder);
  traces.slug ??= slug;
  if (left !== undefined) traces.agents.push(left);
}

function titleIn(file: string): string | undefined {
  return asString(asObject(parseJson(readStart(file, 64 * 1024)?.toString('utf8') ?? ''))?.customTitle);
}

const longestIndex = 16 * 1024 * 1024;

function readSessionsIndex(folder: ConfigFolder, slug: string, found: Found): void {
  const file = path.join(folder.projects, slug, 'sessions-index.json');
  // A closed folder is already reported.
  const stats = statsOf(file, []);
  if (stats?.isFile() !== true || stats.size > longestIndex || !isInside(file, folder.projects)) return;
  const index = asObject(parseJson(readStart(file, stats.size)?.toString('utf8') ?? ''));
  for (const value of isArray(index?.entries) ? index.entries : []) {
    const entry = asObject(value);
    const sessionId = asString(entry?.sessionId);
    if (entry === undefined || sessionId === undefined || !isPlainId(sessionId) || found.has(sessionId)) continue;
    if (entry.isSidechain === true) continue;
    const traces = found.of(sessionId, folder);
    traces.slug ??= slug;
    const cwd = asString(entry.projectPath);
    traces.listed = {
      firstPrompt: asString(entry.firstPrompt),
      summary: asString(entry.customTitle) ?? asString(entry.summary),
      cwd: cwd !== undefined && path.isAbsolute(cwd) ? cwd : undefined,
      startedAt: Date.parse(asString(entry.created) ?? ''),
      endedAt: Date.parse(asString(entry.modified) ?? ''),
    };
  }
}

function readVersions({ folder, config }: Place, entry: Dirent, found: Found): void {
  const id = sessionFolder(entry, found);
  if (id === undefined) return;
  for (const left of filesIn(path.join(config, 'file-history', id), config, found)) {
    const [, pathHash = '', version = ''] = /^([0-9a-f]{16})@v(\d{1,9})$/.exec(path.basename(left.path)) ?? [];
    if (pathHash === '') found.of(id, folder).others.push(left);
    else found.of(id, folder).versions.push({ ...left, pathHash, version: Number(version) });
  }
}

function readEnv({ folder, config }: Place, entry: Dirent, found: Found): void {
  const id = sessionFolder(entry, found);
  if (id === undefined) return;
  const stats = statsOf(path.join(config, 'session-env', id), found.problems);
  if (stats !== undefined) found.of(id, folder).envMs = stats.mtimeMs;
}

/** `<session>-agent-<agent>.json`, of clients before 2.1.100. */
function readTodo({ folder, config }: Place, entry: Dirent, found: Found): void {
  const id = /^([\w-]{8,100}?)-agent-[\w-]{1,100}\.json$/.exec(entry.name)?.[1];
  if (id === undefined || !entry.isFile() || found.has(id)) return;
  const left = leftFile(path.join(config, 'todos', entry.name), found.problems);
  // The client writes an empty list for every session.
  if (left !== undefined && left.sizeBytes > 2) found.of(id, folder).tasks.push(left);
}

function readTasks({ folder, config }: Place, entry: Dirent, found: Found): void {
  const id = sessionFolder(entry, found);
  if (id === undefined) return;
  for (const left of filesIn(path.join(config, 'tasks', id), config, found))
    if (left.path.endsWith('.json')) found.of(id, folder).tasks.push(left);
}

function readDebug({ folder, config }: Place, entry: Dirent, found: Found): void {
  const id = /^([0-9a-f-]{36})\.txt$/i.exec(entry.name)?.[1];
  if (id === undefined || !entry.isFile() || found.has(id)) return;
  const left = leftFile(path.join(config, 'debug', entry.name), found.problems);
  if (left !== undefined) found.of(id, folder).others.push(left);
}

/** The id of a folder that is named like a session without a transcript. */
function sessionFolder(entry: Dirent, found: Found): string | undefined {
  const isOne = entry.isDirectory() && isPlainId(entry.name) && !found.has(entry.name);
  return isOne ? entry.name : undefined;
}

function filesIn(folder: string, config: string, found: Found): readonly LeftFile[] {
  const { files, leftOut } = listOwned(folder, realPlace(config), found.problems);
  found.leftOut.push(...leftOut);
  return [...files].sort().flatMap((file) => leftFile(file, found.problems) ?? []);
}

function leftFile(file: string, problems: DiskProblem[]): LeftFile | undefined {
  const stats = statsOf(file, problems);
  return stats === undefined ? undefined : { path: file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs };
}

function statsOf(file: string, problems: DiskProblem[]): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    problems.push({ path: file, code: systemErrorCode(error) ?? 'unknown' });
    return undefined;
  }
}
