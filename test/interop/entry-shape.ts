// Entries of a session → what can be compared with the entries of another program for the same script: per kind of entry
// its keys with their types, and the values that do not depend on the run.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { filesBelow, projectRoot } from '../support/paths.ts';

/** By path (`message.usage.speed`, `message.content[].text`): the types of the values. */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

export interface KindOfEntry {
  readonly shape: Shape;
  /** In the order of the session, flattened, with placeholders for ids, times and folders. */
  readonly entries: readonly ReadonlyMap<string, JsonValue>[];
}

/** By kind: `user`, `user/result Bash`, `assistant/text`, `system/api_error`, `agent user`, `meta.json` … */
export type EntryKinds = ReadonlyMap<string, KindOfEntry>;

/** All entries of the sessions in a folder, with those of sub-agents and their side files. */
export function readKinds(folder: string, places: Readonly<Record<string, string>>): EntryKinds {
  const kinds = new Map<string, JsonObject[]>();
  const add = (kind: string, entry: JsonObject): void => {
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  };
  for (const file of filesBelow(folder, '.jsonl').toSorted(byPrompt)) {
    const prefix = file.includes('/subagents/') ? 'agent ' : '';
    const entries = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    for (const [kind, entry] of named(entries.map((line) => JSON.parse(line) as JsonObject))) add(prefix + kind, entry);
  }
  const metas = filesBelow(folder, '.meta.json').toSorted((a, b) =>
    readFileSync(a, 'utf8') < readFileSync(b, 'utf8') ? -1 : 1,
  );
  for (const file of metas) add('meta.json', JSON.parse(readFileSync(file, 'utf8')) as JsonObject);
  return new Map(
    [...kinds].map(([kind, entries]) => [
      kind,
      { shape: shapeOf(entries), entries: entries.map((e) => valuesOf(e, places)) },
    ]),
  );
}

/** The files of sub-agents have random names. */
function byPrompt(left: string, right: string): number {
  const prompt = (file: string): string => {
    const first =
      readFileSync(file, 'utf8')
        .split('\n')
        .find((line) => line.includes('"type":"user"')) ?? '{}';
    return JSON.stringify(asObject((JSON.parse(first) as JsonObject).message) ?? null);
  };
  return prompt(left) < prompt(right) ? -1 : 1;
}

/** Results are named by their tool, and sorted by their call: the programs write them in another order. */
function named(entries: readonly JsonObject[]): (readonly [kind: string, entry: JsonObject])[] {
  const calls = new Map<string, { readonly name: string; readonly place: number }>();
  for (const entry of entries)
    for (const block of blocksOf(entry))
      if (entry.type === 'assistant' && block.type === 'tool_use')
        calls.set(String(block.id), { name: String(block.name), place: calls.size });
  const callOf = (entry: JsonObject) =>
    entry.type !== 'user'
      ? undefined
      : calls.get(String(blocksOf(entry).find(({ type }) => type === 'tool_result')?.tool_use_id));
  const results = entries.filter((entry) => callOf(entry) !== undefined);
  const sorted = results.toSorted((a, b) => (callOf(a)?.place ?? 0) - (callOf(b)?.place ?? 0));
  let next = 0;
  return entries.map((entry) => {
    const sameOrder = callOf(entry) === undefined ? entry : (sorted[next++] ?? entry);
    return [kindOf(sameOrder, callOf(sameOrder)?.name), sameOrder];
  });
}

function kindOf(entry: JsonObject, tool: string | undefined): string {
  const type = String(entry.type);
  if (tool !== undefined) return `user/result ${tool}`;
  if (type === 'user')
    return entry.isCompactSummary === true ? 'user/summary' : entry.isMeta === true ? 'user/meta' : 'user';
  if (type === 'assistant')
    return entry.isApiErrorMessage === true ? 'assistant/error' : `assistant/${blocksOf(entry)[0]?.type}`;
  if (type === 'system') return `system/${entry.subtype}`;
  if (type === 'attachment') return `attachment/${asObject(entry.attachment)?.type}`;
  return type;
}

function blocksOf(entry: JsonObject): JsonObject[] {
  const content = asObject(entry.message)?.content;
  return isArray(content) ? content.filter(isObject) : [];
}

function shapeOf(entries: readonly JsonObject[]): Shape {
  const shape = new Map<string, Set<string>>();
  const walk = (value: JsonValue, at: string): void => {
    if (at !== '') shape.set(at, (shape.get(at) ?? new Set()).add(typeOf(value)));
    if (isArray(value)) for (const item of value) if (typeof item === 'object') walk(item, `${at}[]`);
    if (isObject(value))
      for (const [key, item] of Object.entries(value)) walk(item ?? null, at === '' ? key : `${at}.${key}`);
  };
  for (const entry of entries) walk(entry, '');
  return shape;
}

export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return isArray(value) ? 'array' : typeof value;
}

function valuesOf(entry: JsonObject, places: Readonly<Record<string, string>>): ReadonlyMap<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  const walk = (value: JsonValue, at: string, key: string): void => {
    if (isArray(value)) for (const [i, item] of value.entries()) walk(item, `${at}[${i}]`, key);
    else if (isObject(value))
      for (const [name, item] of Object.entries(value)) walk(item ?? null, at === '' ? name : `${at}.${name}`, name);
    else values.set(at, neutral(value, key, places));
  };
  walk(entry, '', '');
  return values;
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function neutral(value: JsonValue, key: string, places: Readonly<Record<string, string>>): JsonValue {
  if (typeof value === 'number') return /Ms$|[dD]uration|Seconds$/.test(key) ? '(time)' : value;
  let text = asString(value);
  if (text === undefined) return value;
  for (const [name, folder] of Object.entries(places)) text = text.replaceAll(folder, name);
  return text
    .replace(uuid, '(uuid)')
    .replace(time, '(time)')
    .replace(/\b(msg|toolu|req)_[0-9A-Za-z]+/g, '($1)')
    .replace(/\ba[0-9a-f]{16}\b/g, '(agent)');
}

/** How two programs differ, one line each: `KIND PATH: missing`, `ours`, `type`, `value`, `count`. */
export function differencesOf(client: EntryKinds, ours: EntryKinds): string[] {
  const all = [...new Set([...client.keys(), ...ours.keys()])].sort();
  return all.flatMap((kind) => {
    const [theirs, own] = [client.get(kind), ours.get(kind)];
    if (own === undefined) return [`${kind}: missing`];
    if (theirs === undefined) return [`${kind}: ours`];
    const count = theirs.entries.length === own.entries.length ? [] : [`${kind}: count`];
    return [...count, ...shapeDifferences(kind, theirs.shape, own.shape), ...valueDifferences(kind, theirs, own)];
  });
}

export function shapeDifferences(kind: string, client: Shape, ours: Shape): string[] {
  const paths = [...new Set([...client.keys(), ...ours.keys()])].sort();
  const found: string[] = [];
  const known = new Set<string>();
  for (const at of paths) {
    if ([...known].some((parent) => at.startsWith(`${parent}.`) || at.startsWith(`${parent}[`))) continue;
    const [theirs, own] = [client.get(at), ours.get(at)];
    const what =
      own === undefined ? 'missing' : theirs === undefined ? 'ours' : sameTypes(theirs, own) ? undefined : 'type';
    if (what === undefined) continue;
    known.add(at);
    found.push(`${kind} ${at}: ${what}`);
  }
  return found;
}

function sameTypes(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return [...left].sort().join() === [...right].sort().join();
}

function valueDifferences(kind: string, client: KindOfEntry, ours: KindOfEntry): string[] {
  const found = new Set<string>();
  for (const [i, theirs] of client.entries.entries()) {
    const own = ours.entries[i];
    for (const [at, value] of theirs) {
      const other = own?.get(at);
      if (other === undefined || typeOf(other) !== typeOf(value) || other === value) continue;
      found.add(`${kind} ${at.replace(/\[\d+\]/g, '[]')}: value`);
    }
  }
  return [...found].sort();
}

/** The names of the folders in values. */
export function placesOf(cwd: string): Readonly<Record<string, string>> {
  const home = path.join(path.dirname(cwd), 'home');
  const slug = cwd.replace(/[^A-Za-z0-9]/g, '-');
  return { PROJECT: cwd, HOME: home, SLUG: slug };
}

/** The keys of client 2.1.325, without values (record-entry-keys.ts). */
export const keysFile: string = path.join(projectRoot, 'test/interop/recordings/entry-keys.json');

/** Conversations that need no client to be repeated: one prompt, no timing. */
export const recordedConversations = [
  'plain',
  'tools in parallel',
  'failing tools',
  'thinking',
  'sub-agents',
  'edits with file history',
] as const;

/** The recorded keys of one conversation: by kind, as in `KindOfEntry`. */
export function recordedShapes(name: (typeof recordedConversations)[number]): ReadonlyMap<string, Shape> {
  const table = JSON.parse(readFileSync(keysFile, 'utf8')) as Record<string, Record<string, Record<string, string>>>;
  return new Map(
    Object.entries(table[name] ?? {}).map(([kind, shape]) => [
      kind,
      new Map(Object.entries(shape).map(([at, types]) => [at, new Set(types.split(' '))])),
    ]),
  );
}
