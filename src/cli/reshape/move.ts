// clew move OLD_DIR NEW_DIR, clew move SESSION --to DIR and others: moves sessions to the folder of their project.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { idInside, type Source } from '../../surgery/engine/index.ts';
import {
  findMovedProject,
  folderFor,
  historyOf,
  isWindowsPath,
  launchFolderOf,
  listNested,
  type MoveOptions,
  planMove,
  type Relocation,
} from '../../surgery/operations/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { runPlan, sourceArgument } from '../operation/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { relocations, ...options } = await relocationsOf(input);
  const isCopy = input.flags.copy === true;
  const { plan, sources } = await planMove(relocations, { ...options, isCopy, ...(isCopy ? { removals: [] } : {}) });
  await runPlan(input, plan, sources);
}

interface Wanted extends MoveOptions {
  readonly relocations: readonly Relocation[];
}

async function relocationsOf(input: CommandInput): Promise<Wanted> {
  const { flags, words, io } = input;
  const flatten = textFlag(flags, 'flatten');
  const to = textFlag(flags, 'to');
  const most = flatten === undefined && to === undefined && flags['rename-file'] !== true ? 2 : 1;
  if (words.length > (flatten === undefined ? most : 0))
    throw new UserError(`move takes no argument "${words.at(-1)}" here`, 'see `clew move --help`');
  if (flatten !== undefined) return flattened(folderArgument(flatten, io.cwd));
  if (flags['rename-file'] === true) return renamedFile(await sourceArgument(input));
  if (to !== undefined) return movedSession(await sourceArgument(input), realFolder(folderArgument(to, io.cwd)));
  const [from, target] = words;
  if (from === undefined || target === undefined)
    throw new UserError('move takes OLD_DIR NEW_DIR, or SESSION --to DIR', 'see `clew move --help`');
  return movedFolder(input, folderArgument(from, io.cwd), realFolder(folderArgument(target, io.cwd)));
}

async function movedFolder(input: CommandInput, from: string, to: string): Promise<Wanted> {
  const roots = rootsOf(input);
  const found = await findMovedProject(roots, from, to);
  if (found.relocations.length === 0)
    throw new UserError(`no session started in ${from} or below`, 'run `clew ls` to see the folders');
  if (from === to) throw new UserError(`nothing to do: the sessions are in ${from}`, 'choose another folder');
  return { ...found, words: [from, to], workingFolder: to };
}

async function movedSession(source: Source, to: string): Promise<Wanted> {
  const { session, folder } = source;
  const from = launchFolderOf(session, folder);
  const history = historyOf(path.dirname(folder), (entry) =>
    entry.sessionId === session.id && entry.project !== to ? to : undefined,
  );
  return {
    relocations: [{ source, folder: folderFor(folder, to), ...(from === undefined ? {} : { cwd: { from, to } }) }],
    ...(history === undefined ? {} : { otherFiles: [history] }),
    words: [session.id, '--to', to],
    workingFolder: to,
  };
}

function renamedFile(source: Source): Wanted {
  const sessionId = idInside(source.session);
  if (sessionId === undefined || sessionId === source.session.id)
    throw new UserError(`nothing to do: the name of ${source.session.files.main} matches its lines`, '');
  if (!isUuid(sessionId))
    throw new UserError(
      `its lines have the id "${sessionId}", which is not a session id`,
      'copy it with `clew fork` instead',
    );
  return {
    relocations: [{ source, folder: source.folder, sessionId }],
    words: [source.session.id, '--rename-file'],
  };
}

async function flattened(folder: string): Promise<Wanted> {
  const nested = await listNested(folder);
  if (nested.length === 0)
    throw new UserError(`nothing to do: no session is one level too deep in ${folder}`, 'choose a project folder');
  return { relocations: nested.map((source) => ({ source, folder })), words: ['--flatten', folder] };
}

/** A Windows path is kept even on Unix: it may be a folder on another machine. */
export function folderArgument(folder: string, cwd: string): string {
  if (isWindowsPath(folder)) return folder.replace(/(?<=[^:\\/])[\\/]+$/, '');
  return path.resolve(cwd, folder);
}

/** The client uses the real path of a folder. */
export function realFolder(folder: string): string {
  try {
    return isWindowsPath(folder) ? folder : realpathSync(folder);
  } catch {
    return folder;
  }
}
