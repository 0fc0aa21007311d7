// A deleted session → everything that is left of it, read for `clew recover`: prompts, versions of files with their paths,
// tasks, and the paths of what is too large to keep in memory.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonObject, parseJson } from '../../base/json/index.ts';
import type { DeletedOptions, DeletedSession } from './deleted.ts';
import { readStart } from './history.ts';
import { listDeleted } from './list.ts';
import { type DeletedPrompt, deletedPrompts } from './prompts.ts';
import { type FileVersion, isInside, type LeftFile } from './traces.ts';

/** The versions of one file. */
export interface FileVersions {
  /** `undefined`: only a hash of it is left, and none of the known paths has it. */
  readonly path: string | undefined;
  readonly pathHash: string;
  /** The oldest first. */
  readonly versions: readonly FileVersion[];
}

/** A task, or an item of a to-do list. */
export interface LeftTask {
  readonly text: string;
  readonly status: string;
}

/** Everything that is left of a deleted session. */
export interface DeletedContents {
  readonly session: DeletedSession;
  /** In the order of time, without commands of the client. */
  readonly prompts: readonly DeletedPrompt[];
  readonly files: readonly FileVersions[];
  readonly agents: readonly LeftFile[];
  readonly toolResults: readonly LeftFile[];
  readonly tasks: readonly LeftTask[];
  readonly others: readonly LeftFile[];
  /** Shell environments that the client saved while the session ran, perhaps for another one. */
  readonly shellSnapshots: readonly string[];
}

/** Finds a deleted session by its id or the beginning of it. */
export function findDeletedSession(argument: string, options: DeletedOptions): DeletedSession {
  const wanted = argument.trim().toLowerCase();
  const { sessions } = listDeleted(options);
  const all = sessions.filter(({ id }) => wanted !== '' && id.toLowerCase().startsWith(wanted));
  const exact = all.filter(({ id }) => id.toLowerCase() === wanted);
  const [found, ...others] = exact.length > 0 ? exact : all;
  if (found === undefined)
    throw new UserError(
      `no deleted session "${argument}"`,
      'run `clew ls --deleted` to list those of which something is left',
    );
  if (others.length > 0) {
    const ids = all.slice(0, 5).map(({ id }) => id);
    const more = all.length > 5 ? ` and ${all.length - 5} more` : '';
    throw new UserError(
      `"${argument}" fits ${all.length} deleted sessions: ${ids.join(', ')}${more}`,
      'give more of the id',
    );
  }
  return found;
}

/** `paths`: of files that other sessions touched; the name of a version is a hash of its path. */
export function readDeleted(
  session: DeletedSession,
  options: DeletedOptions,
  paths: Iterable<string> = [],
): DeletedContents {
  const { traces } = session;
  const prompts = [...deletedPrompts(options).prompts]
    .filter(({ id, isCommand }) => id === session.id && !isCommand)
    .sort((a, b) => (a.time || 0) - (b.time || 0) || a.line - b.line);
  return {
    session,
    prompts,
    files: filesOf(traces?.versions ?? [], [...paths, ...pathsIn(prompts, session.cwd)]),
    agents: traces?.agents ?? [],
    toolResults: traces?.toolResults ?? [],
    tasks: (traces?.tasks ?? []).flatMap(tasksIn),
    others: traces?.others ?? [],
    shellSnapshots: snapshotsOf(session),
  };
}

function filesOf(versions: readonly FileVersion[], paths: readonly string[]): readonly FileVersions[] {
  const wanted = new Map<string, FileVersion[]>();
  for (const version of versions) {
    const own = wanted.get(version.pathHash) ?? [];
    own.push(version);
    wanted.set(version.pathHash, own);
  }
  const known = new Map<string, string>();
  for (const file of wanted.size === 0 ? [] : paths) {
    const hash = hashOfPath(file);
    if (wanted.has(hash)) known.set(hash, file);
  }
  return [...wanted].map(([pathHash, own]) => ({
    pathHash,
    path: known.get(pathHash),
    versions: own.sort((a, b) => a.version - b.version),
  }));
}

/** As the client names the copies of a file. */
export function hashOfPath(file: string): string {
  return createHash('sha256').update(file).digest('hex').slice(0, 16);
}

/** Words of the prompts that may be paths. */
function pathsIn(prompts: readonly DeletedPrompt[], cwd: string | undefined): readonly string[] {
  const words = new Set(prompts.flatMap(({ text }) => text.match(/[\w@./~+-]{2,300}/g) ?? []));
  return [...words]
    .filter((word) => /[./]/.test(word))
    .flatMap((word) => {
      const name = word.replace(/^@/, '').replace(/[.,:]+$/, '');
      if (path.isAbsolute(name)) return [path.normalize(name)];
      return cwd === undefined ? [] : [path.join(cwd, name)];
    });
}

const longestTask = 1024 * 1024;

function tasksIn({ path: file }: LeftFile): readonly LeftTask[] {
  const value = parseJson(readStart(file, longestTask)?.toString('utf8') ?? '');
  const items = isArray(value) ? value : [value];
  return items.flatMap((each) => {
    const task = asObject(each);
    const text = task === undefined ? undefined : taskText(task);
    return text === undefined ? [] : [{ text, status: asString(task?.status) ?? 'unknown' }];
  });
}

function taskText({ content, subject, description }: JsonObject): string | undefined {
  const name = asString(content) ?? asString(subject);
  const more = asString(description);
  return name === undefined || more === undefined ? name : `${name}: ${more}`;
}

/** Their names have the time, but not the session. */
function snapshotsOf({ folder: { config }, startedAt, endedAt }: DeletedSession): readonly string[] {
  if (config === undefined) return [];
  const folder = path.join(config, 'shell-snapshots');
  if (!isInside(folder, config)) return [];
  return namesIn(folder)
    .filter((name) => {
      const time = Number(/^snapshot-[a-z]+-(\d{13})-/.exec(name)?.[1]);
      return time >= startedAt - beforeMs && time <= endedAt;
    })
    .map((name) => path.join(folder, name));
}

/** A client saves the environment when it starts. */
const beforeMs = 10 * 60_000;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
