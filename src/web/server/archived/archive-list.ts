// What the archive has of the sessions below the roots, and rows for those that are no longer on disk, in the archive or
// not. The rows come at once from the records of the archive and the traces of the client; those of the archive again with titles and turns when the sessions have been read.
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { UserError } from '../../../base/errors/index.ts';
import { archiveFolder, listArchive } from '../../../library/archive/index.ts';
import { type DeletedSession, listDeleted } from '../../../library/deleted/index.ts';
import { type SessionSummary, summariseFile } from '../../../session/facts/index.ts';
import { projectsFolders } from '../../../store/index.ts';
import { finite, type ListedRow, rowOfKnown } from '../answers/index.ts';
import type { ArchivedFiles } from './archived-files.ts';

/** The latest copy of a session. */
export interface CopyState {
  readonly path: string;
  /** Of its main transcript. */
  readonly sizeBytes: number;
  readonly changedAt: number;
}

export interface ArchiveFound {
  readonly copies: readonly CopyState[];
  /** Sessions that are not on disk. */
  readonly gone: readonly ListedRow[];
}

/** Longer ones are listed without a title: reading them would keep the worker from everything else. */
const maxDescribedBytes = 32 * 1024 * 1024;

export class ArchiveList {
  readonly #roots: readonly string[];
  readonly #files: ArchivedFiles;
  /** By path and time of the copy. */
  readonly #described = new Map<string, ListedRow>();
  #waiting: readonly ListedRow[] = [];
  #isDescribing = false;

  constructor(roots: readonly string[], files: ArchivedFiles) {
    this.#roots = roots;
    this.#files = files;
  }

  read(): ArchiveFound {
    const folders = projectsFolders(this.#roots);
    const copies: CopyState[] = [];
    const gone: ListedRow[] = [];
    for (const { key, versions } of listArchive(archiveFolder())) {
      const last = versions.at(-1);
      const main = last?.files[0];
      const root = folders.find(({ projects }) => projects === last?.projects)?.root;
      if (last === undefined || main === undefined || root === undefined) continue;
      const state = { path: key, sizeBytes: main.sizeBytes, changedAt: Math.round(main.mtimeMs) };
      copies.push(state);
      if (existsSync(key)) continue;
      const row = rowOf({ ...state, sessionId: last.sessionId, project: last.slug, root }, undefined);
      gone.push(this.#described.get(nameOf(row)) ?? row);
    }
    const archived = new Set(gone.map(({ path }) => path));
    const left = listDeleted({ roots: this.#roots }).sessions.filter(({ path }) => !archived.has(path));
    this.#waiting = gone.filter((row) => !this.#described.has(nameOf(row)) && row.sizeBytes <= maxDescribedBytes);
    return { copies, gone: [...gone, ...left.map(rowOfDeleted)] };
  }

  /** Reads the sessions of the last `read` one after another; calls `onRow` for each. */
  async describe(onRow: (row: ListedRow) => void): Promise<void> {
    if (this.#isDescribing) return;
    this.#isDescribing = true;
    try {
      for (let [row] = this.#waiting; row !== undefined; [row] = this.#waiting) {
        this.#waiting = this.#waiting.slice(1);
        const described = await this.#describe(row);
        this.#described.set(nameOf(row), described);
        if (described !== row) onRow(described);
        // Lets questions of the page run in this thread.
        await setImmediate();
      }
    } finally {
      this.#isDescribing = false;
    }
  }

  async #describe(row: ListedRow): Promise<ListedRow> {
    try {
      const summary = await summariseFile(await this.#files.locate(row.path));
      const { id: sessionId, path, sizeBytes, changedAt, project, root } = row;
      return summary === undefined ? row : rowOf({ sessionId, path, sizeBytes, changedAt, project, root }, summary);
    } catch (error) {
      // A damaged copy is listed without a title; opening it says why.
      if (error instanceof UserError) return row;
      throw error;
    } finally {
      this.#files.release(row.path);
    }
  }
}

/** The times of its prompts; no line of it can be read. */
function rowOfDeleted({
  id,
  path,
  root,
  project,
  cwd,
  title,
  firstPrompt,
  startedAt,
  endedAt,
  left,
}: DeletedSession): ListedRow {
  const bare = { sessionId: id, path, root, project, sizeBytes: 0, changedAt: endedAt || 0 };
  const row = rowOf(bare, undefined);
  return {
    ...row,
    project: cwd ?? row.project,
    cwd: cwd ?? null,
    title: shortTitle(title),
    firstPrompt: shortTitle(firstPrompt),
    startedAt: finite(startedAt),
    endedAt: finite(endedAt),
    turns: left.prompts,
    agents: left.agents,
    left: { prompts: left.prompts, fileVersions: left.fileVersions, agents: left.agents },
  };
}

function shortTitle(text: string | undefined): string | null {
  const plain = text?.replace(/\s+/g, ' ').trim() ?? '';
  return plain === '' ? null : plain.slice(0, 300).toWellFormed();
}

interface BareRow extends CopyState {
  readonly sessionId: string;
  /** The name of the project folder. */
  readonly project: string;
  readonly root: string;
}

function rowOf({ changedAt, ...bare }: BareRow, summary: SessionSummary | undefined): ListedRow {
  const { entries = 0, turns = 0, agents = 0, damage = 0 } = summary ?? {};
  return rowOfKnown(
    {
      ...bare,
      mtimeMs: changedAt,
      verdict: undefined,
      firstPrompt: undefined,
      title: summary?.title,
      cwd: summary?.cwd,
      tag: summary?.tag,
      forkedFrom: summary?.forkedFrom,
      firstUuid: summary?.firstUuid,
      origin: summary?.origin ?? {},
      gitBranch: summary?.gitBranch,
      model: summary?.model,
      worktree: summary?.worktree,
      pullRequests: summary?.pullRequests ?? [],
      startedAt: summary?.startedAt ?? Number.NaN,
      endedAt: summary?.endedAt ?? Number.NaN,
      counts: summary === undefined ? undefined : { entries, turns, agents, damage },
    },
    undefined,
  );
}

function nameOf({ path, changedAt, sizeBytes }: ListedRow): string {
  return `${path}\n${changedAt} ${sizeBytes}`;
}
