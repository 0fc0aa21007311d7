// The lines of a transcript, in order → the segments of its exchanges: what was asked, answered, touched, run and what
// failed, each as one text. The result depends on the lines only, not on how often the file was read to get them.
import { asString, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { type LineText, leafText } from '../text/index.ts';
import { errorLines } from './error-lines.ts';

export type Field = 'prompt' | 'answer' | 'files' | 'commands' | 'errors';
/** In the order of their numbers in the index. */
export const allFields: readonly Field[] = ['prompt', 'answer', 'files', 'commands', 'errors'];

/** The texts of an exchange by field. */
export interface ExchangeFields {
  readonly prompt: string[];
  readonly answer: string[];
  readonly files: Set<string>;
  readonly commands: string[];
  readonly errors: string[];
}

/** A part of an exchange: whole lines. */
export interface Segment extends ExchangeFields {
  /** The line of the prompt, or 0. */
  readonly line: number;
  readonly offset: number;
  readonly firstLine: number;
  endOffset: number;
  /** Of the first line that has one, or `NaN`. */
  time: number;
}

/** Where a segment begins. */
export interface SegmentStart {
  readonly line: number;
  readonly offset: number;
  readonly firstLine: number;
}

export interface BuilderLine {
  readonly number: number;
  readonly offset: number;
  /** Without the newline. */
  readonly length: number;
}

export interface Title {
  readonly line: number;
  readonly text: string;
}

/** A segment ends with the line that makes it this long. */
export const segmentBytes: number = 128 * 1024;

export interface BuilderOptions {
  /** Whether a line begins an exchange. */
  readonly startsAt: (line: number) => boolean;
  /** The transcript is a sub-agent's: its first line is its task. */
  readonly isAgent?: boolean;
  /** The last segment that is known, whose lines come again. */
  readonly open?: SegmentStart | undefined;
}

export class ExchangeBuilder {
  readonly segments: Segment[] = [];
  readonly titles: Title[] = [];
  readonly #startsExchange: (line: number) => boolean;
  readonly #isAgent: boolean;
  readonly #tools = new Map<string, string>();
  #current: Segment | undefined;

  constructor({ startsAt, isAgent = false, open }: BuilderOptions) {
    this.#startsExchange = startsAt;
    this.#isAgent = isAgent;
    if (open !== undefined) this.#current = this.#begin(open);
  }

  add(line: BuilderLine, texts: readonly LineText[]): void {
    const segment = this.#segmentOf(line);
    segment.endOffset = line.offset + line.length + 1;
    for (const text of texts) this.#addText(segment, line, text);
  }

  #segmentOf({ number, offset }: BuilderLine): Segment {
    const current = this.#current;
    const isNew = this.#startsExchange(number);
    if (current !== undefined && current.offset === offset) return current;
    const isFull = current === undefined || offset - current.offset >= segmentBytes;
    if (!isNew && !isFull) return current;
    const line = isNew ? number : (current?.line ?? 0);
    this.#current = this.#begin({ line, offset, firstLine: number });
    return this.#current;
  }

  #begin(start: SegmentStart): Segment {
    const { line, offset, firstLine } = start;
    const segment = {
      line,
      offset,
      firstLine,
      endOffset: offset,
      time: Number.NaN,
      prompt: [],
      answer: [],
      files: new Set<string>(),
      commands: [],
      errors: [],
    };
    this.segments.push(segment);
    return segment;
  }

  #addText(segment: Segment, { number }: BuilderLine, text: LineText): void {
    if (Number.isNaN(segment.time)) segment.time = text.time;
    switch (text.kind) {
      case 'title':
        this.titles.push({ line: number, text: text.text });
        return;
      case 'prompt':
        // The queue repeats what was typed, before or after the prompt itself.
        if (!text.isQueued) segment.prompt.push(text.text);
        return;
      case 'note':
        if (this.#isAgent && number === 1) segment.prompt.push(text.text);
        return;
      case 'answer':
        segment.answer.push(text.text);
        return;
      case 'tool-input':
        if (text.toolUseId !== undefined && text.tool !== undefined) this.#tools.set(text.toolUseId, text.tool);
        addCall(segment, text.input);
        return;
      case 'tool-output':
        addOutcome(segment, text, this.#tools.get(text.toolUseId ?? ''));
    }
  }
}

/** Names of files. */
const fileKeys: ReadonlySet<string> = new Set(['file_path', 'notebook_path', 'path', 'filePath', 'relative_path']);
/** What was written or replaced: content of files, not what was done. */
const bodyKeys: ReadonlySet<string> = new Set(['content', 'old_string', 'new_string', 'edits', 'new_source', 'todos']);
const longestInput = 4000;

function addCall(segment: ExchangeFields, input: JsonValue | undefined): void {
  if (typeof input === 'string') segment.commands.push(input.slice(0, longestInput));
  if (!isObject(input)) return;
  for (const [key, value] of Object.entries(input)) {
    if (bodyKeys.has(key)) continue;
    const text = asString(value);
    if (text !== undefined && fileKeys.has(key)) segment.files.add(text);
    else if (key === 'plan' && text !== undefined) segment.answer.push(text);
    else if (text !== undefined) segment.commands.push(text.slice(0, longestInput));
    else if (isArray(value) || isObject(value)) segment.commands.push(leafText(value).slice(0, longestInput));
  }
}

/** Tools whose output is content of files, where the word "error" means nothing. */
const readers: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead', 'WebFetch', 'WebSearch']);

function addOutcome(segment: ExchangeFields, { text, isError }: LineText, tool: string | undefined): void {
  if (isError === true) segment.errors.push(text.slice(0, longestInput));
  else if (tool !== undefined && !readers.has(tool)) {
    const lines = errorLines(text);
    if (lines !== '') segment.errors.push(lines);
  }
}
