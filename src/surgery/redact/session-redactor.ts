// A redactor for whole sessions, as exports and web pages use it: it has learned from all files, and it remembers which
// records and short texts it does not change.
import { asBuffer, type Bytes } from '../../base/node/index.ts';
import { editJson } from '../../format/bytes/index.ts';
import type { Source } from '../engine/index.ts';
import type { RuleSet } from '../secrets/index.ts';
import { createRedactor, type FoundSecret, type Redaction, type Redactor } from './redactor.ts';
import { type CleanLines, type CleanPlace, eachPart, type FilePart, learnFile } from './survey.ts';

/** Replaces secrets with placeholders. */
export interface SessionRedactor {
  redact(bytes: Uint8Array): Bytes;
  /** @internal Whether `redact` would not change what `JSON.stringify` writes for this record. */
  isClean(file: string, record: { readonly offset: number; readonly length: number }): boolean;
  /** @internal The new name of a file. */
  renameFile(name: string): string;
  /** The secrets found so far, without the values. */
  list(): readonly FoundSecret[];
}

/** Returns a redactor that has learned the secrets of all files of some sessions. */
export function redactorFor(sources: readonly Source[]): SessionRedactor;
/** @internal */
export function redactorFor(sources: readonly Source[], ruleSet: RuleSet | undefined): SessionRedactor;
export function redactorFor(sources: readonly Source[], ruleSet?: RuleSet): SessionRedactor {
  const redactor = createRedactor(ruleSet);
  const files = sources.flatMap((source) => source.files);
  const learned = files.map((file) => ({ file, lines: learnFile(file, redactor) }));
  for (const file of sources.flatMap((source) => source.files.slice(1))) redactor.learnFileName(file.name);
  const records = new UnchangedRecords(redactor, learned);
  const texts = new UnchangedTexts(redactor);
  return {
    redact: (bytes) => {
      const whole = asBuffer(bytes);
      if (texts.has(whole)) return whole;
      const { version } = redactor;
      const redaction = redactor.redact(whole, 'record');
      const isSame = redaction.bytes === whole && redaction.signed.length === 0;
      if (isSame && redactor.version === version) texts.add(whole);
      return withoutSigned(redaction);
    },
    isClean: (file, { offset, length }) => records.lengthAt(file, offset) === length,
    renameFile: (name) => redactor.renameFile(name),
    list: () => redactor.list(),
  };
}

/** Signed thinking cannot be changed: a block with a secret is removed. */
function withoutSigned({ bytes, signed }: Redaction): Buffer {
  const edits = signed.map((index) => ({ path: ['message', 'content', index], remove: true as const }));
  return edits.length === 0 ? bytes : editJson(bytes, edits);
}

/** Redacts one line of a file that `learnFile` has learned from; `clean`: what it knows of the line. */
export function redactLine(redactor: Redactor, line: Buffer, clean: CleanPlace | undefined): Buffer {
  if (clean === undefined || clean.length !== line.length) return withoutSigned(redactor.redactUnclean(line, 'record'));
  // A value that was learned later, or a name that changes, may be in a line without secrets of its own.
  return redactor.isUnchanged(line, clean) ? line : withoutSigned(redactor.redactUnclean(line, 'record'));
}

/** The records that `redact` does not change, and that `JSON.stringify` writes as they are. */
class UnchangedRecords {
  readonly #redactor: Redactor;
  readonly #learned: ReadonlyMap<string, { readonly file: FilePart; readonly lines: CleanLines }>;
  /** By file and offset. */
  readonly #lengths = new Map<string, ReadonlyMap<number, number>>();
  readonly #version: number;

  constructor(redactor: Redactor, learned: readonly { readonly file: FilePart; readonly lines: CleanLines }[]) {
    this.#redactor = redactor;
    this.#learned = new Map(learned.map((each) => [each.file.path, each]));
    this.#version = redactor.version;
  }

  lengthAt(file: string, offset: number): number | undefined {
    // A value or name that was learned meanwhile may be in any record.
    if (this.#redactor.version !== this.#version) return undefined;
    const learned = this.#learned.get(file);
    if (learned === undefined) return undefined;
    const lengths = this.#lengths.get(file) ?? this.#find(learned.file, learned.lines);
    this.#lengths.set(file, lengths);
    return lengths.get(offset);
  }

  #find(file: FilePart, lines: CleanLines): ReadonlyMap<number, number> {
    if (this.#redactor.isEmpty) {
      const canonical = [...lines].filter(([, { isCanonical }]) => isCanonical);
      return new Map(canonical.map(([offset, { length }]) => [offset, length]));
    }
    const lengths = new Map<number, number>();
    eachPart(file, (bytes, _form, _line, record) => {
      const clean = record === undefined ? undefined : lines.get(record.offset);
      if (record === undefined || clean === undefined || clean.length !== bytes.length) return bytes;
      if (clean.isCanonical && this.#redactor.isUnchanged(bytes, clean)) lengths.set(record.offset, record.length);
      return bytes;
    });
    return lengths;
  }
}

const shortText = 200;

/** Short texts that `redact` does not change: an export has the same names of models and tools many times. */
class UnchangedTexts {
  readonly #redactor: Redactor;
  readonly #texts = new Set<string>();
  #version = -1;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  has(bytes: Buffer): boolean {
    return bytes.length <= shortText && this.#version === this.#redactor.version && this.#texts.has(keyOf(bytes));
  }

  add(bytes: Buffer): void {
    if (bytes.length > shortText) return;
    // A value or name that was learned meanwhile may be in any text.
    if (this.#version !== this.#redactor.version) this.#texts.clear();
    this.#version = this.#redactor.version;
    this.#texts.add(keyOf(bytes));
  }
}

function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}
