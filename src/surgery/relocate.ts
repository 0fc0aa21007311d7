// Another working folder for a session: the project folder it then lives in, and the `cwd` of its lines.
import path from 'node:path';
import { asString, type JsonObject } from '../base/json.ts';
import type { Edit } from '../format/edit.ts';
import { encodeSlug } from '../store/slug.ts';

/** The project folder for `cwd`, beside that of the session. */
export function folderFor(projectFolder: string, cwd: string): string {
  return path.join(path.dirname(projectFolder), encodeSlug(cwd));
}

/** Folders at or below `from` become the same below `to`; others stay. Windows and Unix paths may be mixed. */
export function cwdEdits(entry: JsonObject, from: string, to: string): readonly Edit[] {
  const cwd = asString(entry.cwd);
  const moved = cwd === undefined ? undefined : movePath(cwd, from, to);
  return moved === undefined || moved === cwd ? [] : [{ path: ['cwd'], set: moved }];
}

/** `undefined` where `file` is neither `from` nor below it. */
export function movePath(file: string, from: string, to: string): string | undefined {
  const base = from.replace(/[\\/]+$/, '');
  if (file === base) return to;
  const rest = file.startsWith(base) ? file.slice(base.length) : '';
  if (!/^[\\/]/.test(rest)) return undefined;
  const separator = isWindowsPath(to) ? '\\' : '/';
  return to.replace(/[\\/]+$/, '') + rest.replace(/[\\/]/g, separator);
}

export function isWindowsPath(file: string): boolean {
  return /^[A-Za-z]:[\\/]|^\\\\/.test(file);
}
