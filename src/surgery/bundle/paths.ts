// Finds paths in a bundled transcript that would lead a client out of their folder. A snapshot names files that the client
// copies at the next prompt and writes at a rewind: a file outside the project could be leaked or overwritten.
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';

/** Whether `name` is safe as a part of a path on any system. */
export function isPlainPart(name: string): boolean {
  const isShort = Buffer.byteLength(name) <= 255;
  return isShort && plainPart.test(name) && !/^\.+$|[. ]$/.test(name) && !deviceName.test(name);
}

const plainPart = /^[^\\/:*?"<>|\p{Cc}]+$/u;
/** Windows opens a device instead of a file, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i;

/** The first path that leads out, if any. */
export function findLeaving(entry: JsonObject): string | undefined {
  const result = asObject(entry.toolUseResult);
  const folders = [
    entry.cwd,
    result?.persistedOutputPath,
    ...backupsIn(entry).map(({ value }) => value?.realParentDir),
  ];
  const upwards = folders.map(asString).find((folder) => folder !== undefined && leadsUp(folder));
  if (upwards !== undefined) return upwards;
  for (const { file, value } of backupsIn(entry)) {
    if (isOutside(file)) return file;
    const name = value?.backupFileName;
    if (name !== undefined && name !== null && !(typeof name === 'string' && isPlainPart(name))) return String(name);
  }
  return undefined;
}

/** The files outside the project that a snapshot names; a bundle omits them. */
export function outsideFiles(entry: JsonObject): readonly string[] {
  return backupsIn(entry)
    .map(({ file }) => file)
    .filter(isOutside);
}

interface TrackedFile {
  readonly file: string;
  readonly value: JsonObject | undefined;
}

function backupsIn(entry: JsonObject): readonly TrackedFile[] {
  if (entry.type === 'file-history-delta')
    return [{ file: asString(entry.trackingPath) ?? '', value: asObject(entry.backup) }];
  if (entry.type !== 'file-history-snapshot') return [];
  const tracked: JsonValue | undefined = asObject(entry.snapshot)?.trackedFileBackups;
  return isObject(tracked) ? Object.entries(tracked).map(([file, value]) => ({ file, value: asObject(value) })) : [];
}

/** Relative names belong to the project. */
function isOutside(file: string): boolean {
  return /^(?:[\\/~]|[A-Za-z]:)/.test(file) || leadsUp(file) || file.includes('\0');
}

function leadsUp(file: string): boolean {
  return file.split(/[\\/]/).includes('..');
}
