// Compares a value with a table of `src/format/`: keys that the table lacks, and values of another kind.
import { isObject, type JsonObject } from '../../src/base/json/json.ts';
import { type Fields, isOfKind, type Kind } from '../../src/format/entry/block.ts';

export function undeclaredKeys(value: object, ...tables: readonly Fields[]): string[] {
  return Object.keys(value).filter((key) => key !== 'type' && !tables.some((table) => Object.hasOwn(table, key)));
}

/** The paths whose value is neither absent, nor null, nor of the declared kind. */
export function misdeclaredPaths(value: JsonObject, table: Fields, at = ''): string[] {
  return Object.entries(table).flatMap(([key, field]) => {
    const found = value[key];
    if (found === undefined || found === null) return [];
    if (typeof field === 'string') return isOfKind(found, field.replace('!', '') as Kind) ? [] : [at + key];
    return isObject(found) ? misdeclaredPaths(found, field, `${at}${key}.`) : [at + key];
  });
}
