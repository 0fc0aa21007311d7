// Rows → lines in the text format of COPY.
import { Buffer } from 'node:buffer';
import type { JsonValue } from '../../base/json/index.ts';

export type CopyValue = string | number | boolean | null | undefined | Uint8Array | readonly (number | string)[];

const special = /[\\\n\r\t\b\f\v]/g;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};

export function copyLine(values: readonly CopyValue[]): string {
  return `${values.map(copyField).join('\t')}\n`;
}

function copyField(value: CopyValue): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'number') return Number.isNaN(value) ? '\\N' : String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string')
    return value
      .replaceAll('\0', '\ufffd')
      .toWellFormed()
      .replace(special, (found) => escapes[found] ?? found);
  if (value instanceof Uint8Array)
    return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`;
  // Elements are numbers and dates.
  return `{${value.join(',')}}`;
}

/** PostgreSQL cannot store NUL in text, and no lone surrogate is UTF-8. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** JSON that `jsonb` reads: it refuses the same two in strings. */
export function storableJson(value: JsonValue): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? storable(each) : each));
}

/** Milliseconds since 1970 → what `timestamptz` reads. */
export function copyTime(timeMs: number | null): string | null {
  return timeMs === null || Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}
