// Roots → the sessions whose transcript is gone, with what is left of each: prompts in `history.jsonl`, copies of edited
// files, sub-agents, saved tool output, tasks, and the copy in Clew's archive. Everything is only read.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { type DiskProblem, encodeSlug, type LeftOut, realPlace } from '../../store/index.ts';
import type { Manifest } from '../archive/pack/index.ts';
import { runningClients } from '../session-files/index.ts';
import { type HistoryEntry, isLocalCommand, readHistory, renamedTo } from './history.ts';
import { type ConfigFolder, configFolders, isInside, readTraces, type Traces } from './traces.ts';
import { groupUnnamed, type UnnamedGroup, type UnnamedPrompt } from './unnamed.ts';

/** How much of a deleted session is left. */
export interface Remains {
  /** Prompts in `history.jsonl`; commands of the client such as `/clear` do not count. */
  readonly prompts: number;
  /** Copies of edited files, and of how many files. */
  readonly fileVersions: number;
  readonly files: number;
  readonly agents: number;
  readonly toolResults: number;
  /** To-do lists and tasks. */
  readonly tasks: number;
  /** Other files, such as a debug log. */
  readonly others: number;
}

/** A session whose transcript is gone. */
export interface DeletedSession {
  /** What `clew recover` takes: the session id, or a made-up name if `hasId` is false. */
  readonly id: string;
  /** `false`: prompts of an old client, which did not note the session; grouped by project and time. */
  readonly hasId: boolean;
  readonly root: string;
  /** Where its transcript was, or would have been. */
  readonly path: string;
  /** The working directory. */
  readonly cwd: string | undefined;
  /** The name of its project folder. */
  readonly project: string;
  /** The name that the user gave it, or its first prompt. */
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  /** Milliseconds since 1970; `NaN` if unknown. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly left: Remains;
  /** The archive has the whole transcript: `clew restore` brings it back. */
  readonly isArchived: boolean;
  /** @internal */
  readonly traces: Traces | undefined;
  /** @internal */
  readonly folder: ConfigFolder;
}

/** The deleted sessions below some roots. */
export interface DeletedList {
  /** The most recently used first. */
  readonly sessions: readonly DeletedSession[];
  readonly leftOut: readonly LeftOut[];
  readonly problems: readonly DiskProblem[];
}

/** Options of `listDeleted` and `searchDeleted`. */
export interface DeletedOptions {
  readonly roots: readonly string[];
  readonly env?: Environment;
}

/** @internal */
export interface FoundDeleted extends DeletedList {
  /** The `id` of the deleted session that a line of a history belongs to. */
  ownerOf(folder: ConfigFolder, entry: HistoryEntry): string | undefined;
}

/** What the archive has of a session without a transcript. */
export interface ArchivedTrace {
  readonly id: string;
  readonly manifest: Manifest;
  readonly folder: ConfigFolder;
  readonly cwd: string | undefined;
  readonly prompt: string | undefined;
}

export type Known = ReadonlyMap<string, Pick<DeletedSession, 'cwd' | 'firstPrompt'>>;

export interface FindOptions extends DeletedOptions {
  /** Looks at nothing but the prompts. */
  readonly onlyPrompts?: boolean;
  /** Finds the sessions in the archive, see list.ts: a search does not load the archive. */
  readonly archived?: (
    folders: readonly ConfigFolder[],
    isLiving: (id: string) => boolean,
    known: Known,
  ) => Iterable<ArchivedTrace>;
}

export function findDeleted({ roots, onlyPrompts = false, archived }: FindOptions): FoundDeleted {
  const folders = configFolders(roots);
  if (onlyPrompts && !folders.some(hasHistory)) return nothing;
  const { traces, living, leftOut, problems } = readTraces(folders, onlyPrompts);
  const running = new Set([...runningClients(roots).keys()].map((id) => id.toLowerCase()));
  const isLiving = (id: string): boolean => living.has(id.toLowerCase()) || running.has(id.toLowerCase());
  const drafts = new Map<string, Draft>();
  const draftOf = (id: string, folder: ConfigFolder): Draft => {
    const known = drafts.get(id) ?? new Draft(id, folder);
    drafts.set(id, known);
    return known;
  };
  const groups: (readonly [ConfigFolder, UnnamedGroup])[] = [];
  /** By history and line. */
  const unnamedOwners = new Map<string, Map<number, string>>();
  const allLeftOut = [...leftOut];
  const allProblems = [...problems];
  for (const folder of folders) {
    const unnamed: UnnamedPrompt[] = [];
    for (const entry of historyOf(folder, allLeftOut, allProblems)) {
      if (entry.sessionId === undefined) unnamed.push({ ...entry, display: entry.display.slice(0, longestTitle) });
      else if (!isLiving(entry.sessionId)) draftOf(entry.sessionId, folder).add(entry);
    }
    const owners = new Map<number, string>();
    for (const group of groupUnnamed(unnamed, folder)) {
      groups.push([folder, group]);
      for (const line of group.lines) owners.set(line, group.id);
    }
    unnamedOwners.set(folder.projects, owners);
  }
  for (const [id, trace] of traces) if (!isLiving(id)) draftOf(id, trace.folder).traces = trace;
  for (const { id, manifest, folder, cwd, prompt } of archived?.(folders, isLiving, drafts) ?? []) {
    const draft = draftOf(id, folder);
    draft.manifest = manifest;
    draft.cwd ??= cwd;
    draft.firstPrompt ??= prompt;
  }
  const sessions = [
    ...[...drafts.values()].filter((draft) => draft.isSession).map((draft) => draft.finish()),
    ...groups.map(([folder, group]) => sessionOfGroup(group, folder)),
  ];
  return {
    sessions: sessions.sort((a, b) => (b.endedAt || 0) - (a.endedAt || 0) || (a.id < b.id ? -1 : 1)),
    leftOut: allLeftOut,
    problems: allProblems,
    ownerOf: (folder, entry) => {
      if (entry.sessionId === undefined) return unnamedOwners.get(folder.projects)?.get(entry.line);
      return drafts.get(entry.sessionId)?.isSession === true ? entry.sessionId : undefined;
    },
  };
}

const nothing: FoundDeleted = { sessions: [], leftOut: [], problems: [], ownerOf: () => undefined };

function hasHistory({ config }: ConfigFolder): boolean {
  return config !== undefined && existsSync(path.join(config, 'history.jsonl'));
}

const longestTitle = 500;

/** The lines of the history of a config folder; of one that leads out of it, none. */
export function* historyOf(
  { config }: ConfigFolder,
  leftOut: LeftOut[],
  problems: DiskProblem[],
  accepts?: (line: string) => boolean,
): Generator<HistoryEntry> {
  if (config === undefined) return;
  const file = path.join(config, 'history.jsonl');
  if (!existsSync(file)) return;
  if (!isInside(file, config)) {
    leftOut.push({ path: file, reason: `is a link to ${realPlace(file)}, outside ${config}` });
    return;
  }
  try {
    yield* readHistory(file, accepts);
  } catch (error) {
    const code = systemErrorCode(error);
    problems.push({ path: file, code: code ?? 'not a regular file' });
  }
}

class Draft {
  readonly id: string;
  readonly folder: ConfigFolder;
  traces: Traces | undefined;
  manifest: Manifest | undefined;
  cwd: string | undefined;
  firstPrompt: string | undefined;
  #renamed: string | undefined;
  #prompts = 0;
  #startedAt = Number.POSITIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, folder: ConfigFolder) {
    this.id = id;
    this.folder = folder;
  }

  add({ display, time, project }: HistoryEntry): void {
    this.cwd ??= project;
    this.#renamed = renamedTo(display)?.slice(0, longestTitle) ?? this.#renamed;
    this.#addTime(time);
    if (isLocalCommand(display)) return;
    this.#prompts++;
    this.firstPrompt ??= display.slice(0, longestTitle);
  }

  /** A client that is opened and closed without a prompt notes its `/exit`, but never writes a transcript. */
  get isSession(): boolean {
    return this.#prompts > 0 || this.traces !== undefined || this.manifest !== undefined;
  }

  finish(): DeletedSession {
    const { id, folder, traces, manifest } = this;
    const listed = traces?.listed;
    const firstPrompt = this.firstPrompt ?? listed?.firstPrompt;
    const cwd = this.cwd ?? listed?.cwd;
    const hasTimes = this.#startedAt <= this.#endedAt;
    const project = traces?.slug ?? manifest?.slug ?? (cwd === undefined ? '' : encodeSlug(cwd));
    const [startedAt, endedAt] = hasTimes ? [this.#startedAt, this.#endedAt] : timesOf(traces, manifest);
    return {
      id,
      hasId: true,
      root: folder.root,
      path: path.join(folder.projects, project, `${id}.jsonl`),
      cwd,
      project,
      title: traces?.title ?? this.#renamed ?? listed?.summary ?? firstPrompt,
      firstPrompt,
      startedAt,
      endedAt,
      left: remainsOf(this.#prompts, traces),
      isArchived: manifest !== undefined && manifest.files[0]?.path === `${manifest.sessionId}.jsonl`,
      traces,
      folder,
    };
  }

  #addTime(time: number): void {
    if (Number.isNaN(time)) return;
    this.#startedAt = Math.min(this.#startedAt, time);
    this.#endedAt = Math.max(this.#endedAt, time);
  }
}

function remainsOf(prompts: number, traces: Traces | undefined): Remains {
  return {
    prompts,
    fileVersions: traces?.versions.length ?? 0,
    files: new Set(traces?.versions.map(({ pathHash }) => pathHash)).size,
    agents: traces?.agents.length ?? 0,
    toolResults: traces?.toolResults.length ?? 0,
    tasks: traces?.tasks.length ?? 0,
    others: traces?.others.length ?? 0,
  };
}

/** Without prompts, the times of the files say when it was used. */
function timesOf(traces: Traces | undefined, manifest: Manifest | undefined): readonly [number, number] {
  const listed = traces?.listed;
  if (listed !== undefined && !Number.isNaN(listed.endedAt)) return [listed.startedAt, listed.endedAt];
  const files = [traces?.versions, traces?.agents, traces?.toolResults, traces?.tasks].flatMap((each) => each ?? []);
  const times = [...files, ...(manifest?.files ?? [])].map(({ mtimeMs }) => mtimeMs);
  if (traces?.envMs !== undefined && times.length === 0) times.push(traces.envMs);
  if (times.length === 0) return [Number.NaN, Number.NaN];
  return [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
}

function sessionOfGroup(group: UnnamedGroup, folder: ConfigFolder): DeletedSession {
  const { id, cwd, firstPrompt, startedAt, endedAt, prompts } = group;
  const project = cwd === undefined ? '' : encodeSlug(cwd);
  return {
    id,
    hasId: false,
    root: folder.root,
    path: path.join(folder.projects, project, `${id}.jsonl`),
    cwd,
    project,
    title: firstPrompt,
    firstPrompt,
    startedAt,
    endedAt,
    left: remainsOf(prompts, undefined),
    isArchived: false,
    traces: undefined,
    folder,
  };
}
