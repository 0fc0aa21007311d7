// `_lake.json` of a lake: whose it is and what it has. The first export writes it; later ones must fit, because an export that
// sees less would remove what it does not see.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, jsonText, parseJson } from '../../base/json/index.ts';
import { type Level, levelNumber, levels } from '../contract/index.ts';
import { type LakeTableName, lakeTableNames, lakeTables } from './lake-tables.ts';
import { type LakeStorage, writeWhole } from './storage/index.ts';
import type { Reader } from './store-reader.ts';

export interface LakeSettings {
  readonly tenant: string;
  /** The database role whose view of the store the lake has. */
  readonly role: string;
  /** The most that is exported of a session. */
  readonly level: Level;
  readonly tables: readonly LakeTableName[];
}

export interface WantedSettings {
  readonly level?: Level;
  readonly tables?: readonly LakeTableName[];
}

const fileName = '_lake.json';
const format = 1;

/** `isEmpty`: the lake has no files yet. */
export async function lakeSettings(
  storage: LakeStorage,
  { tenant, role }: Reader,
  wanted: WantedSettings,
  isEmpty: boolean,
): Promise<LakeSettings> {
  const text = await storage.read(fileName);
  if (text !== undefined) return checkFit(readSettings(text, storage), { tenant, role }, wanted, storage);
  if (!isEmpty) throw new UserError(`${storage.name} contains other files`, 'choose a new place', exitCodes.refused);
  const level = wanted.level ?? 'metrics';
  const settings: LakeSettings = { tenant, role, level, tables: wanted.tables ?? tablesOf(level) };
  const beyond = settings.tables.find((table) => lakeTables[table].level > levelNumber(level));
  if (beyond !== undefined)
    throw new UserError(`the level ${level} has no table ${beyond}`, `add --level ${levelOfTable(beyond)}`);
  const content = `${jsonText({ format, ...settings }, 2)}\n`;
  if (!(await writeWhole(storage, fileName, Buffer.from(content)))) throw anotherExport(storage);
  return settings;
}

export function anotherExport({ name }: LakeStorage): UserError {
  return new UserError(`another export is writing ${name}`, 'run it again when that has ended', exitCodes.refused);
}

function tablesOf(level: Level): readonly LakeTableName[] {
  return lakeTableNames.filter((table) => lakeTables[table].level <= levelNumber(level));
}

function levelOfTable(table: LakeTableName): string {
  return levels[lakeTables[table].level - 1] ?? 'files';
}

function readSettings(bytes: Uint8Array, { name }: LakeStorage): LakeSettings {
  const value = asObject(parseJson(Buffer.from(bytes).toString()));
  const tables = isArray(value?.tables) ? value.tables : [];
  const settings = {
    tenant: asString(value?.tenant),
    role: asString(value?.role),
    level: levels.find((level) => level === value?.level),
    tables: lakeTableNames.filter((table) => tables.includes(table)),
  };
  const { tenant, role, level } = settings;
  if (value?.format !== format || tenant === undefined || role === undefined || level === undefined)
    throw new UserError(`${name}/${fileName} is not of this version of Clew`, 'update Clew, or choose a new place');
  return { tenant, role, level, tables: settings.tables };
}

function checkFit(
  settings: LakeSettings,
  { tenant, role }: Pick<Reader, 'tenant' | 'role'>,
  wanted: WantedSettings,
  { name }: LakeStorage,
): LakeSettings {
  const refuse = (what: string, next: string): never => {
    throw new UserError(`the lake ${name} ${what}`, next, exitCodes.refused);
  };
  if (settings.tenant !== tenant || settings.role !== role)
    refuse(
      `was exported by ${settings.role} of ${settings.tenant}`,
      'use that role: what another one does not see would be removed',
    );
  if (wanted.level !== undefined && wanted.level !== settings.level)
    refuse(`has the level ${settings.level}`, 'leave out --level, or choose a new place');
  if (wanted.tables?.some((table) => !settings.tables.includes(table)))
    refuse(`has the tables ${settings.tables.join(', ')}`, 'leave out --tables, or choose a new place');
  return settings;
}
