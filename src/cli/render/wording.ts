// Short texts that several commands print: times, folders, operations.
import { homedir } from 'node:os';

/** `2026-03-04 19:40`, in the local time zone. */
export function localTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `14:03:22`. */
export function clockTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The end of an operation's id, which `clew undo` accepts; the start is only the time. */
export function shortOperation(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1);
}

/** With `~` for the home directory. */
export function shortFolder(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
