// A rule from "always" → `.claude/settings.local.json`, whole or not at all, with everything else in it as it was.
import { readFile } from 'node:fs/promises';
import { systemErrorCode, UserError } from '../base/errors.ts';
import { asObject, isArray, type JsonObject, parseJson } from '../base/json.ts';
import { identify } from '../store/append.ts';
import { replaceFile, writeNewFile } from '../store/replace.ts';
import { localSettingsFile } from './settings.ts';

const attempts = 5;

/** In one process one after the other: between looking and renaming there is a moment that no check covers. */
const queues = new Map<string, Promise<unknown>>();

/** What went wrong, in words for the person, or `undefined`. The rule then holds for this session only. */
export async function keepLocalRule(projectDir: string, rule: string): Promise<string | undefined> {
  const file = localSettingsFile(projectDir);
  const turn = (queues.get(file) ?? Promise.resolve()).then(() => tryToKeep(file, rule));
  queues.set(file, turn);
  return turn;
}

async function tryToKeep(file: string, rule: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeRule(file, rule);
    } catch (error) {
      // Another session may have written between our reading and our writing: its rules must stay.
      if (attempt < attempts && error instanceof UserError) continue;
      return `the rule ${rule} is not kept: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

async function writeRule(file: string, rule: string): Promise<string | undefined> {
  const text = await readText(file);
  if (text === undefined) {
    await writeNewFile(file, Buffer.from(withRule({}, rule, '  ')));
    return undefined;
  }
  const before = identify(file);
  const settings = text.trim() === '' ? {} : asObject(parseJson(text.replace(/^\uFEFF/, '')));
  if (settings === undefined) return `the rule ${rule} is not kept: ${file} is not a JSON object; correct it first`;
  if ((await readText(file)) !== text) throw new UserError(`${file} was changed meanwhile`, 'try again');
  if (allowList(settings).includes(rule)) return undefined;
  const indent = /^\s*\{\s*\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  await replaceFile(file, Buffer.from(withRule(settings, rule, indent)), { expected: before });
  // Another process may have replaced it in the same moment.
  if (!allowList(asObject(parseJson((await readText(file)) ?? '')) ?? {}).includes(rule))
    throw new UserError(`${file} was changed meanwhile`, 'try again');
  return undefined;
}

function withRule(settings: JsonObject, rule: string, indent: string): string {
  const permissions = { ...asObject(settings.permissions), allow: [...allowList(settings), rule] };
  return `${JSON.stringify({ ...settings, permissions }, null, indent)}\n`;
}

function allowList(settings: JsonObject): JsonObject[string][] {
  const list = asObject(settings.permissions)?.allow;
  return isArray(list) ? [...list] : [];
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
