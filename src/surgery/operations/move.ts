// Plans the move of sessions to another folder: files, working directories and the paths of large outputs change, the
// conversation does not. The old files are removed with a backup, so that one undo restores everything.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/errors.ts';
import type { JsonObject } from '../../base/json/json.ts';
import type { Edit } from '../../format/bytes/edit.ts';
import type { Session } from '../../session/load/session.ts';
import { placedSession } from '../engine/new-session.ts';
import type { Plan, PlannedOtherFile, PlannedSession } from '../engine/plan.ts';
import type { Rewrite } from '../engine/rewrite.ts';
import type { Source } from '../engine/source.ts';
import { bytesOf, stagedPath } from '../engine/stage.ts';
import { lookAtResume } from '../request/resume-look.ts';
import { persistedEdits } from './persisted-paths.ts';
import { cwdEdits, folderNotes } from './relocate.ts';

export interface Relocation {
  readonly source: Source;
  /** The target project folder. */
  readonly folder: string;
  /** The working directory that was renamed. */
  readonly cwd?: { readonly from: string; readonly to: string };
  /** A new name for the file; its lines keep their ids. */
  readonly sessionId?: string;
}

export interface MoveOptions {
  readonly words: readonly string[];
  /** Keep the old files. */
  readonly isCopy?: boolean;
  readonly otherFiles?: readonly PlannedOtherFile[];
  /** Other files to remove. */
  readonly removals?: readonly string[];
  readonly notes?: readonly string[];
  readonly workingFolder?: string;
}

/** The plan, and the sources of the sessions that move; the others are already there, byte for byte. */
export async function planMove(
  relocations: readonly Relocation[],
  options: MoveOptions,
): Promise<{ readonly plan: Plan; readonly sources: readonly Source[] }> {
  const moving: { source: Source; result: PlannedSession }[] = [];
  const notes = [
    ...(options.workingFolder === undefined ? [] : folderNotes(options.workingFolder)),
    ...(options.notes ?? []),
  ];
  for (const relocation of relocations) {
    const result = relocated(relocation);
    if (await isThere(result, relocation.source)) notes.push(`${relocation.source.session.id} is already there`);
    else moving.push({ source: relocation.source, result: { ...result, comparedWith: moving.length } });
  }
  if (moving.length === 0)
    throw new UserError(`nothing to do: ${notes.at(-1) ?? 'no sessions found'}`, 'run `clew ls` to list the sessions');
  const sources = moving.map(({ source }) => source);
  const removed = options.isCopy === true ? [] : sources.flatMap(({ files }) => files.map((file) => file.path));
  return {
    sources,
    plan: {
      operation: 'move',
      words: options.words,
      sources: sources.map(({ session }) => ({ sessionId: session.id, path: session.files.main })),
      results: moving.map(({ result }) => result),
      removals: [...removed, ...(options.removals ?? [])],
      dropped: [],
      notes,
      ...(options.otherFiles === undefined ? {} : { otherFiles: options.otherFiles }),
      ...(options.workingFolder === undefined ? {} : { workingFolder: options.workingFolder }),
      expects: ({ session }, index) =>
        sendsTheSame(sources[index]?.session, session) ? [] : ['resuming there would not send the same messages'],
    },
  };
}

function relocated({ source, folder, cwd, sessionId = source.session.id }: Relocation): PlannedSession {
  return placedSession(source, {
    folder,
    sessionId,
    rewrites: sidePathRewrites(source, path.join(folder, sessionId)),
    ...(cwd === undefined
      ? {}
      : { renames: (entry: JsonObject): readonly Edit[] => cwdEdits(entry, cwd.from, cwd.to) }),
  });
}

/** For every transcript of a session whose side folder moves. */
export function sidePathRewrites(source: Source, sideFolder: string): ReadonlyMap<string, Rewrite> {
  const move = { sessionId: source.session.id, to: sideFolder };
  return new Map(
    source.files.flatMap(({ transcript }) =>
      transcript === undefined ? [] : [[transcript.path, { edits: persistedEdits(transcript, move) }] as const],
    ),
  );
}

/** Whether all its files already exist with the same content. A file with other content is an error. */
async function isThere(result: PlannedSession, { files }: Source): Promise<boolean> {
  const own = new Set(files.map((file) => file.path));
  const targets = result.files.map((file) => ({ file, target: stagedPath(result.folder, file.name) }));
  const taken = targets.find(({ target }) => existsSync(target));
  if (taken === undefined) return false;
  for (const { file, target } of targets) {
    const isSame =
      existsSync(target) && (await hashOf(bytesOf(file.content))) === (await hashOf(createReadStream(target)));
    if (isSame) continue;
    const what = own.has(target)
      ? 'it is already in the right folder'
      : `${taken.target} already exists with other content`;
    throw new UserError(
      `cannot move ${result.sessionId}: ${what}`,
      'name another folder, or remove that one with `clew rm`',
    );
  }
  return true;
}

async function hashOf(content: Buffer | AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  if (Buffer.isBuffer(content)) hash.update(content);
  else for await (const piece of content) hash.update(piece);
  return hash.digest('hex');
}

/** Whether two sessions send the same messages, ignoring the folder of large outputs. */
export function sendsTheSame(before: Session | undefined, after: Session): boolean {
  return before !== undefined && lookAtResume(before).placelessDigest === lookAtResume(after).placelessDigest;
}
