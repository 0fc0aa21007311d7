// What `clew setup` has written, kept in Clew's own folder, so that `clew setup --remove` takes back exactly that.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, type JsonObject, jsonText, parseJson } from '../../base/json/index.ts';
import { readSettingsFile, writeSettingsFile } from '../../settings/index.ts';
import { stateFolder, writeNewFile } from '../../store/index.ts';

/** One file that was changed. */
export interface RecordedFile {
  /** The file before the first change: a copy, and its hash. `null` if there was no file. */
  readonly backup: string | null;
  readonly beforeHash: string | null;
  /** Of the file as `clew setup` left it. */
  readonly afterHash: string;
}

export interface RootRecord {
  readonly files: Readonly<Record<string, RecordedFile>>;
  /** The commands of hooks, the server and the status line that were added, by their part. */
  readonly added: Readonly<Record<string, JsonObject>>;
}

const empty: RootRecord = { files: {}, added: {} };

export function setupFolder(env: NodeJS.ProcessEnv): string {
  return path.join(stateFolder(env), 'setup');
}

export function readRecord(env: NodeJS.ProcessEnv, root: string): RootRecord {
  const all = readAll(env).roots;
  const found = asObject(asObject(all)?.[root]);
  return found === undefined ? empty : ({ ...empty, ...found } as unknown as RootRecord);
}

export async function writeRecord(env: NodeJS.ProcessEnv, root: string, record: RootRecord): Promise<void> {
  const file = recordFile(env);
  const all = readAll(env);
  const roots = { ...asObject(all.roots), [root]: record as unknown as JsonObject };
  if (Object.keys(record.files).length === 0) delete (roots as Record<string, unknown>)[root];
  const text = `${jsonText({ version: 1, roots }, 2)}\n`;
  const before = readSettingsFile(file);
  if (before.text === undefined) await writeNewFile(file, Buffer.from(text));
  else await writeSettingsFile(before, text, false);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function recordFile(env: NodeJS.ProcessEnv): string {
  return path.join(setupFolder(env), 'setup.json');
}

function readAll(env: NodeJS.ProcessEnv): JsonObject {
  const file = recordFile(env);
  const { text } = readSettingsFile(file);
  if (text === undefined) return {};
  const value = asObject(parseJson(text));
  if (value === undefined)
    throw new UserError(`${file} is damaged`, 'move it away; then --remove finds the entries of Clew by their form');
  return value;
}
