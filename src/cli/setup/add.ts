// Plans what `clew setup` adds: for each file an edit of its text, and for each part whether it is added, there already
// or left out.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, asString, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { shellQuote } from '../../base/text/index.ts';
import { editSettings, type HookEntry, installedHooks, parseSettings, withHooks } from '../../settings/index.ts';
import { installedEvents, isTraceHook, plannedHooks } from '../../trace/config/index.ts';
import { hookFile } from '../trace/index.ts';
import {
  archiveHook,
  copiedFiles,
  guardHooks,
  isArchiveCommand,
  isGuardCommand,
  isPushCommand,
  isStatusCommand,
  mcpServer,
  type PartName,
  pluginFolder,
  pushHook,
  statusLine,
} from './parts.ts';
import { hashOf, type RootRecord } from './record.ts';

export interface PartOutcome {
  readonly part: PartName;
  readonly state: 'add' | 'already' | 'skip' | 'remove';
  readonly note?: string;
}

/** `edit` returns the new text; `undefined` if there is no file, or it must be deleted. */
export interface FileEdit {
  readonly file: string;
  /** Claude Code writes it all the time, so it is locked and edited as it is then. */
  readonly isShared?: boolean;
  edit(text: string | undefined): string | undefined;
}

export interface Plan {
  readonly parts: readonly PartOutcome[];
  readonly edits: readonly FileEdit[];
  /** What the record holds afterwards, by part. */
  readonly added: RootRecord['added'];
}

export interface AddOptions {
  readonly root: string;
  readonly userConfig: string;
  /** Parts, and whether the user named them. */
  readonly chosen: ReadonlyMap<PartName, boolean>;
  readonly isAllProjects: boolean;
  readonly clientVersion: readonly number[] | undefined;
  readonly record: RootRecord;
  readonly readText: (file: string) => string | undefined;
}

export function planAdd(options: AddOptions): Plan {
  const { root, userConfig, chosen, record } = options;
  const settings = path.join(root, 'settings.json');
  const plan = new Planner(options, settings);
  for (const [part, isNamed] of chosen) {
    if (part === 'archive') plan.addHooks(part, endHooks(archiveHook, options), isArchiveCommand);
    else if (part === 'push') plan.addHooks(part, endHooks(pushHook, options), isPushCommand);
    else if (part === 'guard') plan.addHooks(part, guardHooks, isGuardCommand);
    else if (part === 'trace') plan.addTrace();
    else if (part === 'statusline') plan.addStatusLine(isNamed);
    else if (part === 'mcp') plan.addServer(userConfig);
    else plan.addFiles();
  }
  return { parts: plan.parts, edits: plan.edits(), added: { ...record.added, ...plan.added } };
}

/** Clients before 2.0.50 run no hook at all if one is for an event that they do not know. */
function endHooks(hook: HookEntry, { clientVersion }: AddOptions): readonly HookEntry[] {
  return plannedHooks(clientVersion).some(({ event }) => event === 'SessionEnd') ? [hook] : [];
}

class Planner {
  readonly parts: PartOutcome[] = [];
  readonly added: Record<string, JsonObject> = {};
  readonly #options: AddOptions;
  readonly #settings: string;
  readonly #settingsEdits: ((text: string | undefined) => string | undefined)[] = [];
  readonly #otherEdits: FileEdit[] = [];

  constructor(options: AddOptions, settings: string) {
    this.#options = options;
    this.#settings = settings;
  }

  edits(): readonly FileEdit[] {
    const edits = this.#settingsEdits;
    const settings = { file: this.#settings, edit: (text?: string) => edits.reduce((now, edit) => edit(now), text) };
    return [...(edits.length === 0 ? [] : [settings]), ...this.#otherEdits];
  }

  addHooks(part: PartName, entries: readonly HookEntry[], isSame: (command: string) => boolean): void {
    if (entries.length === 0) {
      this.#skip(part, 'no client from 2.0.50 on was found, and older ones do not know its hook');
      return;
    }
    const ours = new Set([...this.#recorded(part), ...entries.map(({ command }) => command)]);
    const there = installedHooks(this.#text(), this.#settings).filter(({ command }) => isSame(command));
    if (there.some(({ command }) => !ours.has(command))) {
      this.#already(part, `${this.#settings} has a hook for it that clew setup did not write`);
      return;
    }
    this.#settingsEdits.push((text) => withHooks(text, entries, (command) => ours.has(command), this.#settings));
    this.#add(part, { commands: entries.map(({ command }) => command) });
  }

  addTrace(): void {
    const ours = this.#recorded('trace');
    if (ours.length === 0 && installedEvents(this.#text(), this.#settings).length > 0) {
      this.#already('trace', 'clew trace install has set it up');
      return;
    }
    const command = `${shellQuote(process.execPath)} ${shellQuote(hookFile)}`;
    const entries = plannedHooks(this.#options.clientVersion).map((plan) => ({ ...plan, command }));
    this.#settingsEdits.push((text) => withHooks(text, entries, isTraceHook, this.#settings));
    this.#add('trace', { commands: [command] });
  }

  addStatusLine(isNamed: boolean): void {
    const current = parseSettings(this.#text(), this.#settings).statusLine;
    const command = asString(asObject(current)?.command);
    const isOurs = command !== undefined && isStatusCommand(command);
    if (current !== undefined && !isOurs && !isNamed) {
      this.#skip('statusline', 'there is another status line; --statusline replaces it');
      return;
    }
    if (isOurs && !this.#recorded('statusline').includes(command)) {
      this.#already('statusline', `${this.#settings} has it, and clew setup did not write it`);
      return;
    }
    const before = isOurs ? this.#options.record.added.statusline?.previous : current;
    this.#settingsEdits.push((text) => {
      const now = parseSettings(text, this.#settings).statusLine;
      return isEqual(now, statusLine) ? text : editSettings(text, [{ path: ['statusLine'], set: statusLine }]);
    });
    this.#add('statusline', { commands: [String(statusLine.command)], previous: before ?? null });
  }

  addServer(file: string): void {
    const value = mcpServer(this.#options.isAllProjects);
    const servers = serversOf(this.#options.readText(file), file);
    const current = servers?.clew;
    if (current !== undefined && !isEqual(current, this.#options.record.added.mcp?.value) && !isEqual(current, value)) {
      this.#already('mcp', `${file} has a server named clew that clew setup did not write`);
      return;
    }
    this.#otherEdits.push({
      file,
      isShared: true,
      edit: (text) => {
        const now = serversOf(text, file);
        if (isEqual(now?.clew, value)) return text;
        if (now === undefined) return editSettings(text, [{ path: ['mcpServers'], set: { clew: value } }]);
        return editSettings(text, [{ path: ['mcpServers', 'clew'], set: value }]);
      },
    });
    this.#add('mcp', { value });
  }

  addFiles(): void {
    const { root, record, readText } = this.#options;
    const kept: string[] = [];
    for (const [name, source] of Object.entries(copiedFiles)) {
      const file = path.join(root, name);
      const wanted = readFileSync(path.join(pluginFolder, source), 'utf8');
      const text = readText(file);
      const isOurs = text === undefined || text === wanted || record.files[file]?.afterHash === hashOf(text);
      if (isOurs) this.#otherEdits.push({ file, edit: () => wanted });
      else kept.push(file);
    }
    if (kept.length === Object.keys(copiedFiles).length) {
      this.#already('skill', `${kept[0]} and others are there and differ`);
      return;
    }
    const note = kept.length === 0 ? {} : { note: `${kept.join(', ')} stays as it is: clew setup did not write it` };
    this.#add('skill', {}, note);
  }

  #text(): string | undefined {
    return this.#options.readText(this.#settings);
  }

  #recorded(part: PartName): readonly string[] {
    const commands = this.#options.record.added[part]?.commands;
    return Array.isArray(commands) ? commands.map(String) : [];
  }

  #add(part: PartName, value: JsonObject, note: { readonly note?: string } = {}): void {
    this.parts.push({ part, state: 'add', ...note });
    this.added[part] = value;
  }

  #already(part: PartName, note: string): void {
    this.parts.push({ part, state: 'already', note });
  }

  #skip(part: PartName, note: string): void {
    this.parts.push({ part, state: 'skip', note });
  }
}

/** `undefined` if the file has none. */
export function serversOf(text: string | undefined, file: string): JsonObject | undefined {
  const { mcpServers } = parseSettings(text, file);
  if (mcpServers === undefined) return undefined;
  const servers = asObject(mcpServers);
  if (servers === undefined) throw new UserError(`"mcpServers" in ${file} is not an object`, 'correct it first');
  return servers;
}

export function isEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The plugin brings the same; both together would load the server twice. */
export function refuseBesidePlugin(plugin: string, named: readonly PartName[]): void {
  if (named.length === 0) return;
  throw new UserError(
    `the plugin ${plugin} is enabled and brings this already (--${named.join(', --')})`,
    `choose --statusline, or run \`claude plugin uninstall ${plugin}\` first`,
    exitCodes.refused,
  );
}
