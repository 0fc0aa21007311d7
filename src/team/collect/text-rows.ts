// The redacted lines of a transcript → its documents and the segments of its exchanges, as the local full text has them.
import { asObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import {
  allFields,
  ExchangeBuilder,
  exchangeStarts,
  OwnerFinder,
  type Segment,
} from '../../library/exchanges/index.ts';
import type { Database } from '../../library/index/index.ts';
import type { SessionPlaces } from '../../library/places/index.ts';
import { type LineText, textsOfLine } from '../../library/text/index.ts';
import type { Line } from '../../store/index.ts';
import type { ExchangeRow, StoredDocument, TextRow } from '../contract/index.ts';
import { documentWords, fieldWords } from '../words/index.ts';
import type { IndexedFile } from './local-sessions.ts';
import { storableTime } from './metric-rows.ts';

export interface TextSource {
  readonly database: Database;
  readonly file: IndexedFile;
  /** In the store: '' for the main transcript. */
  readonly agent: string;
  readonly places: SessionPlaces | undefined;
  readonly nameOf: (tool: string) => string;
  /** Of the main transcript, which comes first; `undefined` for itself, or without one. */
  readonly main: TextCollector | undefined;
}

export class TextCollector {
  readonly #source: TextSource;
  readonly #exchanges: ExchangeBuilder;
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #documents: TextRow[] = [];
  readonly #lastLines = new Map<Segment, number>();
  readonly #queued = new QueuedTexts();

  constructor(source: TextSource) {
    this.#source = source;
    const { database, file } = source;
    const starts = exchangeStarts(database, file.id);
    this.#exchanges = new ExchangeBuilder({
      startsAt: (line) => starts.has(line),
      isAgent: file.agentId !== undefined,
    });
    const calls = database.prepare('SELECT tool_use_id, name FROM tool_calls WHERE file = ?').all(file.id);
    this.#toolNames = new Map(calls.map((row) => [String(row.tool_use_id), String(row.name)]));
  }

  add(line: Line): void {
    const texts = textsOfLine(line.bytes);
    this.#exchanges.add(line, texts);
    const segment = this.#exchanges.segments.at(-1);
    if (segment !== undefined) this.#lastLines.set(segment, line.number);
    for (const text of texts) this.#addDocument(line, text);
  }

  documents(): readonly TextRow[] {
    const owner = this.#owner();
    const starts = this.#exchanges.segments.map(({ line }) => line);
    let at = 0;
    return this.#documents.flatMap((row, i) => {
      if (this.#queued.dropped.has(i)) return [];
      while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= row.line) at++;
      const exchange = row.agent === '' ? starts[at] : owner;
      return [{ ...row, facts: withExchange(row.facts, exchange) }];
    });
  }

  /** `isFirst`: of the session, so that its first row has the words of the titles. */
  exchanges(isFirst: boolean): readonly ExchangeRow[] {
    const { segments, titles } = this.#exchanges;
    const owner = this.#owner();
    const facts = owner === undefined ? null : { owner };
    return segments.map((segment, i) => ({
      ...this.#exchangeRow(segment, isFirst && i === 0 ? titles.map(({ text }) => text) : []),
      facts,
    }));
  }

  /** For a sub-agent's transcript: the line of the exchange that started it. */
  #owner(): number | undefined {
    const { database, file, main } = this.#source;
    if (file.agentId === undefined || main === undefined) return undefined;
    const finder = new OwnerFinder(database, {
      at: (_, line) => main.#exchangeAt((segment) => segment.line <= line),
      runningAtStartOf: () => main.#runningAt(this.#startTime()),
    });
    return finder.ownerOf({ session: file.session, agent: file.agentId, file: file.id })?.line;
  }

  /** Of the first lines with a time, or `NaN`. */
  #startTime(): number {
    return this.#exchanges.segments.find(({ time }) => !Number.isNaN(time))?.time ?? Number.NaN;
  }

  #runningAt(time: number): { file: number; line: number } | undefined {
    const running = this.#exchanges.segments.filter((segment) => segment.line > 0 && segment.time <= time);
    const last = running.sort((a, b) => b.time - a.time)[0];
    return last === undefined ? undefined : { file: this.#source.file.id, line: last.line };
  }

  #exchangeAt(isBefore: (segment: Segment) => boolean): { file: number; line: number } | undefined {
    const lines = this.#exchanges.segments.filter(isBefore).map(({ line }) => line);
    return lines.length === 0 ? undefined : { file: this.#source.file.id, line: Math.max(...lines) };
  }

  #addDocument({ number }: Line, text: LineText): void {
    const { agent, file, places, nameOf } = this.#source;
    const name = text.tool ?? (text.toolUseId === undefined ? undefined : this.#toolNames.get(text.toolUseId));
    if (text.isQueued) this.#queued.add(text.text, this.#documents.length);
    else if (text.kind === 'prompt') this.#queued.drop(text.text);
    this.#documents.push({
      agent,
      line: number,
      kind: text.kind,
      part: text.part,
      saidAt: storableTime(text.time),
      tool: name === undefined ? null : nameOf(name),
      uuid: text.uuid ?? null,
      text: text.text,
      ...documentWords(text.text),
      facts: placeFacts(places, file.path, number),
    });
  }

  #exchangeRow(segment: Segment, titles: readonly string[]): Omit<ExchangeRow, 'facts'> {
    const { line, firstLine, time } = segment;
    const { words, tokens } = fieldWords(
      allFields.map((field) => [...segment[field]].join('\n')),
      titles,
    );
    return {
      agent: this.#source.agent,
      line,
      firstLine,
      endLine: this.#lastLines.get(segment) ?? firstLine,
      saidAt: storableTime(time),
      words,
      tokens,
    };
  }
}

/** `null` without any, which is the case of most lines. */
function placeFacts(places: SessionPlaces | undefined, file: string, line: number): JsonObject | null {
  const { turn, branch } = places?.placeOf(file, line) ?? {};
  if (turn === undefined && branch === undefined) return null;
  const facts: StoredDocument = {
    ...(turn === undefined ? {} : { turn }),
    ...(branch === undefined ? {} : { branch }),
  };
  return { ...facts };
}

function withExchange(facts: JsonValue, exchange: number | undefined): JsonValue {
  if (exchange === undefined || exchange === 0) return facts;
  return { ...asObject(facts), exchange };
}

/**
 * A headless client writes each prompt to its queue, then as a prompt: one of the two is enough. As in the local full text,
 * the prompt stays, and the oldest entry of the queue that says the same goes.
 */
class QueuedTexts {
  readonly dropped = new Set<number>();
  readonly #waiting = new Map<string, number[]>();

  add(text: string, document: number): void {
    const key = text.trim();
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, waiting);
    waiting.push(document);
  }

  drop(text: string): void {
    const document = this.#waiting.get(text.trim())?.shift();
    if (document !== undefined) this.dropped.add(document);
  }
}
