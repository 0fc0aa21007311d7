// A file → the pieces that become chunks: lines with their newlines, long ones cut by size, so that memory stays
// bounded. Where the cuts fall depends on the bytes alone: the same file always gives the same pieces.
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../../../base/files/index.ts';

export interface PieceOptions {
  /** How many bytes to read, even if the file has grown since. */
  readonly sizeBytes: number;
  readonly onRead?: (bytes: number) => void;
}

/** The bytes of a piece are valid until the next one is requested. */
export function* readPieces(path: string, options: PieceOptions): Generator<Buffer> {
  const isLines = path.endsWith('.jsonl');
  const buffer = Buffer.allocUnsafeSlow(isLines ? longestLine : longestText);
  const file = openRegularFile(path);
  try {
    let [filled, offset] = [0, 0];
    for (;;) {
      const room = Math.min(buffer.length - filled, options.sizeBytes - offset);
      const got = room > 0 ? readSync(file, buffer, filled, room, offset) : 0;
      filled += got;
      offset += got;
      if (got > 0) options.onRead?.(got);
      const isEnd = got === 0;
      if (!isEnd && filled < buffer.length) continue;
      const used = isLines ? yield* linesIn(buffer, filled) : 0;
      // Only one long line, or the end of the file: the bytes read so far are a piece.
      const rest = used === 0 || isEnd ? filled : used;
      if (rest > used) yield buffer.subarray(used, rest);
      if (isEnd) return;
      buffer.copyWithin(0, rest, filled);
      filled -= rest;
    }
  } finally {
    closeSync(file);
  }
}

const longestLine = 1024 * 1024;
/** Tool results and notes: their lines are not in other files, but whole files have copies. */
const longestText = 64 * 1024;

/** Yields the whole lines in the first `filled` bytes; returns where the last one ends. */
function* linesIn(buffer: Buffer, filled: number): Generator<Buffer, number> {
  let start = 0;
  for (;;) {
    const at = buffer.indexOf(0x0a, start);
    if (at < 0 || at >= filled) return start;
    yield buffer.subarray(start, at + 1);
    start = at + 1;
  }
}

/** 0: nothing more; 1: `}` and a newline; 2: `forkedFrom` with two ids, then as 1. */
export type Ending = 0 | 1 | 2;

export interface LineParts {
  /** The line with a byte 0xFF, which no UTF-8 has, for each id. */
  readonly body: Buffer;
  readonly ending: Ending;
  /** In the order of the line, those of the ending last. */
  readonly ids: readonly string[];
}

/** Takes any bytes; `joinLine` returns the same ones, which is checked for every line. */
export function splitLine(line: Buffer): LineParts {
  if (line.includes(idMark) || line[0] === verbatimMark) return verbatim(line);
  const parts = takeApart(line);
  let next = 0;
  const joined = joinLine(parts.body, parts.ending, () => parts.ids[next++] ?? '');
  return joined.equals(line) ? parts : verbatim(line);
}

/** Asks for an id as often as the line has one. */
export function joinLine(body: Buffer, ending: Ending, nextId: () => string): Buffer {
  if (body[0] === verbatimMark) return body.subarray(1);
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let at = body.indexOf(idMark); at >= 0; at = body.indexOf(idMark, copied)) {
    pieces.push(body.subarray(copied, at), Buffer.from(nextId(), 'latin1'));
    copied = at + 1;
  }
  pieces.push(body.subarray(copied));
  if (ending === 1) pieces.push(lineEnd);
  if (ending === 2) pieces.push(Buffer.from(forkedFrom(nextId(), nextId()), 'latin1'));
  return pieces.length === 1 ? body : Buffer.concat(pieces);
}

const idMark = 0xff;
const verbatimMark = 0xfe;
const lineEnd = Buffer.from('}\n');
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const uuidLength = 36;
const forkTail = new RegExp(`^,"forkedFrom":\\{"sessionId":"(${uuid})","messageUuid":"(${uuid})"\\}\\}\\n$`);
const forkTailLength = forkedFrom('', '').length + 2 * uuidLength;

function forkedFrom(sessionId: string, messageUuid: string): string {
  return `,"forkedFrom":{"sessionId":"${sessionId}","messageUuid":"${messageUuid}"}}\n`;
}

function verbatim(line: Buffer): LineParts {
  return { body: Buffer.concat([Buffer.from([verbatimMark]), line]), ending: 0, ids: [] };
}

function takeApart(line: Buffer): LineParts {
  const hasEnd = line.length >= 2 && line[line.length - 1] === 0x0a && line[line.length - 2] === 0x7d;
  const fork = hasEnd ? forkTail.exec(line.toString('latin1', Math.max(0, line.length - forkTailLength))) : null;
  const rest = line.subarray(0, line.length - (fork ? forkTailLength : hasEnd ? lineEnd.length : 0));
  const ids: string[] = [];
  const body = takeIds(rest, ids);
  if (fork) ids.push(fork[1] ?? '', fork[2] ?? '');
  return { body, ending: fork ? 2 : hasEnd ? 1 : 0, ids };
}

function takeIds(rest: Buffer, ids: string[]): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  // The uuid of a tool result is between its message and its output, so the whole line is searched.
  for (let at = rest.indexOf(dash); at >= 0; ) {
    const start = at - firstDash;
    if (start < copied || !isUuidAt(rest, start)) {
      at = rest.indexOf(dash, at + 1);
      continue;
    }
    pieces.push(rest.subarray(copied, start), markBytes);
    copied = start + uuidLength;
    ids.push(rest.toString('latin1', start, copied));
    at = rest.indexOf(dash, copied);
  }
  return pieces.length === 0 ? rest : Buffer.concat([...pieces, rest.subarray(copied)]);
}

const dash = 0x2d;
const firstDash = 8;
/** Nearly all dashes of a text have none of the others next to them: they are looked at before the digits. */
const otherDashes = [13, 18, 23];

function isUuidAt(bytes: Buffer, start: number): boolean {
  for (const place of otherDashes) if (bytes[start + place] !== dash) return false;
  for (let place = 0; place < uuidLength; place++) {
    const byte = bytes[start + place] ?? 0;
    const isDigit = (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);
    if (!isDigit && place !== firstDash && !otherDashes.includes(place)) return false;
  }
  return true;
}

const markBytes = Buffer.from([idMark]);

// A stretch of a file's lines ⇄ bytes that say which chunks they are made of and which ids belong into them. A group
// is itself a chunk: a fork's groups are byte for byte those of its original, so that it costs next to nothing.

/** Collects the lines of one group; `ownId`, the id of the session, is written as a reference and so may differ. */
export class GroupBuilder {
  readonly #ownId: string;
  #runs: Run[] = [];
  #ids: number[] = [];
  /** Ids by the order in which this group met them. A new group starts again, so that it depends on nothing else. */
  #known = new Map<string, number>();
  #lines = 0;

  constructor(ownId: string) {
    this.#ownId = ownId;
  }

  get lines(): number {
    return this.#lines;
  }

  add(chunk: number, { ending, ids }: LineParts): void {
    const last = this.#runs.at(-1);
    if (last !== undefined && last.ending === ending && last.start + last.count === chunk) last.count += 1;
    else this.#runs.push({ start: chunk, count: 1, ending });
    for (const id of ids) this.#addId(id);
    this.#lines += 1;
  }

  /** The group's bytes; the builder is empty again. */
  finish(): Buffer {
    const bytes: number[] = [];
    pushNumber(bytes, this.#runs.length);
    let before = 0;
    for (const { start, count, ending } of this.#runs) {
      const step = start - before;
      pushNumber(bytes, step < 0 ? -step * 2 - 1 : step * 2);
      pushNumber(bytes, count * 3 + ending);
      before = start + count;
    }
    const group = Buffer.from(bytes.concat(this.#ids));
    this.#runs = [];
    this.#ids = [];
    this.#known = new Map();
    this.#lines = 0;
    return group;
  }

  #addId(id: string): void {
    const known = this.#known.get(id);
    if (id === this.#ownId) pushNumber(this.#ids, ownReference);
    else if (known !== undefined) pushNumber(this.#ids, firstReference + this.#known.size - 1 - known);
    else {
      this.#known.set(id, this.#known.size);
      pushNumber(this.#ids, newId);
      for (const byte of Buffer.from(id.replaceAll('-', ''), 'hex')) this.#ids.push(byte);
    }
  }
}

/** The lines of a group, each as its bytes. Throws `RangeError` if the bytes are not a group. */
export function* readGroup(group: Buffer, ownId: string, readChunk: (chunk: number) => Buffer): Generator<Buffer> {
  const source = { bytes: group, at: 0 };
  const runs = takeRuns(source);
  const nextId = idReader(source, ownId);
  for (const { start, count, ending } of runs) {
    for (let chunk = start; chunk < start + count; chunk++) yield joinLine(readChunk(chunk), ending, nextId);
  }
  if (source.at !== group.length) throw new RangeError('a group has more ids than its lines');
}

/** The chunks that a group is made of, as runs. Throws `RangeError` if the bytes are not a group. */
export function chunksOfGroup(group: Buffer): readonly { readonly start: number; readonly count: number }[] {
  return takeRuns({ bytes: group, at: 0 });
}

function takeRuns(source: Source): Run[] {
  const runs: Run[] = [];
  let before = 0;
  for (let left = takeNumber(source); left > 0; left--) {
    const step = takeNumber(source);
    const start = before + (step % 2 === 1 ? -(step + 1) / 2 : step / 2);
    const counted = takeNumber(source);
    const count = Math.floor(counted / 3);
    runs.push({ start, count, ending: (counted % 3) as Ending });
    before = start + count;
  }
  return runs;
}

interface Run {
  readonly start: number;
  count: number;
  readonly ending: Ending;
}

interface Source {
  readonly bytes: Buffer;
  at: number;
}

const newId = 0;
const ownReference = 1;
/** And more: 2 is the id that this group met last, 3 the one before it. */
const firstReference = 2;

function idReader(source: Source, ownId: string): () => string {
  const known: string[] = [];
  return () => {
    const code = takeNumber(source);
    if (code === ownReference) return ownId;
    if (code === newId) {
      const id = formatUuid(source.bytes.toString('hex', source.at, source.at + 16));
      source.at += 16;
      known.push(id);
      return id;
    }
    const id = known[known.length - 1 - (code - firstReference)];
    if (id === undefined) throw new RangeError('a group names an id that it does not hold');
    return id;
  };
}

function formatUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
}

function takeNumber(source: Source): number {
  let value = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = source.bytes[source.at++];
    if (byte === undefined) throw new RangeError('a group ends too early');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}
