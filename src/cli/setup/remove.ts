// Plans what `clew setup --remove` takes back: a file that nobody has changed since gets its old bytes; from any other
// only our entries are removed.
import path from 'node:path';
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type Edit, editSettings, installedHooks, parseSettings, withoutHooks } from '../../settings/index.ts';
import { programFile } from '../input/index.ts';
import { type FileEdit, isEqual, type PartOutcome, type Plan, serversOf } from './add.ts';
import {
  archiveHook,
  copiedFiles,
  guardHooks,
  isStatusCommand,
  type PartName,
  partNames,
  pushHook,
  statusLine,
} from './parts.ts';
import { hashOf, type RecordedFile, type RootRecord } from './record.ts';

/** The parts in `settings.json`. */
const settingsParts = ['archive', 'push', 'trace', 'guard', 'statusline'] as const;

export interface RemoveOptions {
  readonly root: string;
  readonly userConfig: string;
  readonly chosen: ReadonlySet<PartName>;
  readonly record: RootRecord;
  readonly readText: (file: string) => string | undefined;
  /** The bytes of a backup, if they are still those that were kept. */
  readonly readBackup: (recorded: RecordedFile) => string | undefined;
}

export function planRemove(options: RemoveOptions): Plan {
  const { root, userConfig, chosen } = options;
  const settings = path.join(root, 'settings.json');
  const added = hasRecord(options.record) ? options.record.added : guessAdded(options, settings);
  const removed = partNames.filter((part) => chosen.has(part) && added[part] !== undefined);
  const rest = Object.fromEntries(Object.entries(added).filter(([part]) => !removed.some((each) => each === part)));
  const isEmptied = (parts: readonly PartName[]): boolean => parts.every((part) => rest[part] === undefined);
  const edits: FileEdit[] = [];
  const ofSettings = settingsParts.filter((part) => removed.includes(part));
  if (ofSettings.length > 0) {
    const edit = (text: string | undefined) => withoutParts(text, ofSettings, added, settings);
    edits.push(restoring(options, settings, edit, isEmptied(settingsParts)));
  }
  if (removed.includes('mcp')) {
    const edit = (text: string | undefined) => withoutServer(text, added.mcp?.value, userConfig);
    edits.push({ ...restoring(options, userConfig, edit, true), isShared: true });
  }
  const kept: string[] = [];
  if (removed.includes('skill')) {
    for (const name of Object.keys(copiedFiles)) {
      const file = path.join(root, name);
      const text = options.readText(file);
      if (text === undefined) continue;
      if (options.record.files[file]?.afterHash === hashOf(text)) edits.push({ file, edit: () => undefined });
      else kept.push(file);
    }
  }
  const parts = removed.map((part): PartOutcome => {
    const isKept = part === 'skill' && kept.length > 0;
    return { part, state: 'remove', ...(isKept ? { note: `${kept.join(', ')} was changed and stays` } : {}) };
  });
  return { parts, edits, added: rest };
}

function hasRecord({ files }: RootRecord): boolean {
  return Object.keys(files).length > 0;
}

/** The old bytes if all of our parts go and the file is as we left it, otherwise `edit`. */
function restoring(
  { record, readBackup }: RemoveOptions,
  file: string,
  edit: (text: string | undefined) => string | undefined,
  isAll: boolean,
): FileEdit {
  const recorded = record.files[file];
  return {
    file,
    edit: (text) => {
      if (!isAll || recorded === undefined || text === undefined || recorded.afterHash !== hashOf(text))
        return edit(text);
      if (recorded.beforeHash === null) return undefined;
      return readBackup(recorded) ?? edit(text);
    },
  };
}

function withoutParts(
  text: string | undefined,
  parts: readonly PartName[],
  added: RootRecord['added'],
  file: string,
): string | undefined {
  if (text === undefined) return undefined;
  const commands = new Set(parts.filter((part) => part !== 'statusline').flatMap((part) => commandsOf(added[part])));
  const after = withoutHooks(text, (command) => commands.has(command), file);
  if (!parts.includes('statusline')) return after;
  const current = asString(asObject(parseSettings(after, file).statusLine)?.command);
  if (current === undefined || !commandsOf(added.statusline).includes(current)) return after;
  const previous = added.statusline?.previous ?? null;
  const edit: Edit =
    previous === null ? { path: ['statusLine'], remove: true } : { path: ['statusLine'], set: previous };
  return editSettings(after, [edit]);
}

function withoutServer(text: string | undefined, value: JsonValue | undefined, file: string): string | undefined {
  const servers = serversOf(text, file);
  if (text === undefined || servers === undefined || !isEqual(servers.clew, value)) return text;
  const isLast = Object.keys(servers).length === 1;
  return editSettings(text, [{ path: isLast ? ['mcpServers'] : ['mcpServers', 'clew'], remove: true }]);
}

function commandsOf(part: JsonObject | undefined): readonly string[] {
  return isArray(part?.commands) ? part.commands.map(String) : [];
}

/** Without a record: what has the form that `clew setup` writes. Hooks of `clew trace install` have the same form as ours. */
function guessAdded({ userConfig, readText }: RemoveOptions, settings: string): RootRecord['added'] {
  const added: Record<string, JsonObject> = {};
  const text = readText(settings);
  const there = new Set(installedHooks(text, settings).map(({ command }) => command));
  for (const [part, { command }] of [
    ['archive', archiveHook],
    ['push', pushHook],
  ] as const)
    if (there.has(command)) added[part] = { commands: [command] };
  const guard = guardHooks.map(({ command }) => command).filter((command) => there.has(command));
  if (guard.length > 0) added.guard = { commands: guard };
  const line = asString(asObject(parseSettings(text, settings).statusLine)?.command);
  if (line !== undefined && line === statusLine.command && isStatusCommand(line))
    added.statusline = { commands: [line], previous: null };
  const server = asObject(serversOf(readText(userConfig), userConfig)?.clew);
  if (server !== undefined && isArray(server.args) && server.args[0] === programFile && server.args[1] === 'mcp')
    added.mcp = { value: server };
  return added;
}
