// The path of a main transcript → every file that belongs to the session by its path: sub-agent transcripts, tool
// results and notes. No file is opened.
import { statSync } from 'node:fs';
import path from 'node:path';
import { isUuid } from '../base/text/index.ts';
import {
  boundaryFor,
  compareNames,
  type DiskProblem,
  isBelow,
  isProjects,
  listFolder,
  listOwned,
  listReadable,
  type OwnedFiles,
  realPlace,
} from './owned-files.ts';

/** The transcript file of a sub-agent. */
export interface AgentFile {
  readonly agentId: string;
  readonly path: string;
  readonly metaPath?: string;
  /** The id of the workflow that ran this agent. */
  readonly workflow?: string;
}

/** All files of a session. */
export interface SessionFiles {
  /** The file's name without `.jsonl`, as in the client. */
  readonly sessionId: string;
  readonly main: string;
  /** The side folder `<sessionId>/`, whether or not it exists. */
  readonly folder: string;
  readonly agents: readonly AgentFile[];
  /** `agent-*.jsonl` next to the main transcript (2.0.x): only their lines say which session they belong to. */
  readonly flatAgents: readonly string[];
  readonly journals: readonly string[];
  readonly toolResults: readonly string[];
  readonly customTitle?: string;
  readonly archived?: string;
  readonly problems: readonly DiskProblem[];
}

/**
 * The contents of project folders, each listed once, for callers that need the files of many sessions. Listing a
 * folder of ten thousand sessions again for each of them would be a hundred million names.
 */
export class ProjectListings {
  readonly #listings = new Map<string, ProjectListing>();

  of(folder: string): ProjectListing {
    const listing = this.#listings.get(folder) ?? listProject(folder);
    this.#listings.set(folder, listing);
    return listing;
  }

  /** Whether there may be a side folder for this main transcript. */
  hasFolder(main: string): boolean {
    const { names, problems } = this.of(path.dirname(main));
    return names.has(path.basename(main, '.jsonl')) || problems.length > 0;
  }
}

interface ProjectListing {
  readonly names: ReadonlySet<string>;
  readonly flatAgents: readonly string[];
  readonly problems: readonly DiskProblem[];
}

function listProject(folder: string): ProjectListing {
  const problems: DiskProblem[] = [];
  const entries = listFolder(folder, problems);
  const boundary = realPlace(isProjects(path.dirname(folder)) ? path.dirname(folder) : folder);
  const flatAgents = entries
    .filter(({ name }) => name.startsWith('agent-') && name.endsWith('.jsonl') && agentIdOf(name) !== undefined)
    .filter((entry) => entry.isFile() || isOwnFile(path.join(folder, entry.name), boundary))
    .map((entry) => path.join(folder, entry.name));
  return { names: new Set(entries.map((entry) => entry.name)), flatAgents, problems };
}

/** All files of the session whose main transcript is `mainPath`. What is missing is left out, never an error. */
export function sessionFiles(mainPath: string, listings: ProjectListings = new ProjectListings()): SessionFiles {
  const main = path.resolve(mainPath);
  const sessionId = path.basename(main, '.jsonl');
  const folder = path.join(path.dirname(main), sessionId);
  const project = listings.of(path.dirname(main));
  const flatAgents = project.flatAgents.filter((file) => file !== main);
  const problems = [...project.problems];
  // A folder that cannot be listed may still hold files with known names.
  if (!project.names.has(sessionId) && problems.length === 0)
    return { sessionId, main, folder, agents: [], flatAgents, journals: [], toolResults: [], problems };
  const side = sideFiles(main, problems, listReadable);
  const within = (name: string): readonly string[] =>
    side.files.filter((file) => file.startsWith(path.join(folder, name) + path.sep));
  const below = within('subagents');
  const [customTitle, archived] = knownFiles.map((name) => side.files.find((file) => file === path.join(folder, name)));
  return {
    sessionId,
    main,
    folder,
    agents: agentsAmong(below, path.join(folder, 'subagents')),
    flatAgents,
    journals: below.filter((file) => path.basename(file) === 'journal.jsonl'),
    toolResults: within('tool-results'),
    ...(customTitle === undefined ? {} : { customTitle }),
    ...(archived === undefined ? {} : { archived }),
    problems,
  };
}

/**
 * What belongs to a session and may be copied, changed or deleted with it, known kind or not, and what is in its folder
 * but does not.
 */
export function ownedFiles(mainPath: string, problems: DiskProblem[]): OwnedFiles {
  const main = path.resolve(mainPath);
  const project = listProject(path.dirname(main));
  problems.push(...project.problems);
  const side = sideFiles(main, problems, listOwned);
  return { files: [...project.flatAgents.filter((file) => file !== main), ...side.files], leftOut: side.leftOut };
}

type ListFiles = typeof listOwned;

/**
 * A folder that is named by a UUID, or is in a project folder, belongs to the session with all its contents. Next to a
 * transcript elsewhere (`photos.jsonl`, `photos/`) only the files that a client writes do.
 */
function sideFiles(main: string, problems: DiskProblem[], list: ListFiles): OwnedFiles {
  const project = path.dirname(main);
  const sessionId = path.basename(main, '.jsonl');
  const folder = path.join(project, sessionId);
  // A file without an ending would be its own side folder.
  if (folder === main) return { files: [], leftOut: [] };
  const boundary = boundaryFor(project, sessionId);
  if (isUuid(sessionId) || isProjects(path.dirname(project))) {
    const { files, leftOut } = list(folder, boundary, problems);
    return { files: [...files].sort(compareNames), leftOut };
  }
  const parts = knownFolders.map((name) => list(path.join(folder, name), boundary, problems));
  const notes = knownFiles.map((name) => path.join(folder, name)).filter((file) => isOwnFile(file, boundary));
  return {
    files: [...parts.flatMap(({ files }) => files), ...notes].sort(compareNames),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  };
}

const knownFolders = ['subagents', 'tool-results'];
const knownFiles = ['custom-title.json', 'archived.json'];

/** The id in the name of a sub-agent's transcript or meta file; `undefined` for any other name. */
export function agentIdOf(fileName: string): string | undefined {
  const name = path.basename(fileName);
  // Nearly all names are those of main transcripts.
  return name.startsWith('agent-') ? /^agent-(.+?)(?:\.meta\.json|\.jsonl)$/.exec(name)?.[1] : undefined;
}

function agentsAmong(files: readonly string[], subagents: string): readonly AgentFile[] {
  const known = new Set(files);
  const agents: AgentFile[] = [];
  for (const file of files) {
    const agentId = file.endsWith('.jsonl') ? agentIdOf(file) : undefined;
    if (agentId === undefined) continue;
    const meta = `${file.slice(0, -'.jsonl'.length)}.meta.json`;
    const workflow = workflowOf(path.relative(subagents, file));
    agents.push({
      agentId,
      path: file,
      ...(known.has(meta) ? { metaPath: meta } : {}),
      ...(workflow === undefined ? {} : { workflow }),
    });
  }
  return agents;
}

function workflowOf(relative: string): string | undefined {
  const parts = relative.split(path.sep);
  const folders = parts.slice(0, -1);
  const at = folders.indexOf('workflows');
  return at < 0 ? undefined : folders[at + 1];
}

function isOwnFile(file: string, boundary: string): boolean {
  try {
    return statSync(file).isFile() && isBelow(realPlace(file), boundary);
  } catch {
    return false;
  }
}
