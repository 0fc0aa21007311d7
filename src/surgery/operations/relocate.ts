// Gives a session another working directory: its project folder, and the `cwd` of its lines.
import { statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/errors.ts';
import { asObject, asString, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { Edit, JsonPath } from '../../format/bytes/edit.ts';
import { encodeSlug } from '../../store/slug.ts';

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
