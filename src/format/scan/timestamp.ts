// The time of an entry, read from the bytes of its timestamp. The client's format (2026-01-31T12:00:00.000Z) is computed
// from its digits; everything else is left to `Date.parse`, which the client uses too (a leaf whose timestamp it rejects
// cannot be resumed).
import { decodeString } from '../bytes/json-bytes.ts';
import { field } from './places.ts';
import { endOf, isString, startOf } from './spans.ts';

/** The time of the walked record. */
export function timeOf(bytes: Buffer): number {
  if (!isString(bytes, field.timestamp)) return Number.NaN;
  return isoTime(bytes, startOf(field.timestamp) + 1, endOf(field.timestamp) - 1);
}

/** Milliseconds since 1970 of the JSON string between `start` and `end`, or `NaN`. */
export function isoTime(bytes: Buffer, start: number, end: number): number {
  if (end - start === 24 && hasIsoMarks(bytes, start)) {
    const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
    const month = twoDigits(bytes, start + 5);
    const day = twoDigits(bytes, start + 8);
    const hour = twoDigits(bytes, start + 11);
    const minute = twoDigits(bytes, start + 14);
    const second = twoDigits(bytes, start + 17);
    const hundredths = twoDigits(bytes, start + 20);
    const last = (bytes[start + 22] as number) - zero;
    // Date.parse decides on leap days and seconds, impossible days and characters that are not digits.
    const lastDay = month >= 1 && month <= 12 ? (monthDays[month] as number) : 0;
    const isPlain = year >= 1970 && day >= 1 && day <= lastDay && hour < 24 && minute < 60;
    if (
      isPlain &&
      hour >= 0 &&
      minute >= 0 &&
      second >= 0 &&
      second < 60 &&
      hundredths >= 0 &&
      last >= 0 &&
      last <= 9
    ) {
      return dayTime(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + hundredths * 10 + last;
    }
  }
  return Date.parse(decodeString(bytes, start - 1) ?? '');
}

const zero = 0x30;
/** By month; February 29 is left to Date.parse. */
const monthDays = new Uint8Array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);

function hasIsoMarks(bytes: Buffer, at: number): boolean {
  if (bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d || bytes[at + 10] !== 0x54) return false; // - - T
  if (bytes[at + 13] !== 0x3a || bytes[at + 16] !== 0x3a) return false; // : :
  return bytes[at + 19] === 0x2e && bytes[at + 23] === 0x5a; // . Z
}

/** The number of two digits, or a negative one if they are not digits. */
function twoDigits(bytes: Buffer, at: number): number {
  const tens = (bytes[at] as number) - zero;
  const ones = (bytes[at + 1] as number) - zero;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1_000_000 : tens * 10 + ones;
}

// Neighbouring lines nearly always have the same day.
let knownDay = 0;
let knownDayTime = 0;

function dayTime(year: number, month: number, day: number): number {
  const key = (year * 100 + month) * 100 + day;
  if (key !== knownDay) {
    knownDay = key;
    knownDayTime = Date.UTC(year, month - 1, day);
  }
  return knownDayTime;
}
