// The time of an entry, read from the bytes of its timestamp. The form the client writes
// (2026-01-31T12:00:00.000Z) is computed from its digits; everything else is left to `Date.parse`, whose verdict on
// odd strings is also the client's (a leaf whose timestamp `Date.parse` refuses cannot be resumed).
import { decodeString } from './json-bytes.ts';

/** Milliseconds since 1970 of the JSON string whose quotes stand around `start` and `end`, or `NaN`. */
export function isoTime(bytes: Buffer, start: number, end: number): number {
  if (end - start === 24 && hasIsoShape(bytes, start)) {
    const year = number(bytes, start, 4);
    const month = number(bytes, start + 5, 2);
    const day = number(bytes, start + 8, 2);
    const hour = number(bytes, start + 11, 2);
    const minute = number(bytes, start + 14, 2);
    const second = number(bytes, start + 17, 2);
    const plain = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60;
    if (plain && second < 60) {
      return dayTime(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + number(bytes, start + 20, 3);
    }
  }
  return Date.parse(decodeString(bytes, start - 1) ?? '');
}

const digitPlaces = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 22];

function hasIsoShape(bytes: Buffer, at: number): boolean {
  if (bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d || bytes[at + 10] !== 0x54) return false; // - - T
  if (bytes[at + 13] !== 0x3a || bytes[at + 16] !== 0x3a) return false; // : :
  if (bytes[at + 19] !== 0x2e || bytes[at + 23] !== 0x5a) return false; // . Z
  for (const place of digitPlaces) {
    const digit = (bytes[at + place] as number) - 0x30; // within the 24 bytes
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

function number(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i++) value = value * 10 + ((bytes[i] as number) - 0x30);
  return value;
}

// Neighbouring lines are of one day, so the last day is nearly always the right one.
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
