// The prompts of deleted sessions, in full, as a stream: for the search, for agents that recall, and for `clew recover`.
import path from 'node:path';
import type { DiskProblem, LeftOut } from '../../store/index.ts';
import { type DeletedList, type DeletedOptions, type FoundDeleted, findDeleted, historyOf } from './deleted.ts';
import { type HistoryEntry, isLocalCommand, wholePrompt } from './history.ts';
import { type ConfigFolder, configFolders, isInside } from './traces.ts';

/** A prompt of a deleted session. */
export interface DeletedPrompt {
  /** `DeletedSession.id`. */
  readonly id: string;
  /** With pasted texts, as far as they are left. */
  readonly text: string;
  /** Milliseconds since 1970; `NaN` if unknown. */
  readonly time: number;
  readonly cwd: string | undefined;
  /** A command that the client answers itself, such as `/clear`. */
  readonly isCommand: boolean;
  /** Where it is: the path of `history.jsonl`, and the line, counted from 1. */
  readonly path: string;
  readonly line: number;
}

export interface DeletedPrompts extends DeletedList {
  /** In the order of the history; read from the disk as they are asked for. */
  readonly prompts: Iterable<DeletedPrompt>;
}

/** The deleted sessions of which prompts are left, with these prompts. What else is left of them is not looked at. */
export function deletedPrompts(options: DeletedOptions): DeletedPrompts {
  const found = findDeleted({ ...options, onlyPrompts: true });
  const { sessions, leftOut, problems } = found;
  return { sessions, leftOut, problems, prompts: { [Symbol.iterator]: () => ownedPrompts(options, found) } };
}

function* ownedPrompts(options: DeletedOptions, { ownerOf }: FoundDeleted): Generator<DeletedPrompt, undefined> {
  for (const { prompt, folder, entry } of allPrompts(options)) {
    const id = ownerOf(folder, entry);
    if (id !== undefined) yield { ...prompt, id };
  }
  return undefined;
}

/** A prompt of any session, with what `ownerOf` needs to know. */
export interface FoundPrompt {
  readonly prompt: Omit<DeletedPrompt, 'id'>;
  readonly folder: ConfigFolder;
  readonly entry: HistoryEntry;
}

/** The prompts in the histories, of living sessions too; see `readHistory`. */
export function* allPrompts({ roots }: DeletedOptions, accepts?: (line: string) => boolean): Generator<FoundPrompt> {
  const ignored: { readonly leftOut: LeftOut[]; readonly problems: DiskProblem[] } = { leftOut: [], problems: [] };
  for (const folder of configFolders(roots)) {
    const { config } = folder;
    if (config === undefined) continue;
    const file = path.join(config, 'history.jsonl');
    const mayReadPastes = isInside(path.join(config, 'paste-cache', 'any'), config);
    for (const entry of historyOf(folder, ignored.leftOut, ignored.problems, accepts)) {
      const prompt = {
        text: wholePrompt(entry, mayReadPastes ? config : undefined),
        time: entry.time,
        cwd: entry.project,
        isCommand: isLocalCommand(entry.display),
        path: file,
        line: entry.line,
      };
      yield { prompt, folder, entry };
    }
  }
}
