// Sessions and where they belong from now on → the plan that takes them there: files, working folders and the paths of
// large outputs change, what was said does not. The old files are removed with a backup, so that one undo brings all back.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Edit } from '../format/edit.ts';
import type { Session } from '../session/session.ts';
import { placedSession } from './new-session.ts';
import { persistedEdits } from './persisted-paths.ts';
import type { Plan, PlannedOtherFile, PlannedSession } from './plan.ts';
import { cwdEdits, folderNotes } from './relocate.ts';
import { lookAtResume } from './resume-look.ts';
import type { Rewrite } from './rewrite.ts';
import type { Source } from './source.ts';
import { bytesOf, stagedPath } from './stage.ts';

export interface Relocation {
  readonly source: Source;
  /** The project folder it goes to. */
  readonly folder: string;
  /** The working folder that was renamed, and its new name. */
  readonly cwd?: { readonly from: string; readonly to: string };
  /** Another name for the file; its lines keep their ids. */
  readonly sessionId?: string;
}

export interface MoveOptions {
  readonly words: readonly string[];
  /** Keep the old files. */
  readonly isCopy?: boolean;
  readonly otherFiles?: readonly PlannedOtherFile[];
  /** Files beside the sessions that go away too. */
  readonly removals?: readonly string[];
  readonly notes?: readonly string[];
  readonly workingFolder?: string;
}

/** The plan, and the sources of those sessions that do move; others are there already, byte for byte. */
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
    if (await isThere(result, relocation.source)) notes.push(`${relocation.source.session.id} is there already`);
    else moving.push({ source: relocation.source, result: { ...result, comparedWith: moving.length } });
  }
  if (moving.length === 0)
    throw new UserError(
      `nothing to do: ${notes.at(-1) ?? 'no session is there'}`,
      'run `clew ls` to see what is where',
    );
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
        sendsTheSame(sources[index]?.session, session) ? [] : ['a resume there would not send what it sends here'],
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

/** For every transcript of a session whose side folder lies elsewhere from now on. */
export function sidePathRewrites(source: Source, sideFolder: string): ReadonlyMap<string, Rewrite> {
  const move = { sessionId: source.session.id, to: sideFolder };
  return new Map(
    source.files.flatMap(({ transcript }) =>
      transcript === undefined ? [] : [[transcript.path, { edits: persistedEdits(transcript, move) }] as const],
    ),
  );
}

/** Whether all its files are there as they would be written. One that is there with other content is no place to go. */
async function isThere(result: PlannedSession, { files }: Source): Promise<boolean> {
  const own = new Set(files.map((file) => file.path));
  const targets = result.files.map((file) => ({ file, target: stagedPath(result.folder, file.name) }));
  const taken = targets.filter(({ target }) => existsSync(target));
  if (taken.length === 0) return false;
  for (const { file, target } of targets) {
    const isSame =
      existsSync(target) && (await hashOf(bytesOf(file.content))) === (await hashOf(createReadStream(target)));
    if (isSame) continue;
    const what = own.has(target)
      ? 'it is where it belongs already'
      : `${taken[0]?.target} is there already, with other content`;
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

/** Whether two sessions send the same, whatever folder their large outputs lie in. */
export function sendsTheSame(before: Session | undefined, after: Session): boolean {
  return before !== undefined && lookAtResume(before).placelessDigest === lookAtResume(after).placelessDigest;
}
