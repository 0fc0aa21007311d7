// Plans what `clew setup` adds: for each part whether it is added, there already or left out, and the files for it.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { shellQuote } from '../../base/text/index.ts';
import { type HookEntry, installedHooks, parseSettings } from '../../settings/index.ts';
import { installedEvents, plannedHooks } from '../../trace/config/index.ts';
import { hookFile } from '../trace/index.ts';
import { type Place, partValue, SetupContent, type Target } from './content.ts';
import {
  archiveHook,
  guardHooks,
  isArchiveCommand,
  isGuardCommand,
  isPushCommand,
  isStatusCommand,
  mcpServer,
  type PartName,
  pushHook,
  statusLine,
} from './parts.ts';
import type { Added, RootRecord } from './record.ts';

export interface PartOutcome {
  readonly part: PartName;
  readonly state: 'add' | 'already' | 'skip' | 'remove';
  readonly note?: string;
}

export interface Plan {
  readonly parts: readonly PartOutcome[];
  /** The parts that may be in the files now, and those that are there afterwards. */
  readonly known: Added;
  readonly goal: Added;
  readonly targets: readonly Target[];
}

export interface AddOptions {
  readonly place: Place;
  readonly record: RootRecord;
  /** Parts, and whether the user named them. */
  readonly chosen: ReadonlyMap<PartName, boolean>;
  readonly isAllProjects: boolean;
  readonly clientVersion: readonly number[] | undefined;
}

export function planAdd(options: AddOptions): Plan {
  const planner = new Planner(options);
  for (const [part, isNamed] of options.chosen) {
    if (part === 'archive') planner.addHooks(part, endHooks(archiveHook, options), isArchiveCommand);
    else if (part === 'push') planner.addHooks(part, endHooks(pushHook, options), isPushCommand);
    else if (part === 'guard') planner.addHooks(part, guardHooks, isGuardCommand);
    else if (part === 'trace') planner.addTrace();
    else if (part === 'statusline') planner.addStatusLine(isNamed);
    else if (part === 'mcp') planner.addServer();
    else planner.addFiles();
  }
  return planner.plan();
}

/** Clients before 2.0.50 run no hook at all if one is for an event that they do not know. */
function endHooks(hook: HookEntry, { clientVersion }: AddOptions): readonly HookEntry[] {
  return plannedHooks(clientVersion).some(({ event }) => event === 'SessionEnd') ? [hook] : [];
}

class Planner {
  readonly #options: AddOptions;
  readonly #content: SetupContent;
  readonly #parts: PartOutcome[] = [];
  readonly #goal: Partial<Record<PartName, JsonObject>>;

  constructor(options: AddOptions) {
    this.#options = options;
    this.#content = new SetupContent(options.place, options.record);
    this.#goal = { ...this.#content.keptParts() };
  }

  plan(): Plan {
    const { known } = this.#content;
    const goal = this.#goal;
    const targets = this.#content.targets(goal, [...Object.keys(known), ...Object.keys(goal)] as PartName[]);
    return { parts: this.#parts, known, goal, targets };
  }

  addHooks(part: PartName, entries: readonly HookEntry[], isSame: (command: string) => boolean): void {
    const { settings } = this.#content;
    const isThere = installedHooks(this.#content.baseSettings(), settings).some(({ command }) => isSame(command));
    if (entries.length === 0)
      this.#leaveOut(part, 'no client from 2.0.50 on was found, and older ones do not know its hook');
    else if (isThere) this.#keep(part, `${settings} has a hook for it that clew setup did not write`);
    else this.#add(part, partValue(entries));
  }

  addTrace(): void {
    const { settings } = this.#content;
    const command = `${shellQuote(process.execPath)} ${shellQuote(hookFile)}`;
    const entries = plannedHooks(this.#options.clientVersion).map((plan) => ({ ...plan, command }));
    if (installedEvents(this.#content.baseSettings(), settings).length > 0)
      this.#keep('trace', 'clew trace install has set it up');
    else this.#add('trace', partValue(entries));
  }

  addStatusLine(isNamed: boolean): void {
    const { settings } = this.#content;
    const theirs = parseSettings(this.#content.baseSettings(), settings).statusLine;
    const isOurs = this.#content.isPresent('statusline');
    if (theirs !== undefined && !isOurs && !isNamed)
      this.#leaveOut('statusline', 'there is another status line; --statusline replaces it');
    else if (!isOurs && isStatusCommand(asString(asObject(theirs)?.command) ?? ''))
      this.#keep('statusline', `${settings} has it, and clew setup did not write it`);
    else this.#add('statusline', { commands: [String(statusLine.command)], previous: theirs ?? null });
  }

  addServer(): void {
    const { userConfig } = this.#content;
    if (this.#content.baseServers()?.clew === undefined)
      this.#add('mcp', { value: mcpServer(this.#options.isAllProjects) });
    else this.#keep('mcp', `${userConfig} has a server named clew that clew setup did not write`);
  }

  addFiles(): void {
    const copies = this.#content.copies();
    const kept = copies.filter(({ isOurs }) => !isOurs).map(({ file }) => file);
    const note = `${kept.join(', ')} stays as it is: clew setup did not write it`;
    if (kept.length === copies.length) this.#keep('skill', `${kept[0]} and others are there and differ`);
    else this.#add('skill', {}, kept.length === 0 ? undefined : note);
  }

  #add(part: PartName, value: JsonObject, note?: string): void {
    this.#parts.push({ part, state: 'add', ...(note === undefined ? {} : { note }) });
    this.#goal[part] = value;
  }

  #keep(part: PartName, note: string): void {
    this.#parts.push({ part, state: 'already', note });
  }

  #leaveOut(part: PartName, note: string): void {
    this.#parts.push({ part, state: 'skip', note });
  }
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
