// The lines of an unpacked session → what a client could do with it later: settings it would take over, commands and paths
// it finds there. Lines that name a path outside their folder are refused here.
import { asObject, asString, isArray, type JsonObject, parseJson } from '../../base/json/index.ts';
import { counted } from '../../base/text/index.ts';
import { countMembers } from '../../format/bytes/index.ts';
import { rangesOf, type Transcript } from '../../session/transcript/index.ts';
import type { Rewrite, Source } from '../engine/index.ts';
import { isHistory, type LeftOutFile, trackedFiles } from './file-history.ts';
import { damaged } from './format.ts';
import { isOutside, isPlainPart, leadsUp } from './names.ts';

/** What a client could do later with the sessions that an import writes. */
export interface ClientReach {
  /** Files that a rewind could write or delete. */
  readonly rewind: readonly RewindTarget[];
  readonly leftOut: readonly (LeftOutFile & OfSession)[];
  /** Settings, commands and paths in its lines. */
  readonly named: readonly ReachedLine[];
}

interface OfSession {
  readonly sessionId: string;
}

export interface RewindTarget extends OfSession {
  readonly path: string;
  /** Whether the file exists at the import; `delete` for a deletion. */
  readonly action: 'replace' | 'create' | 'delete';
  /** Why only `--all-files` includes it. */
  readonly risk: string | undefined;
}

/** The first line that names something. */
export interface ReachedLine extends OfSession {
  /**
   * `setting`: a mode or place of the client that wrote the session, left out. `command`: of a hook that ran there. `output`:
   * a file of stored output. `outside`: a path outside of the working folder.
   */
  readonly kind: 'setting' | 'command' | 'output' | 'outside';
  readonly line: number;
  readonly value: string;
}

export interface ReachedSession {
  readonly named: readonly ReachedLine[];
  /** By transcript: the lines to drop. */
  readonly rewrites: ReadonlyMap<string, Rewrite>;
  readonly notes: readonly string[];
}

/** How the import writes stored paths. */
export interface ReachPlaces {
  readonly sessionId: string;
  readonly resolve: (stored: string) => string;
  /** Whether a resolved path is in the working folder or the side folder of the session. */
  readonly isInside: (file: string) => boolean;
}

export function readReach({ files }: Source, places: ReachPlaces): ReachedSession {
  const named = new Map<string, ReachedLine>();
  const rewrites = new Map<string, Rewrite>();
  let unread = 0;
  for (const { transcript, name } of files) {
    if (transcript === undefined) continue;
    const drops = new Map<number, string>();
    const ranges = rangesOf(transcript);
    for (const node of transcript.nodes) {
      const entry = checkedEntry(Buffer.from(ranges.read(node.offset, node.length)), `line ${node.line} of ${name}`);
      if (settingTypes.has(node.type)) drops.set(node.index, 'a setting of the client that wrote the session');
      for (const [kind, value] of namedIn(entry, node.type, places)) {
        const key = `${kind} ${value}`;
        if (!named.has(key)) named.set(key, { sessionId: places.sessionId, kind, line: node.line, value });
      }
    }
    unread += countUnread(transcript, name);
    // Other readers might find records in bytes that this reader skips.
    rewrites.set(transcript.path, { drops, isCleaned: true });
  }
  const notes = unread === 0 ? [] : [`left out: bytes that are not records, in ${counted(unread, 'place')}`];
  return { named: [...named.values()], rewrites, notes };
}

function namedIn(entry: JsonObject, type: string, { resolve, isInside }: ReachPlaces): readonly Named[] {
  const paths = pathsIn(entry).map((each) => ({ ...each, full: resolve(each.path) }));
  return [
    ...(settingTypes.has(type) ? [['setting', settingText(entry)] as const] : []),
    ...commandsIn(entry).map((command) => ['command', command] as const),
    ...paths.filter(({ isOutput }) => isOutput).map(({ full }) => ['output', full] as const),
    ...paths.filter(({ full }) => !isInside(full)).map(({ full }) => ['outside', full] as const),
  ];
}

type Named = readonly [ReachedLine['kind'], string];

/** Modes, worktrees and remote sessions, which a client writes again when it has its own. */
const settingTypes: ReadonlySet<string> = new Set(['permission-mode', 'worktree-state', 'relocated', 'bridge-session']);

/**
 * The record, empty if it is not JSON after all. A record with a member twice is one thing for one reader and another for
 * the next; no client writes it.
 */
function checkedEntry(bytes: Buffer, at: string): JsonObject {
  const entry = asObject(parseJson(bytes.toString('utf8')));
  if (entry === undefined) return {};
  const count = countMembers(bytes);
  if (count >= 0 && count !== Object.keys(entry).length) throw damaged(`${at} has a member twice`);
  const leaving = findLeaving(entry);
  if (leaving === undefined) return entry;
  throw damaged(`${at} names ${JSON.stringify(leaving).slice(0, 80)}, which is outside its folder`);
}

/** The first path that leads out, if any. */
function findLeaving(entry: JsonObject): string | undefined {
  const tracked = isHistory(asString(entry.type) ?? '') ? trackedFiles(entry) : [];
  const folders = [
    entry.cwd,
    asObject(entry.toolUseResult)?.persistedOutputPath,
    ...tracked.map(({ backup }) => backup?.realParentDir),
  ];
  const upwards = folders.map(asString).find((folder) => folder !== undefined && leadsUp(folder));
  if (upwards !== undefined) return upwards;
  for (const { file, backup } of tracked) {
    if (isOutside(file)) return file;
    const name = backup?.backupFileName;
    if (typeof name === 'string' && !isPlainPart(name)) return name;
  }
  return undefined;
}

/** The number of places that are not records. */
function countUnread({ diagnostics }: Transcript, name: string): number {
  const long = diagnostics.find(({ code }) => code === 'L-oversize');
  if (long !== undefined) throw damaged(`line ${long.line} of ${name} is too long to be checked`);
  return diagnostics.filter(({ code }) => unreadCodes.has(code)).length;
}

const unreadCodes: ReadonlySet<string> = new Set(['L-nul', 'L-spliced', 'L-torn-tail', 'L-not-json']);

function settingText({ type, ...entry }: JsonObject): string {
  const worktree = asObject(entry.worktreeSession);
  const values = [entry.permissionMode, entry.relocatedCwd, entry.bridgeSessionId, worktree?.worktreePath];
  return [type, ...values].filter((value) => typeof value === 'string').join(' ');
}

function commandsIn(entry: JsonObject): readonly string[] {
  const attachment = asObject(entry.attachment);
  const data = asObject(entry.data);
  const summary = isArray(entry.hookInfos) ? entry.hookInfos.map((info) => asObject(info)?.command) : [];
  const isHook = asString(attachment?.type)?.startsWith('hook_') === true;
  const named = [isHook ? attachment?.command : undefined, data?.type === 'hook_progress' ? data.command : undefined];
  return [...named, ...summary].flatMap((command) => (typeof command === 'string' && command !== '' ? [command] : []));
}

interface NamedPath {
  readonly path: string;
  readonly isOutput: boolean;
}

function pathsIn(entry: JsonObject): readonly NamedPath[] {
  const attachment = asObject(entry.attachment);
  const output = asString(asObject(entry.toolUseResult)?.persistedOutputPath);
  const named = [entry.cwd, attachment?.filename, attachment?.path, attachment?.planFilePath].flatMap((value) =>
    typeof value === 'string' && isFullPath.test(value) ? [{ path: value, isOutput: false }] : [],
  );
  return [...named, ...(output === undefined ? [] : [{ path: output, isOutput: true }])];
}

const isFullPath = /^(?:[\\/~]|[A-Za-z]:[\\/]|\{\{)/;
