// The lines of an unpacked session → what a client could do with it later: settings it would take over, commands and paths
// it finds there. Lines that name a path outside their folder are refused here.
import { asObject, asString, isArray, type JsonObject } from '../../base/json/index.ts';
import type { Transcript } from '../../session/transcript/index.ts';
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
  /** By what is there now. */
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

/** `resolve`: a stored path as the import writes it; `isInside`: whether that is in the folders of the session. */
export function readReach(
  { files }: Source,
  sessionId: string,
  resolve: (stored: string) => string,
  isInside: (file: string) => boolean,
): ReachedSession {
  const named = new Map<string, ReachedLine>();
  const rewrites = new Map<string, Rewrite>();
  let unread = 0;
  for (const { transcript, name } of files) {
    if (transcript === undefined) continue;
    const drops = new Map<number, string>();
    for (const node of transcript.nodes) {
      const entry = transcript.read(node);
      const at = `line ${node.line} of ${name}`;
      refuseTwoTypes(entry, node.type, at);
      refuseLeaving(entry, at);
      const add = (kind: ReachedLine['kind'], value: string): void => {
        const key = `${kind} ${value}`;
        if (!named.has(key)) named.set(key, { sessionId, kind, line: node.line, value });
      };
      if (settingTypes.has(node.type)) {
        drops.set(node.index, 'a setting of the client that wrote the session');
        add('setting', settingText(entry));
      }
      for (const command of commandsIn(entry)) add('command', command);
      for (const place of pathsIn(entry)) {
        const full = resolve(place.path);
        if (place.isOutput) add('output', full);
        if (!isInside(full)) add('outside', full);
      }
    }
    unread += refuseLongLines(transcript, name);
    // Another reader might find a record in bytes that are none for this one.
    rewrites.set(transcript.path, { drops, isCleaned: true });
  }
  return {
    named: [...named.values()],
    rewrites,
    notes: unread === 0 ? [] : [`left out: bytes that are not records, in ${unread} places`],
  };
}

/** Modes, worktrees and remote sessions, which a client writes again when it has its own. */
const settingTypes: ReadonlySet<string> = new Set(['permission-mode', 'worktree-state', 'relocated', 'bridge-session']);

/** A line with its type twice is one thing for one reader and another for the next. */
function refuseTwoTypes(entry: JsonObject, type: string, at: string): void {
  const stated = asString(entry.type);
  if (stated !== undefined && stated !== '' && stated !== type) throw damaged(`${at} has two types`);
}

function refuseLeaving(entry: JsonObject, at: string): void {
  const leaving = findLeaving(entry);
  if (leaving === undefined) return;
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

/** Returns the number of places that are not records. */
function refuseLongLines({ diagnostics }: Transcript, name: string): number {
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
