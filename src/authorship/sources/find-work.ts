// A file, by its names → what the sessions of a library did to it. The index names the transcripts with calls on the
// file; only these are read.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../library/index/index.ts';
import { type TouchingTranscript, transcriptsNaming, transcriptsTouching } from '../../library/text/index.ts';
import { loadSession } from '../../session/load/index.ts';
import { type FileEdit, readWork, type SessionCommit, type SessionWork } from '../calls/index.ts';

export interface WorkSearch {
  /** Names of files, relative to a repository, with `/`; or absolute. */
  readonly names: readonly string[];
  /** Sessions below these roots only. */
  readonly roots: readonly string[];
  /** Called before each transcript that is read. */
  readonly onRead?: ((done: number, total: number) => void) | undefined;
  readonly onProblem?: ((file: string, error: unknown) => void) | undefined;
}

const editNames = ['Edit', 'MultiEdit', 'Write'];
const textNames = ['Bash', 'PowerShell', 'NotebookEdit', 'apply_patch', 'ApplyPatch', 'patch'];

/** The transcripts that may have written one of the files. */
export function findTranscriptsOf(database: Database, { names, roots }: WorkSearch): readonly TouchingTranscript[] {
  const relative = names.map((name) => name.replace(/^\/+/, ''));
  const found = [
    ...transcriptsTouching(database, relative, editNames),
    ...new Set(relative.map((name) => path.posix.basename(name))),
  ].flatMap((each) => (typeof each === 'string' ? transcriptsNaming(database, each, textNames) : each));
  const below = roots.map((root) => `${path.resolve(root)}${path.sep}`);
  const wanted = found.filter(({ main }) => below.some((root) => main.startsWith(root)));
  return [...new Map(wanted.map((each) => [each.path, each])).values()];
}

/** Whether a path ends with one of the names. */
export function endsWithName(file: string, names: readonly string[]): string | undefined {
  const plain = path.sep === '/' ? file : file.split(path.sep).join('/');
  return names.find((name) => plain === name || plain.endsWith(`/${name.replace(/^\/+/, '')}`));
}

/** Reads the transcripts; calls that are in several sessions (forks, copies) are returned once. */
export async function readTranscripts(found: readonly TouchingTranscript[], search: WorkSearch): Promise<SessionWork> {
  const mains = new Map<string, Set<string>>();
  for (const { path: file, main } of found) mains.set(main, (mains.get(main) ?? new Set()).add(file));
  const all: SessionWork[] = [];
  for (const [i, [main, files]] of [...mains].entries()) {
    search.onRead?.(i, mains.size);
    const work = await readSessionWork(main, files, search);
    if (work !== undefined) all.push(work);
  }
  search.onRead?.(mains.size, mains.size);
  return {
    edits: withoutCopies(all.flatMap(({ edits }) => edits)),
    moves: all.flatMap(({ moves }) => moves),
    commits: all.flatMap(({ commits }) => commits).sort(byTime),
  };
}

async function readSessionWork(
  main: string,
  agentFiles: ReadonlySet<string>,
  { names, onProblem }: WorkSearch,
): Promise<SessionWork | undefined> {
  // A sub-agent whose session is gone is a session of its own.
  const file = existsSync(main) ? main : [...agentFiles].find((each) => existsSync(each));
  if (file === undefined) return undefined;
  try {
    const session = await loadSession(file, { strict: false });
    return await readWork(session, { agentFiles, isWanted: (each) => endsWithName(each, names) !== undefined });
  } catch (error) {
    onProblem?.(file, error);
    return undefined;
  }
}

/** A fork repeats the calls of its source under the same ids: the session that made them first has them. */
function withoutCopies(edits: readonly FileEdit[]): readonly FileEdit[] {
  const first = new Map<string, FileEdit[]>();
  for (const edit of [...edits].sort((a, b) => Number(a.isCopy) - Number(b.isCopy) || byTime(a, b))) {
    const known = first.get(edit.id);
    if (known === undefined) first.set(edit.id, [edit]);
    else if (known[0]?.author.sessionId === edit.author.sessionId) known.push(edit);
  }
  return [...first.values()].flat().sort(byTime);
}

function byTime(a: FileEdit | SessionCommit, b: FileEdit | SessionCommit): number {
  return (Number.isNaN(a.time) ? 0 : a.time) - (Number.isNaN(b.time) ? 0 : b.time);
}
