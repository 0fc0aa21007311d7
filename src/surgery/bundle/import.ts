// Plans the import of an unpacked bundle: its sessions get the working directory of the user, and new ids if the library
// already has theirs.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { isRecognised } from '../../session/transcript/index.ts';
import { encodeSlug, staysIn } from '../../store/index.ts';
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
  type Source,
} from '../engine/index.ts';
import {
  type ForeignLines,
  folderEdits,
  folderNotes,
  foreignNotes,
  inStyleOf,
  isWindowsPath,
  sendsTheSame,
  sidePathRewrites,
  withoutForeignPrompt,
} from '../operations/index.ts';
import { type BundledSession, damaged, findLeaving, type Manifest, placeholders } from './format.ts';

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
}

export async function planImport(
  manifest: Manifest,
  options: ImportOptions,
): Promise<{ readonly plan: Plan; readonly sources: readonly Source[] }> {
  const sources: Source[] = [];
  for (const [i, { sessionId }] of manifest.sessions.entries()) {
    const main = path.join(options.unpacked, String(i), `${sessionId}.jsonl`);
    if (!isRecognised(main)) throw damaged(`session ${sessionId} has no record of Claude Code`);
    sources.push(await loadSource(main, { roots: [] }));
  }
  for (const source of sources) refuseLeavingPaths(source);
  const foreign = sources.map((source) =>
    options.keepsPrompt === true ? new Map<string, ForeignLines>() : withoutForeignPrompt(source),
  );
  const results = manifest.sessions.map((bundled, i) => ({
    ...importedSession(bundled, sources[i] as Source, foreign[i] as ReadonlyMap<string, ForeignLines>, options),
    comparedWith: i,
  }));
  const history = path.join(path.dirname(options.projects), 'file-history');
  const hasOwnHistory = staysIn(history, path.dirname(options.projects));
  const renamed = manifest.sessions.filter(({ sessionId }, i) => results[i]?.sessionId !== sessionId);
  return {
    sources,
    plan: {
      operation: 'import',
      words: [path.basename(options.file), '--to', options.to],
      sources: manifest.sessions.map(({ sessionId }) => ({ sessionId, path: path.resolve(options.file) })),
      results,
      otherFiles: hasOwnHistory
        ? manifest.sessions.flatMap((bundled, i) => backupsOf(bundled, i, results[i]?.sessionId ?? '', options))
        : [],
      dropped: sources.flatMap((source, i) => droppedOf(source, foreign[i] as ReadonlyMap<string, ForeignLines>)),
      ...(options.keepsPrompt === true ? {} : { thinking: 'all' as const }),
      workingFolder: options.to,
      notes: [
        ...foreignNotes(new Map(foreign.flatMap((lines) => [...lines]))),
        ...folderNotes(options.to),
        ...renamed.map(({ sessionId }) => `${sessionId} already exists, so it got a new id`),
        ...(manifest.isRedacted ? [] : ['the bundle is not redacted']),
        ...(hasOwnHistory ? [] : [`left out: its copies of files, because ${history} leads out of the root`]),
      ],
      expects: ({ session }, index) =>
        sendsTheSame(sources[index]?.session, session) ? [] : ['resuming here would not send the same messages'],
    },
  };
}

/** Its lines must not name paths outside their folder. */
function refuseLeavingPaths({ files }: Source): void {
  for (const { transcript, name } of files) {
    for (const node of transcript?.nodes ?? []) {
      const leaving = findLeaving(transcript?.read(node) ?? {});
      if (leaving !== undefined)
        throw damaged(
          `line ${node.line} of ${name} names ${JSON.stringify(leaving).slice(0, 80)}, which is outside its folder`,
        );
    }
  }
}

function droppedOf({ files }: Source, foreign: ReadonlyMap<string, ForeignLines>): readonly Dropped[] {
  return files.flatMap(({ transcript, path: file }) =>
    transcript === undefined ? [] : droppedBy(transcript, foreign.get(file)?.drops ?? new Map(), file),
  );
}

function importedSession(
  bundled: BundledSession,
  source: Source,
  foreign: ReadonlyMap<string, ForeignLines>,
  options: ImportOptions,
): PlannedSession {
  const { to, home } = options;
  const isTaken = options.taken.has(bundled.sessionId.toLowerCase());
  const sessionId = isTaken ? randomUUID() : bundled.sessionId;
  const folder = path.join(options.projects, encodeSlug(to));
  const change = (place: string): string | undefined => {
    for (const [placeholder, real] of [
      [placeholders.project, to],
      [placeholders.home, home],
    ] as const) {
      const rest = place.startsWith(placeholder) ? place.slice(placeholder.length) : undefined;
      if (rest !== undefined) return real + inStyleOf(rest, bundled.isWindows, isWindowsPath(real));
    }
    return undefined;
  };
  const own = {
    folder,
    sessionId,
    rewrites: mergeAllRewrites(sidePathRewrites(source, path.join(folder, sessionId)), foreign),
    renames: (entry: JsonObject): readonly Edit[] => folderEdits(entry, change),
    leftOut: new Set(source.files.filter(({ name }) => name.startsWith('file-history/')).map((file) => file.path)),
  };
  return isTaken ? newSession(source, own) : placedSession(source, own);
}

function backupsOf(
  { files }: BundledSession,
  index: number,
  sessionId: string,
  { projects, unpacked }: ImportOptions,
): readonly PlannedOtherFile[] {
  return files.flatMap(({ name }) => {
    if (!name.startsWith('file-history/')) return [];
    const target = path.join(path.dirname(projects), 'file-history', sessionId, ...name.split('/').slice(1));
    const content = { copyOf: path.join(unpacked, String(index), ...name.split('/')) };
    return existsSync(target) ? [] : [{ path: target, content }];
  });
}
