// Finds the complete records in a line that is not one JSON object: joined, cut off, padded with NULs or noise. The spans
// of records and damage together cover every byte that is not white space. A failed attempt is never repeated from inside
// (see `afterFailure`), so hostile lines take linear time.
import { constants } from 'node:buffer';
import { findMember, isWhitespace, skipValue, skipWhitespace, type ValueTrace } from '../bytes/index.ts';

/** The code of a kind of damage within a line. */
export type LineDamageCode = 'L-bom' | 'L-nul' | 'L-joined' | 'L-spliced' | 'L-torn-tail' | 'L-not-json';

/** A range of bytes; `end` is not part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a line that are not a record. Between two records that touch (`}{`) the range is empty. */
export interface LineDamage extends Span {
  readonly code: LineDamageCode;
  readonly message: string;
}

export interface RecoveredLine {
  readonly records: readonly Span[];
  readonly damage: readonly LineDamage[];
}

/**
 * A record is an object that JSON.parse accepts; the less certain its place, the more it must look like one (`evidence`).
 * - At the start of the line or directly after another record it may have any keys. If the text after it looks like the
 *   rest of a larger object (a cut line), it must look like a line of a transcript, or before `,{` have a `type` and a
 *   companion.
 * - Elsewhere it starts with `{"` and must not be followed by the rest of an outer object (`}`, `,"`, `:`). After noise
 *   one known key is enough; after a cut record, or after `:`, `,` or `[`, it needs a `type` and a companion.
 * - As the last value in a cut record it may be a nested object (progress lines nest whole messages) or the next record,
 *   and must look like a line of a transcript.
 */
export function recoverRecords(bytes: Buffer): RecoveredLine {
  const records: Span[] = [];
  const trace: ValueTrace = { stoppedAt: 0, objectStart: -1, objectEnd: -1 };
  let gapStart = 0;
  let position = 0;
  let isTorn = false;
  for (;;) {
    const cleanStart = position === gapStart ? skipSeparators(bytes, position, records.length > 0) : -1;
    const isClean = cleanStart !== -1 && bytes[cleanStart] === openObject;
    const start = isClean ? cleanStart : nextOpening(bytes, position);
    if (start === -1) break;
    const end = skipValue(bytes, start, trace);
    let record: Span | undefined;
    if (end !== -1) {
      position = end;
      const needed = Math.max(neededBefore(bytes, end, isClean), isClean ? anything : neededAt(bytes, start, isTorn));
      record = acceptRecord(bytes, { start, end }, needed);
    } else {
      position = afterFailure(bytes, start, trace.stoppedAt);
      isTorn = true;
      if (isLastThing(bytes, trace)) {
        record = acceptRecord(bytes, { start: trace.objectStart, end: trace.objectEnd }, transcriptLine);
      }
    }
    if (record === undefined) continue;
    records.push(record);
    position = record.end;
    gapStart = record.end;
    isTorn = false;
  }
  return { records, damage: gapsBetween(bytes, records).flatMap((gap) => describeGap(bytes, gap)) };
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** How much an object looks like a record. */
const anything = 0;
const knownKey = 1;
const typeAndCompanion = 2;
const transcriptLine = 3;
const never = 4;

const companions: readonly string[] = [
  'uuid',
  'parentUuid',
  'sessionId',
  'timestamp',
  'message',
  'messageId',
  'leafUuid',
  'summary',
  'snapshot',
];

/** Nested messages also have `type`, `uuid`, `timestamp` and `message`, but never one of these pairs. */
function evidence(bytes: Buffer, at: number): number {
  const has = (key: string): boolean => findMember(bytes, at, key) !== undefined;
  if (!has('type')) return ['uuid', 'message', 'sessionId', 'leafUuid', 'summary'].some(has) ? knownKey : anything;
  if (has('sessionId') || (has('leafUuid') && has('summary'))) return transcriptLine;
  if (has('messageId') && (has('snapshot') || has('snapshotMessageId'))) return transcriptLine;
  return companions.some(has) ? typeAndCompanion : knownKey;
}

function acceptRecord(bytes: Buffer, span: Span, needed: number): Span | undefined {
  if (needed === never || (needed > anything && evidence(bytes, span.start) < needed)) return undefined;
  return isJson(bytes, span) ? span : undefined;
}

/** A record too long for a string cannot be parsed; its shape has been checked. */
function isJson(bytes: Buffer, { start, end }: Span): boolean {
  if (end - start > constants.MAX_STRING_LENGTH) return true;
  try {
    JSON.parse(bytes.toString('utf8', start, end));
    return true;
  } catch {
    return false;
  }
}

function neededAt(bytes: Buffer, start: number, isTorn: boolean): number {
  if (isTorn) return typeAndCompanion;
  let position = start - 1;
  while (position >= 0 && isWhitespace(bytes[position] as number)) position--;
  const before = bytes[position];
  return before === colon || before === comma || before === openArray ? typeAndCompanion : knownKey;
}

/** The text after an object shows whether it is part of a larger one, as in the rest of a cut line. */
function neededBefore(bytes: Buffer, end: number, isClean: boolean): number {
  const position = skipWhitespace(bytes, end);
  const next = bytes[position];
  const isInside = isClean ? transcriptLine : never;
  if (next === closeObject || next === colon || next === quote) return isInside;
  if (next === closeArray) return transcriptLine;
  if (next !== comma) return anything;
  const afterComma = skipWhitespace(bytes, position + 1);
  if (afterComma === bytes.length) return anything;
  if (bytes[afterComma] === openObject) return isClean ? typeAndCompanion : transcriptLine;
  return bytes[afterComma] === quote ? isInside : transcriptLine;
}

/** Whether the object that was closed last is directly before the place where the record is cut off. */
function isLastThing(bytes: Buffer, { objectStart, objectEnd, stoppedAt }: ValueTrace): boolean {
  if (objectStart === -1) return false;
  let position = objectEnd;
  while (position < stoppedAt && (bytes[position] === comma || isWhitespace(bytes[position] as number))) position++;
  return position === stoppedAt;
}

/**
 * Where to continue after the attempt from `start` stopped at `stoppedAt`. All objects that are open there stop there as
 * well, and a string cannot contain `{"`, except at its end: if a record was cut inside a string, the opening quote of
 * the next record looks like the closing quote of that string.
 */
function afterFailure(bytes: Buffer, start: number, stoppedAt: number): number {
  let position = stoppedAt - 1;
  while (isWhitespace(bytes[position] as number)) position--;
  if (bytes[position] !== quote) return stoppedAt;
  position--;
  while (isWhitespace(bytes[position] as number)) position--;
  return bytes[position] === openObject && position > start ? position : stoppedAt;
}

/** The next `{"`, white space between the two allowed. */
function nextOpening(bytes: Buffer, from: number): number {
  for (let position = from; position < bytes.length; position++) {
    if (bytes[position] === openObject && bytes[skipWhitespace(bytes, position + 1)] === quote) return position;
  }
  return -1;
}

function skipSeparators(bytes: Buffer, from: number, isBehindRecord: boolean): number {
  let position = from;
  for (;;) {
    const byte = bytes[position];
    if (byte === undefined) return position;
    if (isBom(bytes, position)) position += bomLength;
    else if (byte === 0 || isWhitespace(byte) || (isBehindRecord && byte === comma)) position++;
    else return position;
  }
}

const bomLength = 3;

function isBom(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

interface Gap extends Span {
  readonly isAfterRecord: boolean;
  readonly isBeforeRecord: boolean;
}

function gapsBetween(bytes: Buffer, records: readonly Span[]): Gap[] {
  const starts = [0, ...records.map((record) => record.end)];
  const ends = [...records.map((record) => record.start), bytes.length];
  return starts.map((start, index) => ({
    start,
    end: ends[index] as number,
    isAfterRecord: index > 0,
    isBeforeRecord: index < records.length,
  }));
}

/** At most a few spans per gap: NULs and a byte-order mark at its start, the rest, NULs at its end. */
function describeGap(bytes: Buffer, gap: Gap): LineDamage[] {
  const isBetween = gap.isAfterRecord && gap.isBeforeRecord;
  if (gap.start === gap.end) return isBetween ? [damageAt('L-joined', gap.start, gap.end)] : [];
  const damage: LineDamage[] = [];
  let { start, end } = gap;
  const skipNuls = (): void => {
    const run = start;
    while (start < end && isNulOrSpace(bytes[start] as number)) start++;
    if (bytes.subarray(run, start).includes(0)) damage.push(damageAt('L-nul', run, start));
  };
  skipNuls();
  if (start < end && isBom(bytes, start)) {
    damage.push(damageAt('L-bom', start, start + bomLength));
    start += bomLength;
    skipNuls();
  }
  const run = end;
  while (end > start && isNulOrSpace(bytes[end - 1] as number)) end--;
  if (end > start) damage.push(damageAt(codeOf(bytes.subarray(start, end), gap), start, end));
  if (bytes.subarray(end, run).includes(0)) damage.push(damageAt('L-nul', end, run));
  return damage.length === 0 && isBetween ? [damageAt('L-joined', gap.start, gap.end)] : damage;
}

function codeOf(rest: Buffer, gap: Gap): LineDamageCode {
  if (gap.isAfterRecord && gap.isBeforeRecord && skipSeparators(rest, 0, true) === rest.length) return 'L-joined';
  if (rest[0] !== openObject || skipValue(rest, 0) !== -1) return 'L-not-json';
  return gap.isBeforeRecord ? 'L-spliced' : 'L-torn-tail';
}

function isNulOrSpace(byte: number): boolean {
  return byte === 0 || isWhitespace(byte);
}

const messages: Readonly<Record<LineDamageCode, string>> = {
  'L-bom': 'the line contains a byte-order mark',
  'L-nul': 'the line contains NUL bytes',
  'L-joined': 'the line holds two records',
  'L-spliced': 'the line is cut off and another record follows',
  'L-torn-tail': 'the line is cut off',
  'L-not-json': 'the line contains text that is not a record',
};

function damageAt(code: LineDamageCode, start: number, end: number): LineDamage {
  return { code, start, end, message: messages[code] };
}
