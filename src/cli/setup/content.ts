// The text of a file that setup changes is its base, the text without anything of ours, and our parts. Both adding and
// removing write base + parts, so neither depends on what a call before did, or how far it came.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import {
  editSettings,
  type HookEntry,
  installedHooks,
  parseSettings,
  readSettingsFile,
  withHooks,
  withoutHooks,
} from '../../settings/index.ts';
import { copiedFiles, findFormPart, isOwnServer, type PartName, partNames, pluginFolder } from './parts.ts';
import { type Added, hashText, type RecordedFile, type RootRecord, readCopy } from './record.ts';

export interface Place {
  readonly root: string;
  /** The file with the user's MCP servers. */
  readonly userConfig: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A file, and what it is for the parts that are wanted. */
export interface Target {
  readonly file: string;
  /** Claude Code writes it all the time, so it is locked. */
  readonly isShared?: boolean;
  /** The parts that may be in it. */
  readonly parts: readonly PartName[];
  derive(text: string | undefined): Derived;
}

/** `undefined`: no file. */
export interface Derived {
  readonly base: string | undefined;
  readonly after: string | undefined;
}

/** The parts in `settings.json`. */
export const settingsParts = ['archive', 'push', 'trace', 'guard', 'statusline'] as const;
const commandParts: readonly PartName[] = settingsParts;

/** The files of one root, as they are, with what is ours in them. */
export class SetupContent {
  readonly settings: string;
  readonly userConfig: string;
  /** The parts of the record, and those that have the form that setup writes. */
  readonly known: Added;
  readonly #place: Place;
  readonly #record: RootRecord;

  constructor(place: Place, record: RootRecord) {
    this.#place = place;
    this.#record = record;
    this.settings = path.join(place.root, 'settings.json');
    this.userConfig = place.userConfig;
    this.known = mergeParts(withEntries(record.added, this.settings), this.#findByForm());
  }

  /** The known parts that a call leaves as they are: what another call was about to add or remove is finished. */
  keptParts(): Added {
    const { goal, added } = this.#record;
    const kept: Partial<Record<PartName, JsonObject>> = {};
    for (const part of partNames) {
      const begun = goal === undefined ? undefined : added[part];
      const value = begun ?? this.known[part];
      if (value !== undefined && (begun === undefined ? this.isPresent(part) : goal?.includes(part) === true))
        kept[part] = value;
    }
    return kept;
  }

  isPresent(part: PartName): boolean {
    if (part === 'skill') return this.copies().some(({ text, isOurs }) => text !== undefined && isOurs);
    if (part === 'mcp') {
      const server = serversIn(readSettingsFile(this.userConfig), this.userConfig)?.clew;
      return server !== undefined && this.#isServer(server);
    }
    const text = readSettingsFile(this.settings);
    const commands = new Set(commandsOf(this.known[part]));
    if (part === 'statusline') return commands.has(statusCommand(parseSettings(text, this.settings)) ?? '');
    return installedHooks(text, this.settings).some(({ command }) => commands.has(command));
  }

  /** `settings.json` without anything of ours. */
  baseSettings(): string | undefined {
    return this.#settingsTarget({}).derive(readSettingsFile(this.settings)).base;
  }

  /** The servers of the user, without ours. */
  baseServers(): JsonObject | undefined {
    const { base } = this.#serverTarget({}).derive(readSettingsFile(this.userConfig));
    return serversIn(base, this.userConfig);
  }

  /** The copies of files of the plugin, as they are now. */
  copies(): readonly CopiedFile[] {
    return Object.entries(copiedFiles).map(([name, source]) => {
      const file = path.join(this.#place.root, name);
      const wanted = readSettingsFile(path.join(pluginFolder, source));
      if (wanted === undefined)
        throw new UserError(`${path.join(pluginFolder, source)} is missing`, 'install Clew again');
      const text = readSettingsFile(file);
      return { file, wanted, text, isOurs: this.#isCopy(file, text, wanted) };
    });
  }

  /** The files in which one of `parts` is, or is wanted. */
  targets(goal: Added, parts: readonly PartName[]): readonly Target[] {
    const all = [
      this.#settingsTarget(goal),
      this.#serverTarget(goal),
      ...this.copies().map(({ file, wanted }) => this.#copyTarget(goal, file, wanted)),
    ];
    return all.filter((target) => target.parts.some((part) => parts.includes(part)));
  }

  #settingsTarget(goal: Added): Target {
    const file = this.settings;
    return {
      file,
      parts: commandParts,
      derive: (text) => {
        const base = this.#findBase(file, text, (now, original) => this.#withoutParts(now, original));
        return { base, after: withParts(base, goal, file) };
      },
    };
  }

  #serverTarget(goal: Added): Target {
    const file = this.userConfig;
    return {
      file,
      isShared: true,
      parts: ['mcp'],
      derive: (text) => {
        const base = this.#findBase(file, text, (now, original) => this.#withoutServer(now, original));
        return { base, after: withServer(base, goal.mcp?.value, file) };
      },
    };
  }

  #copyTarget(goal: Added, file: string, wanted: string): Target {
    return {
      file,
      parts: ['skill'],
      derive: (text) => {
        if (!this.#isCopy(file, text, wanted)) return { base: text, after: text };
        return { base: undefined, after: goal.skill === undefined ? undefined : wanted };
      },
    };
  }

  #isCopy(file: string, text: string | undefined, wanted: string): boolean {
    return text === undefined || text === wanted || isRecorded(this.#record.files[file], text);
  }

  /** The kept bytes if only setup has changed the file since, otherwise `strip`. */
  #findBase(
    file: string,
    text: string | undefined,
    strip: (text: string, original: JsonObject) => string,
  ): string | undefined {
    const recorded = this.#record.files[file];
    if (text === undefined || (recorded !== undefined && hashText(text) === recorded.beforeHash)) return text;
    const copy = recorded === undefined ? undefined : readCopy(this.#place.env, recorded);
    if (isRecorded(recorded, text)) {
      if (recorded?.beforeHash === null) return undefined;
      if (copy !== undefined) return copy;
    }
    return strip(text, asObject(parseJson((copy ?? '').replace(/^\uFEFF/, ''))) ?? {});
  }

  #withoutParts(text: string, original: JsonObject): string {
    const commands = new Set(Object.values(this.known).flatMap(commandsOf));
    const isOurs = (command: string, event: string): boolean =>
      commands.has(command) || findFormPart(command, event) !== undefined;
    const after = withoutHooks(text, isOurs, this.settings, original);
    const current = statusCommand(parseSettings(after, this.settings));
    if (current === undefined || !isOurs(current, 'statusLine')) return after;
    const previous = original.statusLine ?? this.known.statusline?.previous ?? null;
    const place = ['statusLine'];
    return editSettings(after, [previous === null ? { path: place, remove: true } : { path: place, set: previous }]);
  }

  #withoutServer(text: string, original: JsonObject): string {
    const servers = serversIn(text, this.userConfig);
    if (servers?.clew === undefined || !this.#isServer(servers.clew)) return text;
    const isLast = Object.keys(servers).length === 1 && original.mcpServers === undefined;
    return editSettings(text, [{ path: isLast ? ['mcpServers'] : ['mcpServers', 'clew'], remove: true }]);
  }

  #isServer(value: JsonValue): boolean {
    return isOwnServer(value) || isEqual(value, this.#record.added.mcp?.value);
  }

  /** Tracing is not found by its form: `clew trace install` writes the same. */
  #findByForm(): Added {
    const found: Partial<Record<PartName, JsonObject>> = {};
    const text = readSettingsFile(this.settings);
    for (const entry of installedHooks(text, this.settings)) {
      const part = findFormPart(entry.command, entry.event);
      if (part !== undefined) found[part] = partValue([...entriesOf(found[part]), entry]);
    }
    const line = statusCommand(parseSettings(text, this.settings));
    if (line !== undefined && findFormPart(line, 'statusLine') !== undefined)
      found.statusline = { commands: [line], previous: null };
    const server = serversIn(readSettingsFile(this.userConfig), this.userConfig)?.clew;
    if (isOwnServer(server)) found.mcp = { value: server };
    if (this.copies().some(({ text: now, wanted }) => now === wanted)) found.skill = {};
    return found;
  }
}

export interface CopiedFile {
  readonly file: string;
  /** What it is if the skill is set up. */
  readonly wanted: string;
  readonly text: string | undefined;
  /** Or not there. */
  readonly isOurs: boolean;
}

/** What the record keeps of a part with these hooks. */
export function partValue(entries: readonly HookEntry[]): JsonObject {
  const hooks = entries.map(({ event, command, timeoutS, isAsync = false }) => ({ event, command, timeoutS, isAsync }));
  return { commands: [...new Set(hooks.map(({ command }) => command))], hooks };
}

export function commandsOf(part: JsonObject | undefined): readonly string[] {
  return isArray(part?.commands) ? part.commands.map(String) : [];
}

export function isEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isRecorded(recorded: RecordedFile | undefined, text: string): boolean {
  const hash = hashText(text);
  return recorded !== undefined && (hash === recorded.afterHash || hash === recorded.nextHash);
}

/** What was found comes first: the record may be of another call. */
function mergeParts(recorded: Added, found: Added): Added {
  const merged: Partial<Record<PartName, JsonObject>> = { ...recorded };
  for (const part of partNames) {
    const value = found[part];
    if (value === undefined) continue;
    const previous = recorded[part]?.previous;
    const commands = [...new Set([...commandsOf(value), ...commandsOf(recorded[part])])];
    merged[part] = {
      ...value,
      ...(commands.length === 0 ? {} : { commands }),
      ...(previous === undefined ? {} : { previous }),
    };
  }
  return merged;
}

/** Older versions recorded only the commands. */
function withEntries(added: Added, settings: string): Added {
  const complete = Object.entries(added).map(([part, value]) => {
    if (!commandParts.includes(part as PartName) || part === 'statusline' || value.hooks !== undefined)
      return [part, value];
    const commands = commandsOf(value);
    const entries = installedHooks(readSettingsFile(settings), settings);
    return [part, { ...partValue(entries.filter(({ command }) => commands.includes(command))), commands }];
  });
  return Object.fromEntries(complete) as Added;
}

function withParts(base: string | undefined, goal: Added, file: string): string | undefined {
  let text = base;
  for (const part of partNames) {
    const value = goal[part];
    if (value === undefined || !commandParts.includes(part)) continue;
    if (part === 'statusline')
      text = editSettings(text, [
        { path: ['statusLine'], set: { type: 'command', command: commandsOf(value)[0] ?? '' } },
      ]);
    else text = withHooks(text, entriesOf(value), () => false, file);
  }
  return text;
}

function withServer(base: string | undefined, value: JsonValue | undefined, file: string): string | undefined {
  if (value === undefined) return base;
  if (serversIn(base, file) === undefined) return editSettings(base, [{ path: ['mcpServers'], set: { clew: value } }]);
  return editSettings(base, [{ path: ['mcpServers', 'clew'], set: value }]);
}

function entriesOf(part: JsonObject | undefined): readonly HookEntry[] {
  const hooks = isArray(part?.hooks) ? part.hooks : [];
  return hooks.flatMap((value): readonly HookEntry[] => {
    const { event, command, timeoutS, isAsync } = asObject(value) ?? {};
    if (typeof event !== 'string' || typeof command !== 'string') return [];
    return [{ event, command, timeoutS: Number(timeoutS), isAsync: isAsync === true }];
  });
}

function statusCommand(settings: JsonObject): string | undefined {
  return asString(asObject(settings.statusLine)?.command);
}

/** `undefined` if the file has none. */
function serversIn(text: string | undefined, file: string): JsonObject | undefined {
  const { mcpServers } = parseSettings(text, file);
  if (mcpServers === undefined) return undefined;
  const servers = asObject(mcpServers);
  if (servers === undefined) throw new UserError(`"mcpServers" in ${file} is not an object`, 'correct it first');
  return servers;
}
