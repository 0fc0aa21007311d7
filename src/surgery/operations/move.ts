// Plans the move of sessions to another folder: files, working directories and the paths of large outputs change, the
// conversation does not. The old files are removed with a backup, so that one undo restores everything.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Edit, JsonPath } from '../../format/bytes/index.ts';
import type { Session } from '../../session/load/index.ts';
import { rangesOf, type Transcript } from '../../session/transcript/index.ts';
import { encodeSlug } from '../../store/index.ts';
import {
  bytesOf,
  type Plan,
  type PlannedOtherFile,
  type PlannedSession,
  placedSession,
  type Rewrite,
  type Source,
  stagedPath,
} from '../engine/index.ts';
import { lookAtResume } from '../request/index.ts';

/** The project folder for `cwd`, next to that of the session. */
export function folderFor(projectFolder: string, cwd: string): string {
  return path.join(path.dirname(projectFolder), encodeSlug(cwd));
}

/** The client resumes a session only in a folder that exists. A Windows path can only be checked on Windows. */
export function folderNotes(folder: string): readonly string[] {
  if (isWindowsPath(folder) && process.platform !== 'win32') return [];
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return [];
  if (stats !== undefined) throw new UserError(`${folder} is not a folder`, 'name a folder');
  return [`warning: ${folder} does not exist; create it before you resume there`];
}

/** Moves folders at or below `from` to `to`. Windows and Unix paths may be mixed. */
export function cwdEdits(entry: JsonObject, from: string, to: string): readonly Edit[] {
  return folderEdits(entry, (folder) => movePath(folder, from, to));
}

/** Applies `change` to the working directory of a line and to the folders of its file backups; `undefined` keeps one. */
export function folderEdits(entry: JsonObject, change: (folder: string) => string | undefined): readonly Edit[] {
  const edits: Edit[] = [];
  const add = (value: JsonValue | undefined, at: JsonPath): void => {
    const folder = asString(value);
    const changed = folder === undefined ? undefined : change(folder);
    if (changed !== undefined && changed !== folder) edits.push({ path: at, set: changed });
  };
  add(entry.cwd, ['cwd']);
  if (entry.type === 'file-history-delta') add(asObject(entry.backup)?.realParentDir, ['backup', 'realParentDir']);
  if (entry.type === 'file-history-snapshot') {
    const backups = asObject(asObject(entry.snapshot)?.trackedFileBackups) ?? {};
    for (const [name, backup] of Object.entries(backups))
      add(asObject(backup)?.realParentDir, ['snapshot', 'trackedFileBackups', name, 'realParentDir']);
  }
  return edits;
}

/** `undefined` if `file` is neither `from` nor below it. */
export function movePath(file: string, from: string, to: string): string | undefined {
  const rest = restBelow(file, from);
  if (rest === undefined) return undefined;
  if (rest === '') return to;
  return withoutEnd(to) + inStyleOf(rest, isWindowsPath(from), isWindowsPath(to));
}

/** The rest of `file` after `folder`, starting with the separator; `undefined` if it is not below it. */
export function restBelow(file: string, folder: string): string | undefined {
  const base = withoutEnd(folder);
  const isWindows = isWindowsPath(folder);
  const start = file.slice(0, base.length);
  // Windows ignores case, and accepts both separators.
  const isSame = isWindows
    ? start.toLowerCase().replaceAll('/', '\\') === base.toLowerCase().replaceAll('/', '\\')
    : start === base;
  if (!isSame) return undefined;
  const rest = file.slice(base.length);
  return rest === '' || (isWindows ? /^[\\/]/ : /^\//).test(rest) ? rest : undefined;
}

/** On Unix a backslash is an ordinary character. */
export function inStyleOf(rest: string, isFromWindows: boolean, isToWindows: boolean): string {
  if (isFromWindows === isToWindows) return rest;
  return isToWindows ? rest.replaceAll('/', '\\') : rest.replaceAll('\\', '/');
}

export function isWindowsPath(file: string): boolean {
  return /^[A-Za-z]:[\\/]|^\\\\/.test(file);
}

function withoutEnd(folder: string): string {
  return folder.replace(/(?<=.)[\\/]+$/, '');
}

export interface SideFolderMove {
  /** The session whose side folder the paths name. */
  readonly sessionId: string;
  /** The new side folder. */
  readonly to: string;
}

function persistedEdits(transcript: Transcript, move: SideFolderMove): ReadonlyMap<number, readonly Edit[]> {
  const edits = new Map<number, readonly Edit[]>();
  const ranges = rangesOf(transcript);
  const mark = Buffer.from(toolResults);
  for (const node of transcript.nodes) {
    if (node.type !== 'user' || !ranges.read(node.offset, node.length).includes(mark)) continue;
    const entry = transcript.read(node);
    const own: Edit[] = [];
    const content = asObject(entry.message)?.content;
    if (isArray(content))
      for (const [i, block] of content.entries()) resultEdits(block, ['message', 'content', i], move, own);
    outputEdits(entry.toolUseResult, move, own);
    if (own.length > 0) edits.set(node.index, own);
  }
  return edits;
}

const toolResults = 'tool-results';

function resultEdits(block: JsonValue, path: JsonPath, move: SideFolderMove, edits: Edit[]): void {
  const result = asObject(block);
  if (result?.type !== 'tool_result') return;
  if (isArray(result.content)) {
    for (const [i, inner] of result.content.entries())
      textEdit(asObject(inner)?.text, [...path, 'content', i, 'text'], move, edits);
  } else textEdit(result.content, [...path, 'content'], move, edits);
}

function outputEdits(result: JsonValue | undefined, move: SideFolderMove, edits: Edit[]): void {
  textEdit(result, ['toolUseResult'], move, edits);
  const path = asString(asObject(result)?.persistedOutputPath);
  const moved = path === undefined ? undefined : moveSidePath(path, move);
  if (moved !== undefined && moved !== path) edits.push({ path: ['toolUseResult', 'persistedOutputPath'], set: moved });
}

function textEdit(value: JsonValue | undefined, path: JsonPath, move: SideFolderMove, edits: Edit[]): void {
  const text = asString(value);
  if (text === undefined || !text.startsWith('<persisted-output>')) return;
  const moved = text.replace(
    /^(Output too large .*Full output saved to: )(.*)$/m,
    (_, said: string, saved: string) => said + (moveSidePath(saved, move) ?? saved),
  );
  if (moved !== text) edits.push({ path, set: moved });
}

/** `…/projects/<any>/<sessionId>/tool-results/x` → `<to>/tool-results/x`; `undefined` for any other path. */
export function moveSidePath(file: string, { sessionId, to }: SideFolderMove): string | undefined {
  const rest = restInside(file, sessionId);
  if (rest === undefined) return undefined;
  return to + inStyleOf(rest, /[\\]/.test(rest) && !rest.startsWith('/'), isWindowsPath(to));
}

function restInside(file: string, sessionId: string): string | undefined {
  for (const separator of ['/', '\\']) {
    const at = file.indexOf(`${separator}${sessionId}${separator}${toolResults}${separator}`);
    if (at >= 0) return file.slice(at + 1 + sessionId.length);
  }
  return undefined;
}

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
  /** By one of them: its new place. */
  readonly continuedBy?: ReadonlyMap<string, string>;
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
      continuedBy: new Map([...moving.flatMap(continuations), ...(options.continuedBy ?? [])]),
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

/** The new place of every file; its files are in the order of the source. */
function continuations({ source, result }: { source: Source; result: PlannedSession }): readonly [string, string][] {
  return source.files.flatMap((file, i) => {
    const name = result.files[i]?.name;
    return name === undefined ? [] : [[file.path, stagedPath(result.folder, name)]];
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
