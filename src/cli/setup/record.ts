// What `clew setup` writes and is about to write, kept in Clew's own folder. It is written before each change and forgets
// a part after its last entry is gone, so that a call that was killed can be finished or taken back at any point.
import { createHash } from 'node:crypto';
import { linkSync, lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, isArray, type JsonObject, jsonText, parseJson } from '../../base/json/index.ts';
import { readSettingsFile } from '../../settings/index.ts';
import { diskError, namesIn, stateFolder, syncFolder, writeDurably } from '../../store/index.ts';
import { copiedFiles, type PartName, partNames } from './parts.ts';

/** One file that was changed. A hash is `null` if there is no file in that state. */
export interface RecordedFile {
  /** The file without anything of ours; its bytes are in the copy, if it exists. */
  readonly beforeHash: string | null;
  readonly backup: string | null;
  /** The file as it was when the last write began, and as that write leaves it. */
  readonly afterHash: string | null;
  readonly nextHash: string | null;
}

/** What was added, by part: the hooks and their commands, the server, the status line. */
export type Added = Readonly<Partial<Record<PartName, JsonObject>>>;

export interface RootRecord {
  readonly files: Readonly<Record<string, RecordedFile>>;
  /** Every part that may have something in a file. */
  readonly added: Added;
  /** The parts that a call wants to be there when it ends; only while it runs, and after it was killed. */
  readonly goal?: readonly PartName[];
  /** The folders that setup made, relative to the root; `undefined` in records of older versions. */
  readonly folders?: readonly string[];
}

export const emptyRecord: RootRecord = { files: {}, added: {} };

/** `damage` says why the record, or a part of it, is not used. */
export interface ReadRecords {
  readonly roots: ReadonlyMap<string, RootRecord>;
  readonly damage?: string;
}

const recordVersion = 2;

export function setupFolder(env: NodeJS.ProcessEnv): string {
  return path.join(stateFolder(env), 'setup');
}

export function recordFile(env: NodeJS.ProcessEnv): string {
  return path.join(setupFolder(env), 'setup.json');
}

/** Throws if the disk does not let the record be read, or if it is from a newer version: then nothing may be changed. */
export function readRecords(env: NodeJS.ProcessEnv): ReadRecords {
  const file = recordFile(env);
  const text = readRecordText(file);
  if (text === undefined) return { roots: new Map() };
  const all = asObject(parseJson(text));
  const roots = asObject(all?.roots);
  if (all === undefined || roots === undefined) return { roots: new Map(), damage: 'it is not the JSON of a record' };
  if (Number(all.version) > recordVersion)
    throw new UserError(`${file} is from a newer version of Clew`, 'update Clew', exitCodes.refused);
  const found = new Map<string, RootRecord>();
  const damaged: string[] = [];
  for (const [root, value] of Object.entries(roots)) {
    const record = parseRecord(value);
    if (record === undefined) damaged.push(root);
    else found.set(root, record);
  }
  if (damaged.length === 0) return { roots: found };
  return { roots: found, damage: `what it has for ${damaged.join(', ')} is not a record` };
}

/** Keeps a damaged record under another name, where nobody deletes it. The caller holds the settings lock. */
export function setRecordAside(env: NodeJS.ProcessEnv, { roots }: ReadRecords): string {
  const file = recordFile(env);
  const aside = `${file}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  try {
    linkSync(file, aside);
    syncFolder(path.dirname(file));
    writeRecords(env, roots);
  } catch (error) {
    throw diskError(error, 'write', aside);
  }
  return aside;
}

/** The caller holds the settings lock. A record without parts is forgotten. */
export function writeRecord(env: NodeJS.ProcessEnv, root: string, record: RootRecord): void {
  const roots = new Map(readRecords(env).roots);
  if (record.goal === undefined && Object.keys(record.added).length === 0) roots.delete(root);
  else roots.set(root, record);
  writeRecords(env, roots);
}

function writeRecords(env: NodeJS.ProcessEnv, roots: ReadonlyMap<string, RootRecord>): void {
  const file = recordFile(env);
  const text = `${jsonText({ version: recordVersion, roots: Object.fromEntries(roots) }, 2)}\n`;
  const before = readRecordText(file);
  if (before === text || (before === undefined && roots.size === 0)) return;
  try {
    writeDurably(file, text);
  } catch (error) {
    throw diskError(error, 'write', file);
  }
}

/** The hash of no file is `null`. */
export function hashText(text: string | undefined): string | null {
  return text === undefined ? null : createHash('sha256').update(text).digest('hex');
}

/** The name says which file and which bytes it is a copy of, so that a forged record cannot name another one. */
export function nameCopy(file: string, text: string): string {
  const hash = createHash('sha256')
    .update(`${path.resolve(file)}\0${text}`)
    .digest('hex')
    .slice(0, 16);
  return `${path.basename(file)}.${hash}.copy`;
}

export function writeCopy(env: NodeJS.ProcessEnv, name: string, text: string): void {
  const copy = path.join(setupFolder(env), name);
  try {
    if (lstatSync(copy, { throwIfNoEntry: false })?.isFile() === true && readRegularText(copy) === text) return;
    writeDurably(copy, text);
  } catch (error) {
    throw diskError(error, 'write', copy);
  }
}

/** The bytes of a copy if they are still those that were kept. */
export function readCopy(env: NodeJS.ProcessEnv, { backup, beforeHash }: RecordedFile): string | undefined {
  if (backup === null) return undefined;
  const copy = path.join(setupFolder(env), backup);
  if (lstatSync(copy, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const text = readSettingsFile(copy);
  return hashText(text) === beforeHash ? text : undefined;
}

/** Copies that no record needs, and files that a killed writer left. A damaged record that was set aside may need copies. */
export function findLeftCopies(env: NodeJS.ProcessEnv): readonly string[] {
  const folder = setupFolder(env);
  const names = namesIn(folder);
  const records = [...readRecords(env).roots.values()];
  const needed = new Set(records.flatMap(({ files }) => Object.values(files).map(({ backup }) => backup)));
  const hasAside = names.some((name) => name.startsWith('setup.json.damaged-'));
  const isLeft = (name: string): boolean =>
    /^\.clew-[0-9a-f]{16}\.tmp$/.test(name) ||
    (!hasAside && /\.[0-9a-f]{16}\.copy$/.test(name) && copyName.test(name) && !needed.has(name));
  return names.filter(isLeft).map((name) => path.join(folder, name));
}

/** The caller holds the settings lock. What cannot be removed is found again. */
export function removeLeftCopies(env: NodeJS.ProcessEnv): void {
  try {
    for (const file of findLeftCopies(env)) rmSync(file, { force: true });
  } catch {
    // Everything that was asked for is in place.
  }
}

/** Of this version, and of older ones. */
const copyName = /^(?:settings\.json|\.claude\.json|[\w-]+\.md)\.(?:[0-9a-f]{16}\.copy|\d{4}-\d\d-\d\dT[\d-]+Z)$/;

function readRecordText(file: string): string | undefined {
  try {
    return readRegularText(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'ENOTDIR') return undefined;
    throw diskError(error, 'read', file);
  }
}

/** `undefined` if it is not what this or an older version writes. */
function parseRecord(value: unknown): RootRecord | undefined {
  const record = asObject(value);
  const files = asObject(record?.files);
  const added = asObject(record?.added);
  if (record === undefined || files === undefined || added === undefined) return undefined;
  const parsed: Record<string, RecordedFile> = {};
  for (const [file, state] of Object.entries(files)) {
    const one = parseFile(state);
    if (one === undefined) return undefined;
    parsed[file] = one;
  }
  if (!Object.entries(added).every(([part, what]) => isPart(part) && asObject(what) !== undefined)) return undefined;
  const { goal, folders } = record;
  if (goal !== undefined && !(isArray(goal) && goal.every(isPart))) return undefined;
  if (folders !== undefined && !(isArray(folders) && folders.every((name) => ownFolders.includes(String(name)))))
    return undefined;
  return {
    files: parsed,
    added: added as Added,
    ...(goal === undefined ? {} : { goal: goal as readonly PartName[] }),
    ...(folders === undefined ? {} : { folders: folders as readonly string[] }),
  };
}

function parseFile(value: unknown): RecordedFile | undefined {
  const state = asObject(value);
  if (state === undefined) return undefined;
  const { backup = null, beforeHash = null, afterHash = null, nextHash = afterHash } = state;
  const isHash = (hash: unknown): boolean => hash === null || typeof hash === 'string';
  if (![beforeHash, afterHash, nextHash].every(isHash)) return undefined;
  if (backup !== null && !copyName.test(path.basename(asString(backup) ?? ''))) return undefined;
  return {
    backup: backup === null ? null : path.basename(String(backup)),
    beforeHash: beforeHash as string | null,
    afterHash: afterHash as string | null,
    nextHash: nextHash as string | null,
  };
}

function isPart(name: unknown): boolean {
  return partNames.some((part) => part === name);
}

/** The folders that setup may make, from the outside in; '' is the root. */
export const ownFolders: readonly string[] = [
  ...new Set(
    ['', ...Object.keys(copiedFiles)].flatMap((name) => {
      const words = path.dirname(name).split('/');
      return name === '' ? [''] : words.map((_, at) => words.slice(0, at + 1).join('/'));
    }),
  ),
];
