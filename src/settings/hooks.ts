// Adds our hooks to the text of the client's settings.json, or removes them. Hooks of others stay as they are.
import { UserError } from '../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../base/json/index.ts';
import type { Edit } from '../format/bytes/index.ts';
import { editSettings, parseSettings } from './settings-text.ts';

/** A command that the client runs at an event. */
export interface HookEntry {
  readonly event: string;
  readonly command: string;
  readonly timeoutS: number;
  readonly isAsync?: boolean;
}

/** Whether a command is one of those that are added or removed. */
export type IsOurs = (command: string, event: string) => boolean;

/** Replaces all hooks that are ours by `entries`. Returns the same text if nothing changes. */
export function withHooks(
  text: string | undefined,
  entries: readonly HookEntry[],
  isOurs: IsOurs,
  name: string,
): string {
  const hooks = hooksOf(text, name);
  const ours = listHooks(hooks).filter(({ command, event }) => isOurs(command, event));
  const wanted = entries.map((entry) => JSON.stringify([entry.event, { hooks: [hookValue(entry)] }]));
  const isThere = ours.every(({ event, group }) => wanted.includes(JSON.stringify([event, group])));
  if (text !== undefined && isThere && ours.length === entries.length) return text;
  const rest = withoutHooks(text ?? '', isOurs, name);
  return editSettings(rest, additions(entries, hooksOf(rest, name), asObject(parseSettings(rest, name).hooks)));
}

/**
 * Groups and events that become empty are removed too, unless they were in `original`, the settings before our hooks were
 * added. Returns the same text if none is ours.
 */
export function withoutHooks(text: string, isOurs: IsOurs, name: string, original: JsonObject = {}): string {
  const hooks = hooksOf(text, name);
  const before = asObject(original.hooks);
  const edits: Edit[] = [];
  let eventsLeft = Object.keys(hooks).length;
  for (const [event, groups] of Object.entries(hooks)) {
    const removed = groups.map((group) => ownPlaces(group, event, isOurs));
    const isWholeGroup = (at: number): boolean =>
      (removed[at] ?? []).length > 0 && (removed[at] ?? []).length === commandsOf(groups[at]).length;
    const wholeGroups = groups.filter((_, at) => isWholeGroup(at)).length;
    if (wholeGroups > 0 && wholeGroups === groups.length && before?.[event] === undefined) {
      edits.push({ path: ['hooks', event], remove: true });
      eventsLeft--;
      continue;
    }
    for (const [at, places] of removed.entries()) {
      if (isWholeGroup(at)) edits.push({ path: ['hooks', event, at], remove: true });
      else for (const place of places) edits.push({ path: ['hooks', event, at, 'hooks', place], remove: true });
    }
  }
  if (edits.length === 0) return text;
  const isLast = eventsLeft === 0 && before === undefined;
  return editSettings(text, isLast ? [{ path: ['hooks'], remove: true }] : edits);
}

/** Every hook that is a command. */
export function installedHooks(text: string | undefined, name: string): readonly HookEntry[] {
  return listHooks(hooksOf(text, name));
}

interface InstalledHook extends HookEntry {
  readonly group: JsonValue;
}

function listHooks(hooks: Hooks): readonly InstalledHook[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group) =>
      commandsOf(group).flatMap((hook) => {
        const command = commandOf(hook);
        if (command === undefined) return [];
        const { timeout, async } = asObject(hook) ?? {};
        return [{ event, command, group, timeoutS: Number(timeout ?? 60), isAsync: async === true }];
      }),
    ),
  );
}

function additions(entries: readonly HookEntry[], hooks: Hooks, present: JsonObject | undefined): readonly Edit[] {
  const added = new Map<string, readonly JsonValue[]>();
  for (const entry of entries)
    added.set(entry.event, [...(added.get(entry.event) ?? []), { hooks: [hookValue(entry)] }]);
  if (present === undefined) return [{ path: ['hooks'], set: Object.fromEntries(added) as JsonObject }];
  return [...added].flatMap(([event, groups]): readonly Edit[] => {
    const first = hooks[event]?.length;
    if (first === undefined) return [{ path: ['hooks', event], set: groups }];
    return groups.map((group, i) => ({ path: ['hooks', event, first + i], set: group }));
  });
}

function hookValue({ command, timeoutS, isAsync = false }: HookEntry): JsonObject {
  return { type: 'command', command, timeout: timeoutS, ...(isAsync ? { async: true } : {}) };
}

type Hooks = Readonly<Record<string, readonly JsonValue[]>>;

function hooksOf(text: string | undefined, name: string): Hooks {
  const settings = parseSettings(text, name);
  const hooks = settings.hooks === undefined ? {} : asObject(settings.hooks);
  if (hooks === undefined) throw new UserError(`"hooks" in ${name} is not an object`, 'correct it first');
  for (const [event, groups] of Object.entries(hooks))
    if (!isArray(groups)) throw new UserError(`the hooks of ${event} in ${name} are not a list`, 'correct it first');
  return hooks as Hooks;
}

function ownPlaces(group: JsonValue, event: string, isOurs: IsOurs): readonly number[] {
  return [...commandsOf(group).entries()].flatMap(([place, hook]) => {
    const command = commandOf(hook);
    return command !== undefined && isOurs(command, event) ? [place] : [];
  });
}

function commandsOf(group: JsonValue | undefined): readonly JsonValue[] {
  return isObject(group) && isArray(group.hooks) ? group.hooks : [];
}

function commandOf(hook: JsonValue): string | undefined {
  return isObject(hook) ? asString(hook.command)?.trim() : undefined;
}
