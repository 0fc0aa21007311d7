// Applies changes to the records of a transcript, lazily and in file order. Everything else stays byte for byte: other
// records, bookkeeping, blank lines and damage.
import { asString, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { type Edit, editJson, parseWithout } from '../../format/bytes/index.ts';
import { bytesOf, type Node, rangesOf, type Transcript } from '../../session/transcript/index.ts';
import { type Line, linesOfBytes, RangeReader, readLineBatches } from '../../store/index.ts';
import { type Dropped, editLine, madeLine, type OutLine } from './plan.ts';

export interface Rewrite {
  /** By the index of the record. */
  readonly edits?: ReadonlyMap<number, readonly Edit[]>;
  /** Records to drop, with the reason. */
  readonly drops?: ReadonlyMap<number, string>;
  /** New lines after a record; after -1: at the start. */
  readonly inserts?: ReadonlyMap<number, readonly JsonObject[]>;
  /** Drop everything that is not a record: torn, joined and padded lines become clean. */
  readonly isCleaned?: boolean;
  /** Changes bytes of records and of the rest, before the edits, whose paths it must not touch. */
  readonly patch?: Patch | undefined;
  /**
   * Additional edits for every record, including new ones: new ids, another folder. The record may lack its content, see
   * `contentMembers`.
   */
  readonly renames?: ((entry: JsonObject) => readonly Edit[]) | undefined;
}

export interface Patch {
  isTouched(line: number): boolean;
  /** `node`: `undefined` for bytes that are not a record. */
  apply(bytes: Buffer, line: number, node: Node | undefined): Buffer;
}

/** Both rewrites of one transcript. */
export function mergeRewrites(first: Rewrite | undefined, second: Rewrite | undefined): Rewrite {
  const edits = new Map(first?.edits);
  for (const [index, more] of second?.edits ?? []) edits.set(index, [...(edits.get(index) ?? []), ...more]);
  return { ...first, ...second, edits, drops: new Map([...(first?.drops ?? []), ...(second?.drops ?? [])]) };
}

/** The same for several transcripts, by path. */
export function mergeAllRewrites(
  first: ReadonlyMap<string, Rewrite>,
  second: ReadonlyMap<string, Rewrite>,
): ReadonlyMap<string, Rewrite> {
  const files = new Set([...first.keys(), ...second.keys()]);
  return new Map([...files].map((file) => [file, mergeRewrites(first.get(file), second.get(file))]));
}

/** Each call reads the file again. */
export function* rewriteLines(transcript: Transcript, rewrite: Rewrite = {}): Generator<OutLine> {
  yield* insertedLines(rewrite, -1);
  const { nodes, path } = transcript;
  const ranges = rangesOf(transcript);
  const whole = bytesOf(transcript);
  let next = 0;
  let writtenUntil = 0;
  for (const batch of whole === undefined ? readLineBatches(path) : linesOfBytes(whole)) {
    for (const line of batch) {
      const first = next;
      while (next < nodes.length && (nodes[next] as Node).offset < line.offset + line.length) next++;
      const held = nodes.slice(first, next);
      // The rest of an object over several lines, which was written as one.
      if (held.length === 0 && line.offset < writtenUntil) continue;
      if (isKept(line, held, rewrite)) {
        yield changePieces(unchangedLine(path, line, held), line, held, rewrite);
        continue;
      }
      for (const node of held) {
        if (rewrite.drops?.has(node.index) !== true) yield rewriteRecord(path, node, rewrite, ranges);
        yield* insertedLines(rewrite, node.index);
        writtenUntil = node.offset + node.length;
      }
    }
  }
}

/** Only these records, in this order. Each call reads the file again. */
export function* pickLines(
  transcript: Pick<Transcript, 'path'>,
  nodes: readonly Node[],
  rewrite: Pick<Rewrite, 'edits' | 'renames'> = {},
): Generator<OutLine> {
  const ranges = new RangeReader(transcript.path);
  for (const node of nodes) yield rewriteRecord(transcript.path, node, rewrite, ranges);
}

export function droppedBy(transcript: Transcript, drops: ReadonlyMap<number, string>, file?: string): Dropped[] {
  return [...drops].map(([index, reason]) => {
    const node = transcript.nodes[index];
    return {
      ...(file === undefined ? {} : { file }),
      line: node?.line ?? 0,
      ...(node?.uuid === undefined ? {} : { uuid: node.uuid }),
      reason,
    };
  });
}

/** Whether the line stays byte for byte, like every line that is too long to read. */
function isKept(line: Line, held: readonly Node[], rewrite: Rewrite): boolean {
  if (line.bytes.length < line.length) return true;
  if (held.some(({ index }) => isNamedBy(rewrite, index))) return false;
  const last = held.at(-1);
  const continues = last !== undefined && last.offset + last.length > line.offset + line.length;
  if (continues && (rewrite.renames !== undefined || rewrite.patch?.isTouched(last.line) === true)) return false;
  return rewrite.isCleaned !== true || isClean(line, held);
}

function isNamedBy({ edits, drops, inserts }: Rewrite, index: number): boolean {
  return edits?.has(index) === true || drops?.has(index) === true || inserts?.has(index) === true;
}

/** Copied, because the bytes of a batch are only valid until the next one. */
function unchangedLine(file: string, line: Line, held: readonly Node[]): OutLine {
  const { number, offset, length } = line;
  const bytes = line.bytes.length < length ? new RangeReader(file, 0).read(offset, length) : Buffer.from(line.bytes);
  const origin = { file, line: held[0]?.line ?? number, offset, length };
  return { bytes, origin, isEdited: false, isRenamed: false };
}

function rewriteRecord(
  file: string,
  node: Node,
  rewrite: Pick<Rewrite, 'edits' | 'renames' | 'patch'>,
  ranges: RangeReader,
): OutLine {
  const { line, offset, length } = node;
  const bytes = joinLines(Buffer.from(ranges.read(offset, length)));
  const origin = { file, line, offset, length };
  const whole = { bytes, origin, isEdited: bytes.length !== length, isRenamed: false };
  const out = rewrite.patch?.isTouched(line) === true ? patchLine(whole, rewrite.patch, line, node) : whole;
  return renameLine(editLine(out, rewrite.edits?.get(node.index) ?? []), rewrite);
}

function* insertedLines(rewrite: Rewrite, after: number): Generator<OutLine> {
  for (const entry of rewrite.inserts?.get(after) ?? []) yield renameLine(madeLine(entry), rewrite);
}

function patchLine(line: OutLine, patch: Patch, number: number, node: Node | undefined): OutLine {
  const bytes = patch.apply(line.bytes, number, node);
  return bytes.equals(line.bytes) ? line : { ...line, bytes, isEdited: true };
}

function renameLine(line: OutLine, { renames }: Pick<Rewrite, 'renames'>): OutLine {
  return renames === undefined ? line : editLine(line, renamesFor(line.bytes, renames), true);
}

/** In a line with more than one record, the bytes between the records stay, or are patched separately. */
function changePieces(
  line: OutLine,
  { number, offset, length }: Line,
  held: readonly Node[],
  rewrite: Rewrite,
): OutLine {
  const { renames } = rewrite;
  const patch = rewrite.patch?.isTouched(number) === true ? rewrite.patch : undefined;
  const [only] = held;
  if (held.length <= 1 && (only === undefined || only.length === length)) {
    const patched = patch === undefined ? line : patchLine(line, patch, number, only);
    return only === undefined ? patched : renameLine(patched, rewrite);
  }
  if (renames === undefined && patch === undefined) return line;
  const apply = (bytes: Buffer, node?: Node): Buffer =>
    patch === undefined || bytes.length === 0 ? bytes : patch.apply(bytes, number, node);
  const pieces: Buffer[] = [];
  let done = 0;
  let isPatched = false;
  for (const node of held) {
    const start = node.offset - offset;
    if (start < done) continue;
    const [gap, record] = [line.bytes.subarray(done, start), line.bytes.subarray(start, start + node.length)];
    const [between, changed] = [apply(gap), apply(record, node)];
    isPatched ||= !between.equals(gap) || !changed.equals(record);
    pieces.push(between, renames === undefined ? changed : editJson(changed, renamesFor(changed, renames)));
    done = start + node.length;
  }
  const rest = line.bytes.subarray(done);
  const tail = apply(rest);
  isPatched ||= !tail.equals(rest);
  if (!isPatched && renames === undefined) return line;
  return { ...line, bytes: Buffer.concat([...pieces, tail]), isEdited: true, isRenamed: !isPatched };
}

function renamesFor(record: Buffer, renames: NonNullable<Rewrite['renames']>): readonly Edit[] {
  const entry = parseWithout(record, contentMembers);
  if (!isObject(entry)) return [];
  // Without a type, the role of the message is the type.
  const whole = asString(entry.type) ? entry : parseJson(record.toString('utf8'));
  return isObject(whole) ? renames(whole) : [];
}

/** Most of the bytes of a transcript, in which no id and no folder is renamed. */
const contentMembers: ReadonlySet<string> = new Set(['message', 'toolUseResult', 'content', 'rendered', 'data']);

/** An object over several lines becomes one line. */
function joinLines(bytes: Buffer): Buffer {
  const value = bytes.includes(newline) ? parseJson(bytes.toString('utf8')) : undefined;
  const line = value === undefined ? bytes : Buffer.from(JSON.stringify(value));
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

function isClean(line: Line, held: readonly Node[]): boolean {
  const [only] = held;
  if (only === undefined || held.length > 1 || line.bytes.at(-1) === carriageReturn) return false;
  return only.offset === line.offset && only.length === line.length;
}
