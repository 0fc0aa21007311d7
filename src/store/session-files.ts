// The path of a main transcript comes in, every file that belongs to the session by its place goes out:
// sub-agent transcripts, tool results and notes. Only names are looked at; no line is read.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { compareNames, type DiskProblem, listFolder } from './folders.ts';

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
  /** The file's name without `.jsonl`, which is what the client goes by. */
  readonly sessionId: string;
  readonly main: string;
  /** The side folder `<sessionId>/`, whether or not it exists. */
  readonly folder: string;
  readonly agents: readonly AgentFile[];
  /** `agent-*.jsonl` beside the main transcript (2.0.x): whose they are, only their lines tell. */
  readonly flatAgents: readonly string[];
  readonly journals: readonly string[];
  readonly toolResults: readonly string[];
  readonly customTitle?: string;
  readonly archived?: string;
  readonly problems: readonly DiskProblem[];
}

/**
 * What stands in project folders, each listed once: for who asks for the files of many sessions at one moment. A
 * folder of ten thousand sessions listed for each of them is a hundred million names.
 */
export class ProjectListings {
  readonly #listings = new Map<string, Promise<ProjectListing>>();

  of(folder: string): Promise<ProjectListing> {
    const listing = this.#listings.get(folder) ?? listProject(folder);
    this.#listings.set(folder, listing);
    return listing;
  }
}

interface ProjectListing {
  readonly names: ReadonlySet<string>;
  readonly flatAgents: readonly string[];
  readonly problems: readonly DiskProblem[];
}

async function listProject(folder: string): Promise<ProjectListing> {
  const problems: DiskProblem[] = [];
  const entries = await listFolder(folder, problems);
  const flatAgents = entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.jsonl') && agentIdOf(entry.name) !== undefined)
    .map((entry) => path.join(folder, entry.name));
  return { names: new Set(entries.map((entry) => entry.name)), flatAgents, problems };
}

/** All files of the session whose main transcript is `mainPath`. What is missing is left out, never an error. */
export async function sessionFiles(
  mainPath: string,
  listings: ProjectListings = new ProjectListings(),
): Promise<SessionFiles> {
  const main = path.resolve(mainPath);
  const sessionId = path.basename(main, '.jsonl');
  const folder = path.join(path.dirname(main), sessionId);
  const project = await listings.of(path.dirname(main));
  const flatAgents = project.flatAgents.filter((file) => file !== main);
  const problems = [...project.problems];
  // A folder that may be entered but not listed can still hold what we know the name of.
  if (!project.names.has(sessionId) && problems.length === 0)
    return { sessionId, main, folder, agents: [], flatAgents, journals: [], toolResults: [], problems };
  const subagents = path.join(folder, 'subagents');
  const below = await filesBelow(subagents, problems);
  const [customTitle, archived] = await Promise.all(
    ['custom-title.json', 'archived.json'].map((name) => existingFile(path.join(folder, name))),
  );
  return {
    sessionId,
    main,
    folder,
    agents: agentsAmong(below, subagents),
    flatAgents,
    journals: below.filter((file) => path.basename(file) === 'journal.jsonl'),
    toolResults: await filesBelow(path.join(folder, 'tool-results'), problems),
    ...(customTitle === undefined ? {} : { customTitle }),
    ...(archived === undefined ? {} : { archived }),
    problems,
  };
}

/** The id in the name of a sub-agent's transcript or meta file; `undefined` for any other name. */
export function agentIdOf(fileName: string): string | undefined {
  return /^agent-(.+?)(?:\.meta\.json|\.jsonl)$/.exec(path.basename(fileName))?.[1];
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

/**
 * Linked files count, linked folders are not entered: no client makes them, and one that leads upwards would
 * bring in the sub-agents of other sessions, or never end.
 */
async function filesBelow(folder: string, problems: DiskProblem[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await listFolder(folder, problems)) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(full, problems)));
    else if (entry.isFile() || (entry.isSymbolicLink() && (await existingFile(full)) !== undefined)) files.push(full);
  }
  return files.sort(compareNames);
}

async function existingFile(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
