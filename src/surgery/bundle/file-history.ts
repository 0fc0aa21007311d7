// The lines that name copies of files (`file-history-snapshot`, `file-history-delta`) → the same lines with only the files
// that a rewind may write. A client copies these files at its next prompt and writes them at a rewind, so both the writer and
// the reader of a bundle leave out what is not an ordinary file of the project.
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { counted } from '../../base/text/index.ts';
import type { Transcript } from '../../session/transcript/index.ts';
import type { Rewrite, Source } from '../engine/index.ts';
import { isOddName, isOutside, whyActive } from './names.ts';

/** A file that a line names. */
export interface TrackedFile {
  readonly file: string;
  readonly backup: JsonObject | undefined;
}

/** A file that a rewind can restore after the bundle is imported. */
export interface RestorableFile {
  readonly file: string;
  /** `null`: the file did not exist, so that a rewind deletes it. */
  readonly copy: string | null;
  /** Why only `--all-files` includes it. */
  readonly risk: string | undefined;
}

/** A file that a bundle or an import leaves out, and why. */
export interface LeftOutFile {
  readonly file: string;
  readonly reason: string;
  /** Whether `--all-files` includes it. */
  readonly isByChoice: boolean;
}

export interface HistoryRules {
  /** Includes files that programs run or obey, and those that a rewind deletes. */
  readonly keepsAll: boolean;
  /** The names of the copies that exist. */
  readonly copies: ReadonlySet<string>;
  /** The name as the result has it. */
  rename?(file: string): string;
  /** Why a rewind must not write to the place that this name has. */
  whyMisplaced?(file: string): string | undefined;
  /** The real folder of the file, for lines that have one. */
  realFolder?(file: string): string;
}

export interface KeptHistory {
  /** By transcript. */
  readonly rewrites: ReadonlyMap<string, Rewrite>;
  /** Each file once for each copy. */
  readonly kept: readonly RestorableFile[];
  /** Each file once for each reason. */
  readonly leftOut: readonly LeftOutFile[];
}

export function keepHistory({ files }: Source, rules: HistoryRules): KeptHistory {
  const kept = new Map<string, RestorableFile>();
  const leftOut = new Map<string, LeftOutFile>();
  const rewrites = new Map<string, Rewrite>();
  const keep = ({ file: stored, backup }: TrackedFile): readonly [string, JsonObject] | undefined => {
    const file = rules.rename?.(stored) ?? stored;
    const why = whyLeftOut({ file, backup }, rules);
    if (why !== undefined) {
      leftOut.set(`${why.reason} ${file}`, why);
      return undefined;
    }
    const copy = asString(backup?.backupFileName) ?? null;
    kept.set(`${copy} ${file}`, { file, copy, risk: findRisk(file, copy) });
    return [file, keptBackup(file, backup ?? {}, rules)];
  };
  for (const { transcript } of files)
    if (transcript !== undefined) rewrites.set(transcript.path, keepFiles(transcript, keep));
  return { rewrites, kept: [...kept.values()], leftOut: [...leftOut.values()] };
}

/** Future types of such lines too, which are left out. */
export function isHistory(type: string): boolean {
  return type.startsWith('file-history');
}

export function trackedFiles(entry: JsonObject): readonly TrackedFile[] {
  if (entry.type === 'file-history-delta')
    return [{ file: asString(entry.trackingPath) ?? '', backup: asObject(entry.backup) }];
  if (entry.type !== 'file-history-snapshot') return [];
  const tracked: JsonValue | undefined = asObject(entry.snapshot)?.trackedFileBackups;
  return isObject(tracked) ? Object.entries(tracked).map(([file, value]) => ({ file, backup: asObject(value) })) : [];
}

type KeepFile = (file: TrackedFile) => readonly [string, JsonObject] | undefined;

function keepFiles(transcript: Transcript, keep: KeepFile): Rewrite {
  const drops = new Map<number, string>();
  const made = new Map<number, Buffer>();
  const lines = new Set<number>();
  for (const node of transcript.nodes) {
    if (!isHistory(node.type)) continue;
    const entry = keptEntry(transcript.read(node), keep);
    if (entry === undefined) drops.set(node.index, 'names only files that are left out');
    else {
      made.set(node.index, Buffer.from(JSON.stringify(entry)));
      lines.add(node.line);
    }
  }
  return {
    drops,
    patch: {
      isTouched: (line) => lines.has(line),
      apply: (bytes, _, node) => (node === undefined ? bytes : (made.get(node.index) ?? bytes)),
    },
  };
}

/**
 * Built from the members that are known, not edited: a line may have a member twice, of which an edit would find one and a
 * client the other.
 */
function keptEntry(entry: JsonObject, keep: KeepFile): JsonObject | undefined {
  const files = trackedFiles(entry).flatMap((each) => {
    const kept = keep(each);
    return kept === undefined ? [] : [kept];
  });
  const { trackingPath: _, ...own } = scalarsOf(entry);
  if (entry.type === 'file-history-delta') {
    const [only] = files;
    return only === undefined ? undefined : { ...own, trackingPath: only[0], backup: only[1] };
  }
  if (entry.type !== 'file-history-snapshot') return undefined;
  const snapshot = { ...scalarsOf(asObject(entry.snapshot) ?? {}), trackedFileBackups: Object.fromEntries(files) };
  return { ...own, snapshot };
}

function scalarsOf(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => typeof value !== 'object' || value === null));
}

function keptBackup(
  file: string,
  { backupFileName, version, backupTime, realParentDir }: JsonObject,
  { realFolder }: HistoryRules,
): JsonObject {
  return {
    backupFileName: backupFileName ?? null,
    ...(version === undefined ? {} : { version }),
    ...(backupTime === undefined ? {} : { backupTime }),
    ...(realParentDir === undefined ? {} : { realParentDir: realFolder?.(file) ?? realParentDir }),
  };
}

function whyLeftOut({ file, backup }: TrackedFile, rules: HistoryRules): LeftOutFile | undefined {
  const never = (reason: string): LeftOutFile => ({ file, reason, isByChoice: false });
  if (isOutside(file)) return never('outside the project');
  if (isOddName(file)) return never('a name that some systems do not allow');
  const copy = backup?.backupFileName;
  if (backup === undefined || !isComplete(backup)) return never('an incomplete record');
  if (typeof copy === 'string' && !rules.copies.has(copy)) return never('its copy is missing');
  const misplaced = rules.whyMisplaced?.(file);
  if (misplaced !== undefined) return never(misplaced);
  const reason = findRisk(file, copy);
  return reason === undefined || rules.keepsAll ? undefined : { file, reason, isByChoice: true };
}

function findRisk(file: string, copy: JsonValue | undefined): string | undefined {
  return whyActive(file) ?? (copy === null ? 'a rewind would delete it' : undefined);
}

function isComplete({ backupFileName, version, backupTime, realParentDir }: JsonObject): boolean {
  const isNumber = version === undefined || (typeof version === 'number' && Number.isSafeInteger(version));
  const areTexts = [backupTime, realParentDir].every((value) => value === undefined || typeof value === 'string');
  return isNumber && areTexts && (backupFileName === null || isCopyName(backupFileName));
}

/**
 * A file in the side folder of a session with a name that programs run or obey. Clients give other names to sub-agents,
 * outputs and titles.
 */
export function activeFile(name: string, sessionId: string): readonly LeftOutFile[] {
  const reason = name.startsWith(`${sessionId}/`) ? whyActive(name.slice(sessionId.length + 1)) : undefined;
  return reason === undefined ? [] : [{ file: name, reason, isByChoice: false }];
}

/** `3f9a1c0be2d47a55@v2`: all copies that clients make are named like this. */
export function isCopyName(name: JsonValue | undefined): name is string {
  return typeof name === 'string' && /^[0-9a-f]{4,64}@v\d{1,9}$/.test(name);
}

/** What is left out, in one sentence for each kind: the first three, and how to include them. */
export function leftOutFileNotes(leftOut: readonly LeftOutFile[]): readonly string[] {
  const note = (files: readonly LeftOutFile[], what: string, next: string): readonly string[] => {
    if (files.length === 0) return [];
    const shown = files.slice(0, 3).map(({ file, reason }) => `${JSON.stringify(file).slice(0, 120)} (${reason})`);
    const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : '';
    return [`left out: ${counted(files.length, 'file')} that ${what}: ${shown.join(', ')}${more}${next}`];
  };
  const [choice, never] = [true, false].map((wanted) => leftOut.filter(({ isByChoice }) => isByChoice === wanted));
  return [
    ...note(choice ?? [], 'a rewind would change', '; --all-files includes them'),
    ...note(never ?? [], 'cannot be restored safely', ''),
  ];
}
