// Plans the import of an unpacked bundle: its sessions get the working directory of the user, and new ids if the library
// already has theirs. What a rewind would write where a program runs or obeys it stays out, whoever wrote the bundle.
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { isRecognised } from '../../session/transcript/index.ts';
import { encodeSlug, isBelow, realPlace, staysIn } from '../../store/index.ts';
import {
  type Dropped,
  droppedBy,
  loadSource,
  mergeAllRewrites,
  newSession,
  type Plan,
  type PlannedOtherFile,
  type PlannedSession,
  placedSession,
  type Rewrite,
  type Source,
} from '../engine/index.ts';
import {
  type ForeignLines,
  folderEdits,
  folderNotes,
  foreignNotes,
  inStyleOf,
  isWindowsPath,
  restBelow,
  sendsTheSame,
  sidePathRewrites,
  withoutForeignPrompt,
} from '../operations/index.ts';
import {
  activeFile,
  type HistoryRules,
  isCopyName,
  type KeptHistory,
  keepHistory,
  type LeftOutFile,
  leftOutFileNotes,
} from './file-history.ts';
import { type BundledSession, damaged, type Manifest, placeholders } from './format.ts';
import { leadsUp } from './names.ts';
import { type ClientReach, type ReachedSession, readReach } from './reach.ts';

export interface ImportOptions {
  /** The path of the bundle, for the history. */
  readonly file: string;
  /** The folder of the unpacked bundle. */
  readonly unpacked: string;
  readonly projects: string;
  /** The working directory. */
  readonly to: string;
  readonly home: string;
  /** The ids in the library. */
  readonly taken: ReadonlySet<string>;
  /** The user made the bundle: keep the stored system prompt, tools and thinking. */
  readonly keepsPrompt?: boolean;
  /** Import also files that programs run or obey, and let a rewind delete files. */
  readonly keepsAll?: boolean;
}

export interface PlannedImport {
  readonly plan: Plan;
  readonly sources: readonly Source[];
  readonly reach: ClientReach;
}

export async function planImport(manifest: Manifest, options: ImportOptions): Promise<PlannedImport> {
  const sources: Source[] = [];
  for (const [i, { sessionId }] of manifest.sessions.entries()) {
    const main = path.join(options.unpacked, String(i), `${sessionId}.jsonl`);
    if (!isRecognised(main)) throw damaged(`session ${sessionId} has no record of Claude Code`);
    sources.push(await loadSource(main, { roots: [] }));
  }
  const sessions = manifest.sessions.map((bundled, i) => readSession(bundled, sources[i] as Source, options));
  const history = path.join(path.dirname(options.projects), 'file-history');
  const hasOwnHistory = staysIn(history, path.dirname(options.projects));
  const renamed = sessions.filter(({ bundled, sessionId }) => bundled.sessionId !== sessionId);
  const reach = joinReach(sessions, options.to);
  return {
    sources,
    reach,
    plan: {
      operation: 'import',
      words: [path.basename(options.file), '--to', options.to, ...(options.keepsAll === true ? ['--all-files'] : [])],
      sources: manifest.sessions.map(({ sessionId }) => ({ sessionId, path: path.resolve(options.file) })),
      results: sessions.map((session, i) => ({ ...importedSession(session, options), comparedWith: i })),
      otherFiles: hasOwnHistory ? sessions.flatMap((session, i) => copiesOf(session, i, options)) : [],
      dropped: sessions.flatMap(droppedOf),
      ...(options.keepsPrompt === true ? {} : { thinking: 'all' as const }),
      workingFolder: options.to,
      notes: [
        ...foreignNotes(new Map(sessions.flatMap(({ foreign }) => [...foreign]))),
        ...sessions.flatMap(({ reached }) => reached.notes),
        ...leftOutFileNotes(reach.leftOut),
        ...folderNotes(options.to),
        ...renamed.map(({ bundled }) => `${bundled.sessionId} already exists, so it got a new id`),
        ...(manifest.isRedacted ? [] : ['the bundle is not redacted']),
        ...(hasOwnHistory ? [] : [`left out: its copies of files, because ${history} leads out of the root`]),
      ],
      expects: ({ session }, index) =>
        sendsTheSame(sources[index]?.session, session) ? [] : ['resuming here would not send the same messages'],
    },
  };
}

interface ReadSession {
  readonly bundled: BundledSession;
  readonly source: Source;
  /** In the result. */
  readonly sessionId: string;
  readonly foreign: ReadonlyMap<string, ForeignLines>;
  readonly reached: ReachedSession;
  readonly history: KeptHistory;
  /** Side files that stay out. */
  readonly sideFiles: readonly LeftOutFile[];
  /** A stored path as it will be. */
  readonly change: (stored: string) => string | undefined;
}

function readSession(bundled: BundledSession, source: Source, options: ImportOptions): ReadSession {
  const { to, home, projects, taken } = options;
  // Copies that are already there belong to another session of this id.
  const isTaken = taken.has(bundled.sessionId.toLowerCase()) || existsSync(copyFolder(projects, bundled.sessionId));
  const sessionId = isTaken ? randomUUID() : bundled.sessionId;
  const change = (stored: string): string | undefined => {
    for (const [placeholder, real] of [
      [placeholders.project, to],
      [placeholders.home, home],
    ] as const) {
      const rest = stored.startsWith(placeholder) ? stored.slice(placeholder.length) : undefined;
      if (rest !== undefined) return real + inStyleOf(rest, bundled.isWindows, isWindowsPath(real));
    }
    return undefined;
  };
  const side = path.join(projects, encodeSlug(to), sessionId);
  const resolve = (stored: string): string =>
    stored.startsWith(`${placeholders.sessions}/${bundled.sessionId}/`)
      ? side + stored.slice(`${placeholders.sessions}/${bundled.sessionId}`.length)
      : (change(stored) ?? stored);
  const isInside = (file: string): boolean =>
    !leadsUp(file) && [to, side].some((folder) => restBelow(file, folder) !== undefined);
  return {
    ...{ bundled, source, sessionId, change },
    foreign: options.keepsPrompt === true ? new Map<string, ForeignLines>() : withoutForeignPrompt(source),
    reached: readReach(source, { sessionId, resolve, isInside }),
    history: keepHistory(source, historyRules(bundled, options)),
    sideFiles:
      options.keepsAll === true ? [] : bundled.files.flatMap(({ name }) => activeFile(name, bundled.sessionId)),
  };
}

function historyRules(bundled: BundledSession, { to, home, projects, keepsAll }: ImportOptions): HistoryRules {
  const names = bundled.files.map(({ name }) => name).filter((name) => name.startsWith('file-history/'));
  const place = isWindowsPath(to) ? path.win32 : path.posix;
  return {
    keepsAll: keepsAll === true,
    copies: new Set(names.map((name) => name.slice('file-history/'.length)).filter(isCopyName)),
    rename: (file) => inStyleOf(file, bundled.isWindows, isWindowsPath(to)),
    // Windows folders on another system are only names.
    whyMisplaced: (file) =>
      isWindowsPath(to) === isWindowsHere ? whyMisplaced(file, { to, home, projects }) : undefined,
    realFolder: (file) => place.dirname(place.join(isWindowsPath(to) === isWindowsHere ? realPlace(to) : to, file)),
  };
}

const isWindowsHere = process.platform === 'win32';

/** Links and the folders around the working folder can make of an ordinary name the name of a program or a setting. */
function whyMisplaced(
  file: string,
  { to, home, projects }: Pick<ImportOptions, 'to' | 'home' | 'projects'>,
): string | undefined {
  if (!isWindowsHere && file.includes('\\')) return 'a name that some systems do not allow';
  const base = realPlace(to);
  const parts = file.split(/[\\/]/);
  const isLinked = parts.some((_, i) => isLink(path.join(base, ...parts.slice(0, i + 1))));
  if (isLinked) return 'it is reached through a link';
  const root = realPlace(path.dirname(projects));
  if (isBelow(path.join(base, ...parts), root)) return 'it is in the folder of the settings';
  const own = realPlace(home);
  return own === base || isBelow(own, base) ? 'the working folder holds your home folder' : undefined;
}

/** What cannot be looked at counts as a link. */
function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
  }
}

function joinReach(sessions: readonly ReadSession[], to: string): ClientReach {
  return {
    rewind: sessions.flatMap(({ sessionId, history }) => rewindTargets(sessionId, history, to)),
    leftOut: sessions.flatMap(({ sessionId, history, sideFiles }) =>
      [...history.leftOut, ...sideFiles].map((file) => ({ sessionId, ...file })),
    ),
    named: sessions.flatMap(({ reached }) => reached.named),
  };
}

/** A file that a rewind to one prompt writes and to another deletes is listed for both. */
function rewindTargets(sessionId: string, { kept }: KeptHistory, to: string): ClientReach['rewind'] {
  const targets = new Map<string, ClientReach['rewind'][number]>();
  for (const { file, copy, risk } of kept) {
    const full = isWindowsPath(to) ? path.win32.join(to, file) : path.join(to, file);
    const action = copy === null ? 'delete' : existsSync(full) ? 'replace' : 'create';
    targets.set(`${action} ${full}`, { sessionId, path: full, action, risk });
  }
  return [...targets.values()];
}

function importedSession(session: ReadSession, options: ImportOptions): PlannedSession {
  const { bundled, source, sessionId, foreign, reached, history, change } = session;
  const folder = path.join(options.projects, encodeSlug(options.to));
  const sideFiles = new Set(session.sideFiles.map(({ file }) => file));
  const rewrites = [foreign, reached.rewrites, history.rewrites].reduce<ReadonlyMap<string, Rewrite>>(
    mergeAllRewrites,
    sidePathRewrites(source, path.join(folder, sessionId)),
  );
  const own = {
    ...{ folder, sessionId, rewrites },
    renames: (entry: JsonObject): readonly Edit[] => folderEdits(entry, change),
    leftOut: new Set(
      source.files
        .filter(({ name }) => name.startsWith('file-history/') || sideFiles.has(name))
        .map((file) => file.path),
    ),
  };
  return sessionId === bundled.sessionId ? placedSession(source, own) : newSession(source, own);
}

function droppedOf({ source, foreign, reached, history }: ReadSession): readonly Dropped[] {
  return source.files.flatMap(({ transcript, path: file }) => {
    if (transcript === undefined) return [];
    const drops = [foreign, reached.rewrites, history.rewrites].flatMap((rewrites) => [
      ...(rewrites.get(file)?.drops ?? []),
    ]);
    return droppedBy(transcript, new Map(drops), file);
  });
}

/** Only the copies that a kept line names. */
function copiesOf(session: ReadSession, index: number, options: ImportOptions): readonly PlannedOtherFile[] {
  const names = new Set(session.history.kept.flatMap(({ copy }) => copy ?? []));
  return [...names].map((name) => ({
    path: path.join(copyFolder(options.projects, session.sessionId), name),
    content: { copyOf: path.join(options.unpacked, String(index), 'file-history', name) },
  }));
}

function copyFolder(projects: string, sessionId: string): string {
  return path.join(path.dirname(projects), 'file-history', sessionId);
}
