// A ranked exchange → its texts, read again from the transcripts: the prompt, and around the matches of the segment that
// matches best.
import { readLineBatches } from '../../store/index.ts';
import type { Database, Row } from '../index/index.ts';
import { bestMark, type Mark, makeSnippet, markTerms, type SnippetPiece, textsOfLine } from '../text/index.ts';
import { ExchangeBuilder, type ExchangeFields } from './builder.ts';
import type { Question } from './question.ts';
import type { RankedExchange } from './rank.ts';

/** The stretch that matches best, by field; the prompt is always there, from its beginning if nothing in it matches. */
export interface RecallSnippets {
  readonly prompt: readonly SnippetPiece[];
  readonly answer?: readonly SnippetPiece[];
  readonly files?: readonly SnippetPiece[];
  readonly commands?: readonly SnippetPiece[];
  readonly error?: readonly SnippetPiece[];
}

export interface FoundTexts {
  readonly path: string;
  readonly line: number;
  readonly snippets: RecallSnippets;
  readonly files: readonly string[];
  readonly tools: readonly string[];
}

export class FoundReader {
  readonly #database: Database;
  readonly #hide: ((text: string) => string) | undefined;
  readonly #terms: readonly { readonly words: readonly string[]; readonly isPrefix: boolean }[];

  /** `hide` replaces what must not be shown. */
  constructor(database: Database, { terms }: Question, hide?: (text: string) => string) {
    this.#database = database;
    this.#hide = hide;
    this.#terms = terms.map(({ words, isPrefix }) => markedTerm(words, isPrefix));
  }

  read({ file, line, best }: RankedExchange): FoundTexts {
    const start = this.#segment('e.file = ? AND e.line = ? ORDER BY e.offset LIMIT 1', file, line);
    const segment = this.#segment('e.id = ? LIMIT 1', best);
    const matched = segment === undefined ? undefined : fieldsOf(segment, Number(segment.end_offset));
    const isFirst = start?.id === segment?.id;
    // The prompt is in the first lines of the exchange, and often in the first one.
    const first = isFirst || start === undefined ? matched : fieldsOf(start, Number(start.offset) + 1);
    const next = this.#database
      .prepare('SELECT min(line) AS line FROM exchanges WHERE file = ? AND line > ?')
      .get(file, line)?.line;
    return {
      path: String(start?.path ?? ''),
      line: Number(start?.first_line ?? line),
      snippets: this.#snippetsOf(first, matched),
      ...this.#callsOf(file, line, typeof next === 'number' ? next : Number.MAX_SAFE_INTEGER),
    };
  }

  #segment(where: string, ...values: readonly number[]): Row | undefined {
    return this.#database
      .prepare(
        `SELECT e.id, e.line, e.offset, e.first_line, e.end_offset, f.path, f.agent_id FROM exchanges e JOIN files f ON f.id = e.file
         WHERE ${where}`,
      )
      .get(...values);
  }

  #snippetsOf(first: ExchangeFields | undefined, matched: ExchangeFields | undefined): RecallSnippets {
    const prompt = first?.prompt.join('\n') ?? '';
    const fields: [keyof RecallSnippets, string][] = [
      ['answer', matched?.answer.join('\n') ?? ''],
      ['files', [...(matched?.files ?? [])].join('\n')],
      ['commands', matched?.commands.join('\n') ?? ''],
      ['error', matched?.errors.join('\n') ?? ''],
    ];
    const found = fields.flatMap(([name, text]) => {
      const marks = markTerms(text, this.#terms);
      // The answer says what became of the prompt, even if it uses other words.
      return marks.length === 0 && (name !== 'answer' || text === '') ? [] : [[name, this.#snippet(text)] as const];
    });
    return { prompt: this.#snippet(prompt), ...Object.fromEntries(found) };
  }

  #snippet(whole: string): readonly SnippetPiece[] {
    const text = this.#hide === undefined ? whole : hiddenAround(whole, markTerms(whole, this.#terms), this.#hide);
    return makeSnippet(text, markTerms(text, this.#terms));
  }

  #callsOf(file: number, from: number, before: number): Pick<FoundTexts, 'files' | 'tools'> {
    const rows = this.#database
      .prepare('SELECT name, touched FROM tool_calls WHERE file = ? AND line >= ? AND line < ? ORDER BY line')
      .all(file, from, before);
    const counts = new Map<string, number>();
    const files = new Set<string>();
    for (const { name, touched } of rows) {
      counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
      if (typeof touched === 'string') files.add(touched);
    }
    return { files: [...files], tools: [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name) };
  }
}

/** A stem that other forms of the word begin with, as the index treats them as the same word. */
function markedTerm(words: readonly string[], isPrefix: boolean): { words: readonly string[]; isPrefix: boolean } {
  const last = words.at(-1);
  if (isPrefix || last === undefined || !/^[a-z]{5,}$/.test(last)) return { words, isPrefix };
  const stem = last.replace(/(?:ations?|ings?|ions?|ies|ed|es|e|s|y)$/, '');
  return stem.length < 4 ? { words, isPrefix } : { words: [...words.slice(0, -1), stem], isPrefix: true };
}

function fieldsOf(segment: Row, endOffset: number): ExchangeFields | undefined {
  const [offset, firstLine, line] = [Number(segment.offset), Number(segment.first_line), Number(segment.line)];
  const builder = new ExchangeBuilder({
    startsAt: () => false,
    isAgent: segment.agent_id !== null,
    open: { line, offset, firstLine },
  });
  try {
    reading: for (const batch of readLineBatches(String(segment.path), {
      from: { offset, number: firstLine },
      chunkBytes,
    })) {
      for (const next of batch) {
        if (next.offset >= endOffset) break reading;
        if (next.bytes.length === next.length) builder.add(next, textsOfLine(next.bytes));
      }
    }
  } catch {
    return undefined; // it was readable when it was indexed; the next update will say what has become of it
  }
  return builder.segments[0];
}

const chunkBytes = 64 * 1024;

const around = 2 * 1024;
const longestKey = 8 * 1024;
const keyLine = 120;
/** What is at a cut may lack the words before it that say what it is. */
const margin = 2 * 120;

/** The text around the best match, with what must not be shown replaced: a whole text takes too long. */
function hiddenAround(text: string, marks: readonly Mark[], hide: (text: string) => string): string {
  const [at] = bestMark(text, marks);
  let start = Math.max(0, at - around);
  let end = Math.min(text.length, at + around);
  // Half of a word, and half of a key of many lines, would not be recognised.
  while (start > 0 && at - start < longestKey && (isInWord(text, start) || isInKey(text, start))) start--;
  while (end < text.length && end - at < longestKey && (isInWord(text, end) || isInKey(text, end))) end++;
  // The first and the last line of a key say that it is one.
  start = Math.max(0, start - keyLine);
  end = Math.min(text.length, end + keyLine);
  const shown = hide(text.slice(start, end));
  return shown.slice(start > 0 ? margin : 0, end < text.length ? -margin : undefined);
}

function isInWord(text: string, at: number): boolean {
  return /\S\S/.test(text.slice(at - 1, at + 1));
}

/** Whether the lines on both sides are base64. */
function isInKey(text: string, at: number): boolean {
  return (
    /[A-Za-z0-9+/]{30}=*\s{0,2}$/.test(text.slice(Math.max(0, at - 40), at)) &&
    /^\s{0,2}\S{30}/.test(text.slice(at, at + 40))
  );
}
