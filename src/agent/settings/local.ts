// Adds an "always" rule, or the answer about a server of the project, to `.claude/settings.local.json`, and the rules of
// a program that drives the agent to the file that it names. The file is replaced as a whole, and everything else in it
// stays.

import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, isArray, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import { identify, replaceFile, writeNewFile } from '../../store/index.ts';
import { localSettingsFile } from './settings.ts';

const attempts = 5;

/** One write at a time within this process: no check covers the moment between reading and renaming. */
const queues = new Map<string, Promise<unknown>>();

/** Returns a problem for the user, or `undefined`. With a problem the rule holds for this session only. */
export async function keepLocalRule(projectDir: string, rule: string): Promise<string | undefined> {
  return keepInList(localSettingsFile(projectDir), permissionList('allow'), rule, `the rule ${rule}`);
}

/** The same for a rule or a folder (`additionalDirectories`) in any settings file. */
export async function keepPermission(
  file: string,
  list: PermissionListName,
  value: string,
): Promise<string | undefined> {
  const what = list === 'additionalDirectories' ? `the folder ${value}` : `the ${list} rule ${value}`;
  return keepInList(file, permissionList(list), value, what);
}

export type PermissionListName = 'allow' | 'deny' | 'ask' | 'additionalDirectories';

/** The same for the answer about a server of the project. */
export async function keepLocalServer(
  projectDir: string,
  name: string,
  isAllowed: boolean,
): Promise<string | undefined> {
  const list = isAllowed ? allowedServers : refusedServers;
  return keepInList(localSettingsFile(projectDir), list, name, `the answer about the server ${name}`);
}

/** A list in the settings. */
interface SettingsList {
  read(settings: JsonObject): JsonValue | undefined;
  write(settings: JsonObject, list: readonly JsonValue[]): JsonObject;
}

function permissionList(name: PermissionListName): SettingsList {
  return {
    read: ({ permissions }) => asObject(permissions)?.[name],
    write: (settings, list) => ({ ...settings, permissions: { ...asObject(settings.permissions), [name]: list } }),
  };
}

const allowedServers = listAt('enabledMcpjsonServers');
const refusedServers = listAt('disabledMcpjsonServers');

function listAt(key: string): SettingsList {
  return { read: (settings) => settings[key], write: (settings, list) => ({ ...settings, [key]: list }) };
}

async function keepInList(file: string, list: SettingsList, value: string, what: string): Promise<string | undefined> {
  const turn = (queues.get(file) ?? Promise.resolve()).then(() => tryToKeep(file, list, value, what));
  queues.set(file, turn);
  return turn;
}

async function tryToKeep(file: string, list: SettingsList, value: string, what: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const problem = await writeValue(file, list, value);
      return problem === undefined ? undefined : `${what} was not saved: ${problem}`;
    } catch (error) {
      // Another session may have written in between: keep its rules.
      if (attempt < attempts && error instanceof UserError) continue;
      return `${what} was not saved: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

async function writeValue(file: string, list: SettingsList, value: string): Promise<string | undefined> {
  const text = await readText(file);
  if (text === undefined) {
    await writeNewFile(file, Buffer.from(withValue({}, list, value, '  ')));
    return undefined;
  }
  const before = identify(file);
  const settings = text.trim() === '' ? {} : asObject(parseJson(text.replace(/^\uFEFF/, '')));
  if (settings === undefined) return `${file} is not a JSON object; correct it first`;
  if ((await readText(file)) !== text) throw new UserError(`${file} changed in the meantime`, 'try again');
  if (valuesOf(settings, list).includes(value)) return undefined;
  const indent = /^\s*\{\s*\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  await replaceFile(file, Buffer.from(withValue(settings, list, value, indent)), { expected: before });
  // Another process may have replaced the file in the same moment.
  if (!valuesOf(asObject(parseJson((await readText(file)) ?? '')) ?? {}, list).includes(value))
    throw new UserError(`${file} changed in the meantime`, 'try again');
  return undefined;
}

function withValue(settings: JsonObject, list: SettingsList, value: string, indent: string): string {
  return `${JSON.stringify(list.write(settings, [...valuesOf(settings, list), value]), null, indent)}\n`;
}

function valuesOf(settings: JsonObject, list: SettingsList): readonly JsonValue[] {
  const values = list.read(settings);
  return isArray(values) ? values : [];
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return readRegularText(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
