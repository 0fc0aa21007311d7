// New lines of one transcript → the rows they add to the index, by the lazy scanner: nothing is parsed but the first
// prompt.

import { parseLine } from '../../format/line/index.ts';
import {
  blockCount,
  type CallHead,
  field,
  isTrue,
  type ResultHead,
  scannedCall,
  scannedInput,
  scannedResult,
  scannedTexts,
  selectBlock,
  stringField,
  stringFields,
  timeOf,
  walkRecord,
} from '../../format/scan/index.ts';
import { classifyUser, type Loader, spokenText } from '../../session/transcript/index.ts';
import { type Line, type LineOptions, linesOfBytes, readLineBatches } from '../../store/index.ts';

export interface NewRows {
  /** After the last newline that was read, or after a last record that lacks one. */
  readonly offset: number;
  /** Newlines before `offset`. */
  readonly line: number;
  /** How far the lines were read; more bytes may have been read from the disk. */
  readonly bytesRead: number;
  readonly prompts: readonly PromptRow[];
  readonly calls: readonly CallRow[];
  /** Of calls that were not read with them. */
  readonly results: readonly ResultRow[];
  readonly facts: SessionFacts;
}

export interface PromptRow {
  readonly line: number;
  readonly uuid: string | undefined;
  readonly time: number;
  readonly kind: string;
  /** The line says that it was copied from another session. */
  readonly isCopy: boolean;
}

export interface CallRow {
  readonly toolUseId: string;
  readonly line: number;
  readonly time: number;
  readonly name: string;
  readonly touched: string | undefined;
  /** `undefined` until its result is read. */
  isError: boolean | undefined;
  agentId: string | undefined;
}

export interface ResultRow {
  readonly toolUseId: string;
  readonly isError: boolean;
  readonly agentId: string | undefined;
}

/** What the lines say about their session. */
export interface SessionFacts {
  sessionId: string | undefined;
  cwd: string | undefined;
  firstPrompt: string | undefined;
  startedAt: number;
  endedAt: number;
}

export interface RowSource {
  readonly path: string;
  /** The session that the file belongs to, if its path says so: a line that names another session was copied. */
  readonly sessionId: string | undefined;
  readonly offset: number;
  readonly line: number;
  /** Read no further than this, so that one batch stays small. */
  readonly maxBytes: number;
  readonly onRead?: LineOptions['onRead'];
  /** The whole file, if it is in memory. */
  readonly bytes?: Buffer | undefined;
  /** Gets every line too, so that one reading makes the rows and the summary. */
  readonly loader?: Loader | undefined;
}

/**
 * Reads whole lines from `offset`. A last line without a newline is read if it is a whole record (many files that were
 * rewritten or copied end like this); otherwise it is still being written, and left for the next time.
 */
export function readRows(source: RowSource): NewRows {
  const { bytes, loader, onRead } = source;
  const reader = new RowReader(source.sessionId);
  let { offset, line } = source;
  const from = { offset, number: line + 1 };
  const batches =
    bytes === undefined
      ? readLineBatches(source.path, { from, ...(onRead && { onRead }) })
      : linesOfBytes(bytes, { from });
  reading: for (const batch of batches) {
    for (const next of batch) {
      if (!next.terminated) {
        const isRecord = reader.addLast(next);
        if (isRecord) offset = next.offset + next.length;
        loader?.add(next, isRecord);
        break reading;
      }
      const isRecord = reader.add(next);
      loader?.add(next, isRecord);
      offset = next.offset + next.length + 1;
      line = next.number;
      if (offset - source.offset >= source.maxBytes) break reading;
    }
  }
  const results = reader.takeResults();
  const { prompts, calls, facts } = reader;
  const bytesRead = offset - source.offset;
  return { offset, line, bytesRead, prompts, calls, results, facts };
}

const firstPromptLength = 500;
const kindFields: readonly number[] = [field.type, field.role];
const kindTexts: (string | undefined)[] = [];

class RowReader {
  readonly prompts: PromptRow[] = [];
  readonly calls: CallRow[] = [];
  readonly #sessionId: string | undefined;
  /** Of the record that was just walked. */
  #isCopy = false;
  readonly #callsById = new Map<string, CallRow>();
  readonly #earlyResults: ResultRow[] = [];
  readonly facts: SessionFacts = {
    sessionId: undefined,
    cwd: undefined,
    firstPrompt: undefined,
    startedAt: Number.POSITIVE_INFINITY,
    endedAt: Number.NEGATIVE_INFINITY,
  };

  constructor(sessionId: string | undefined) {
    this.#sessionId = sessionId;
  }

  /** Whether the line is one record, which is then the one that was walked last. */
  add(line: Line): boolean {
    if (line.bytes.length < line.length) return false;
    if (walkRecord(line.bytes)) {
      this.#addRecord(line.bytes, line.number);
      return true;
    }
    for (const { entry, bytes } of parseLine(line.bytes).pieces) {
      if (entry !== undefined && walkRecord(bytes)) this.#addRecord(bytes, line.number);
    }
    return false;
  }

  /** Whether it was a record. */
  addLast({ bytes, number }: Line): boolean {
    const isRecord = walkRecord(bytes);
    if (isRecord) this.#addRecord(bytes, number);
    return isRecord;
  }

  /** The record that was just walked: of its fifty fields only those are decoded that make a row. */
  #addRecord(bytes: Buffer, line: number): void {
    const { facts } = this;
    if (facts.sessionId === undefined || facts.cwd === undefined) this.#addPlace(bytes);
    this.#isCopy = this.#isMarkedCopy(bytes);
    stringFields(bytes, kindFields, kindTexts);
    const time = timeOf(bytes);
    if (time < facts.startedAt) facts.startedAt = time;
    if (time > facts.endedAt) facts.endedAt = time;
    const type = kindTexts[0] || kindTexts[1];
    if (type === 'assistant') this.#addAnswer(bytes, line, time);
    else if (type === 'user') this.#addUser(bytes, line, time);
  }

  /** Forks by the SDK and by Clew say it on each message. */
  #isMarkedCopy(bytes: Buffer): boolean {
    const origin = stringField(bytes, field.originSessionId);
    return this.#sessionId !== undefined && origin !== undefined && origin !== '' && origin !== this.#sessionId;
  }

  #addPlace(bytes: Buffer): void {
    this.facts.sessionId ??= stringField(bytes, field.sessionId);
    this.facts.cwd ??= stringField(bytes, field.cwd);
  }

  #addAnswer(bytes: Buffer, line: number, time: number): void {
    for (let i = 0; i < blockCount; i++) {
      selectBlock(i);
      const call = scannedCall(bytes);
      if (call !== undefined) this.#addCall(call, line, time);
    }
  }

  #addCall({ id, name, file }: CallHead, line: number, time: number): void {
    if (this.#callsById.has(id)) return; // a repeated line
    const call = { toolUseId: id, line, time, name, touched: file, isError: undefined, agentId: undefined };
    this.#callsById.set(id, call);
    this.calls.push(call);
  }

  #addResult({ toolUseId, isError }: ResultHead, agentId: string | undefined): void {
    const call = this.#callsById.get(toolUseId);
    if (call === undefined) this.#earlyResults.push({ toolUseId, isError, agentId });
    else {
      call.isError = isError;
      call.agentId = agentId;
    }
  }

  /** Results that come before their calls, which a file that was assembled by hand may have. */
  takeResults(): readonly ResultRow[] {
    for (const { toolUseId, isError, agentId } of this.#earlyResults.toReversed()) {
      const call = this.#callsById.get(toolUseId);
      if (call === undefined || call.isError !== undefined) continue;
      call.isError = isError;
      call.agentId = agentId;
    }
    return this.#earlyResults.filter(({ toolUseId }) => !this.#callsById.has(toolUseId));
  }

  #addUser(bytes: Buffer, line: number, time: number): void {
    let onlyResults = blockCount > 0;
    for (let i = 0; i < blockCount; i++) {
      selectBlock(i);
      const result = scannedResult(bytes);
      if (result === undefined) onlyResults = false;
      else this.#addResult(result, stringField(bytes, field.resultAgentId));
    }
    // Nine of ten such lines: nobody said anything, so there is nothing to classify.
    if (!onlyResults && !isTrue(bytes, field.isSidechain)) this.#addPrompt(bytes, line, time);
  }

  #addPrompt(bytes: Buffer, line: number, time: number): void {
    const { prompt } = classifyUser(scannedInput(bytes));
    if (prompt === undefined) return;
    this.prompts.push({ line, uuid: stringField(bytes, field.uuid), time, kind: prompt, isCopy: this.#isCopy });
    if (this.facts.firstPrompt !== undefined || prompt === 'slash-command') return;
    const text = spokenText(scannedTexts(bytes)).trim();
    if (text !== '') this.facts.firstPrompt = text.slice(0, firstPromptLength);
  }
}
