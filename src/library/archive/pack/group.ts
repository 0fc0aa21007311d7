// A stretch of a file's lines ⇄ bytes that say which chunks they are made of and which ids belong into them. A group
// is itself a chunk: a fork's groups are byte for byte those of its original, so that it costs next to nothing.
import { type Ending, joinLine, type LineParts } from './line-parts.ts';

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

/** The lines of a group, each as its bytes. Throws `RangeError` where the bytes are no group. */
export function* readGroup(group: Buffer, ownId: string, readChunk: (chunk: number) => Buffer): Generator<Buffer> {
  const source = { bytes: group, at: 0 };
  const runs = takeRuns(source);
  const nextId = idReader(source, ownId);
  for (const { start, count, ending } of runs) {
    for (let chunk = start; chunk < start + count; chunk++) yield joinLine(readChunk(chunk), ending, nextId);
  }
  if (source.at !== group.length) throw new RangeError('a group has more ids than its lines');
}

/** The chunks that a group is made of, as runs. Throws `RangeError` where the bytes are no group. */
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
