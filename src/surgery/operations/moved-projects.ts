// Everything that belongs to a renamed working directory: its sessions and those of its subfolders, their memory, and the
// prompts in `history.jsonl`. The names of project folders are ambiguous, so the lines decide.

import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { UnreadableError } from '../../base/errors/index.ts';
import { readRegularFile } from '../../base/files/index.ts';
import { asString, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { editJson } from '../../format/bytes/index.ts';
import { leftOutNotes } from '../../library/session-files/index.ts';
import { cwdOf, type Session } from '../../session/load/index.ts';
import { isRecognised } from '../../session/transcript/index.ts';
import {
  type DiskProblem,
  discoverSessions,
  encodeOldSlug,
  type LeftOut,
  listFolder,
  listOwned,
  projectsFolders,
  realPlace,
  slugMatches,
  staysIn,
  whySessionLeaves,
} from '../../store/index.ts';
import { loadSource, type PlannedOtherFile, type Source, splitLines } from '../engine/index.ts';
import { folderFor, movePath, type Relocation, restBelow } from './move.ts';

export async function listNested(folder: string): Promise<readonly Source[]> {
  const problems: DiskProblem[] = [];
  const nested: Source[] = [];
  for (const entry of await listFolder(folder, problems)) {
    if (!entry.isDirectory()) continue;
    for (const { name } of await listFolder(path.join(folder, entry.name), problems))
      if (isSessionName(name) && isRecognised(path.join(folder, entry.name, name)))
        nested.push(await loadSource(path.join(folder, entry.name, name)));
  }
  return nested;
}

function isSessionName(name: string): boolean {
  return name.endsWith('.jsonl') && isUuid(name.slice(0, -'.jsonl'.length));
}

export interface MovedProject {
  readonly relocations: readonly Relocation[];
  readonly otherFiles: readonly PlannedOtherFile[];
  readonly removals: readonly string[];
  readonly continuedBy: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

export async function findMovedProject(roots: readonly string[], from: string, to: string): Promise<MovedProject> {
  const { inside, elsewhere, leftOut } = await sessionsBelow(roots, from);
  const relocations = inside.map(({ source, launched }) => ({
    source,
    folder: folderFor(source.folder, movePath(launched, from, to) ?? to),
    cwd: { from, to },
  }));
  const memory = await movedMemory(relocations);
  const projects = new Set(relocations.map(({ source }) => path.dirname(source.folder)));
  const histories = [...projects].flatMap(
    (folder) => historyOf(folder, (entry) => movedProject(entry, from, to)) ?? [],
  );
  return {
    relocations,
    otherFiles: [...memory.otherFiles, ...histories],
    removals: memory.removals,
    continuedBy: memory.continuedBy,
    notes: [
      ...(elsewhere === 0
        ? []
        : [`${elsewhere} sessions in a project folder of that name belong to another folder and are not moved`]),
      ...leftOutNotes(leftOut),
      ...memory.notes,
    ],
  };
}

/** The `history.jsonl` next to a projects folder with new `project` fields; `undefined` if none changes. */
export function historyOf(
  projects: string,
  change: (entry: JsonObject) => string | undefined,
): PlannedOtherFile | undefined {
  const file = path.join(path.dirname(projects), 'history.jsonl');
  const isOwn = statSync(file, { throwIfNoEntry: false })?.isFile() === true && staysIn(file, path.dirname(projects));
  if (path.basename(projects) !== 'projects' || !isOwn) return undefined;
  let isChanged = false;
  const bytes = readRegularFile(file, { maxBytes: Number.POSITIVE_INFINITY });
  const lines = splitLines(bytes).map((line) => {
    const entry = parseJson(line.toString('utf8'));
    const project = isObject(entry) ? change(entry) : undefined;
    if (project === undefined) return line;
    isChanged = true;
    return editJson(line, [{ path: ['project'], set: project }]);
  });
  return isChanged
    ? { path: file, content: { bytes: Buffer.concat(lines) }, isLog: true, readBytes: bytes.length }
    : undefined;
}

/** The folder in which the client was started: a `cwd` of its lines, or a parent of one, that matches the project folder. */
export function launchFolderOf(session: Session, projectFolder: string): string | undefined {
  const slug = path.basename(projectFolder);
  for (const cwd of new Set(session.transcript.nodes.flatMap((node) => node.cwd ?? []))) {
    for (let folder = cwd; folder !== ''; folder = folder.replace(/[\\/]?[^\\/]*$/, ''))
      if (slugMatches(slug, folder)) return folder;
  }
  return cwdOf(session);
}

/** Whether an unreadable folder or transcript may hold sessions to move. */
function mayBelong(file: string, roots: readonly string[], start: string): boolean {
  const below = projectsFolders(roots).find(({ projects }) => file.startsWith(projects + path.sep));
  if (below === undefined) return true;
  return file
    .slice(below.projects.length + 1)
    .toLowerCase()
    .startsWith(start);
}

interface Found {
  readonly source: Source;
  readonly launched: string;
}

interface FoundBelow {
  readonly inside: readonly Found[];
  /** The number of sessions in a project folder of that name that belong to another folder. */
  readonly elsewhere: number;
  /** Links to transcripts outside the root, which are not moved. */
  readonly leftOut: readonly LeftOut[];
}

async function sessionsBelow(roots: readonly string[], from: string): Promise<FoundBelow> {
  const start = encodeOldSlug(from).slice(0, 200).toLowerCase();
  const { sessions, problems } = await discoverSessions(roots);
  const unread = problems.find(({ path: file, code }) => code !== 'ENOENT' && mayBelong(file, roots, start));
  if (unread !== undefined)
    throw new UnreadableError(unread.path, unread.code, 'check the permissions; nothing was moved');
  const inside: Found[] = [];
  const silent: Source[] = [];
  const leftOut: LeftOut[] = [];
  let elsewhere = 0;
  for (const found of sessions) {
    if (!found.slug.toLowerCase().startsWith(start)) continue;
    const leaving = whySessionLeaves(found.path);
    if (leaving !== undefined) {
      leftOut.push({ path: found.path, reason: leaving });
      continue;
    }
    const source = await loadSource(found.path, { roots });
    const launched = launchFolderOf(source.session, source.folder);
    if (launched !== undefined && restBelow(launched, from) !== undefined) inside.push({ source, launched });
    else if (launched === undefined && slugMatches(found.slug, from)) silent.push(source);
    else if (slugMatches(found.slug, from)) elsewhere++;
  }
  // Files without a `cwd`, such as those of a failed resume, move with the others.
  if (elsewhere === 0) inside.push(...silent.map((source) => ({ source, launched: from })));
  return { inside, elsewhere: elsewhere === 0 ? 0 : elsewhere + silent.length, leftOut };
}

function movedProject(entry: JsonObject, from: string, to: string): string | undefined {
  const project = asString(entry.project);
  return project === undefined ? undefined : movePath(project, from, to);
}

/** The memory of a project is next to its sessions; it moves too, unless the target has its own. */
async function movedMemory(relocations: readonly Relocation[]): Promise<Omit<MovedProject, 'relocations'>> {
  const otherFiles: PlannedOtherFile[] = [];
  const removals: string[] = [];
  const continuedBy = new Map<string, string>();
  const notes: string[] = [];
  for (const [old, folder] of new Map(relocations.map(({ source, folder: target }) => [source.folder, target]))) {
    if (old === folder) continue;
    const memory = path.join(old, 'memory');
    const owned = await listOwned(memory, realPlace(memory), []);
    notes.push(...leftOutNotes(owned.leftOut));
    for (const file of owned.files.filter((each) => path.dirname(each) === memory)) {
      const target = path.join(folder, 'memory', path.basename(file));
      if (existsSync(target)) notes.push(`${file} is not moved: the new folder has its own`);
      else {
        otherFiles.push({ path: target, content: { copyOf: file } });
        removals.push(file);
        continuedBy.set(file, target);
      }
    }
  }
  return { otherFiles, removals, continuedBy, notes };
}
