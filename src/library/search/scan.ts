// --exact and --regex: every document is read again and its decoded text is searched, so that the hits are always right.
// The index and the raw bytes only exclude documents that cannot match.
import { UserError } from '../../base/errors/index.ts';
import type { Database } from '../index/index.ts';
import { DocumentReader, type DocumentRow, documentColumns, documentRow } from './document.ts';
import type { Scope } from './filter.ts';
import { innerWords, quotePhrase } from './query.ts';

export interface ScanQuery {
  readonly text: string;
  readonly mode: 'exact' | 'regex';
  readonly ignoreCase: boolean;
}

export interface Scan {
  /** With the flag `g`: for marking. */
  readonly pattern: RegExp;
  /** A phrase of whole words that is in every match, for the index; `undefined` if none is certain. */
  readonly words: string | undefined;
  /** Bytes that are in the line of every match, unless a `\u` escape spells them; `undefined` if none are certain. */
  readonly bytes: Buffer | undefined;
}

export function planScan({ text, mode, ignoreCase }: ScanQuery): Scan {
  if (text === '') throw new UserError('there is nothing to look for', 'give a text');
  if (mode === 'exact') {
    // Without the flag `u` an ASCII letter equals no other letter than its own other case: what `wordsOf` relies on.
    const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), ignoreCase ? 'gi' : 'g');
    return { pattern, words: wordsOf(text, ignoreCase), bytes: ignoreCase ? undefined : bytesOf(text) };
  }
  const literal = ignoreCase ? '' : requiredLiteral(text);
  return { pattern: compile(text, ignoreCase), words: undefined, bytes: literal === '' ? undefined : bytesOf(literal) };
}

/** The documents that match, in the order of the index. */
export function scanDocuments(database: Database, scan: Scan, scope: Scope): readonly DocumentRow[] {
  const reader = new DocumentReader('sequential');
  const found: DocumentRow[] = [];
  const one = new RegExp(scan.pattern.source, scan.pattern.flags.replace('g', ''));
  for (const row of candidates(database, scan, scope)) {
    if (scan.bytes !== undefined && !mayHold(reader, row, scan.bytes)) continue;
    const text = reader.read(row)?.text;
    if (text !== undefined && one.test(text)) found.push(row);
  }
  return found;
}

/** Whether the line has the bytes, or an escape that may stand for some of them. */
function mayHold(reader: DocumentReader, row: DocumentRow, bytes: Buffer): boolean {
  try {
    const line = reader.lineOf(row);
    return line.includes(bytes) || line.includes('\\u');
  } catch {
    return false; // gone or unreadable: there is nothing to find in it
  }
}

function* candidates(database: Database, { words }: Scan, scope: Scope): Generator<DocumentRow> {
  const select = `SELECT ${documentColumns} FROM documents d JOIN files f ON f.id = d.file`;
  if (words !== undefined) {
    const rows = database.prepare(
      `${select} WHERE d.id IN (SELECT rowid FROM document_text WHERE document_text MATCH ?)${scope.where}
       ORDER BY d.file, d.offset, d.id`,
    );
    for (const row of rows.all(words, ...scope.values)) yield documentRow(row);
    return;
  }
  // A file at a time: the documents of a large library are millions.
  const rows = database.prepare(`${select} WHERE d.file = ?${scope.where} ORDER BY d.offset, d.id`);
  for (const file of database.prepare('SELECT id FROM files ORDER BY id').all()) {
    for (const row of rows.all(Number(file.id), ...scope.values)) yield documentRow(row);
  }
}

/** A literal may begin and end inside a word; between its first and last certain word ends are whole words. */
function wordsOf(text: string, ignoreCase: boolean): string | undefined {
  const inner = innerWords(text);
  if (!sureWord.test(inner)) return undefined;
  // SQLite and JavaScript differ in the upper and lower case of other letters.
  if (ignoreCase && !isCaseless(inner)) return undefined;
  return quotePhrase(inner);
}

/** A phrase without any word would match nothing, and SQLite's tables do not have the newest letters. */
const sureWord = /[0-9A-Za-z\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]/;

/** Only ASCII, or characters that have no case and are words on their own. */
function isCaseless(text: string): boolean {
  return /^[\0-\x7f\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]*$/.test(text);
}

/** The longest stretch that JSON writes as it is: no quotes, backslashes, slashes and control characters. */
function bytesOf(text: string): Buffer | undefined {
  const longest = text
    .split(/[\0-\x1f"\\/\x7f\ufffd\ud800-\udfff]/)
    .reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.length < 2 && !/[^\0-\x7f]/.test(longest) ? undefined : Buffer.from(longest);
}

/**
 * A text that every match holds: the longest run of plain characters outside groups and sets, in an expression without
 * alternatives. An empty result is always correct; nothing is guessed.
 */
function requiredLiteral(source: string): string {
  // Alternatives, and escapes that spell a character by its number.
  if (/\||\\[0-9ucxpPk]/.test(source)) return '';
  // Sets, groups with their contents, escapes and quantified characters end a run.
  const plain: string[] = [''];
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const char = source[i] as string; // i is in range
    const isQuantified = /[*?{]/.test(source[i + 1] ?? '');
    if (char === '\\') {
      i++;
      plain.push('');
    } else if (char === '[') {
      i = endOfSet(source, i);
      plain.push('');
    } else if (char === '{') {
      const end = source.indexOf('}', i);
      i = end < 0 ? source.length : end;
      plain.push('');
    } else if (char === '(' || char === ')') {
      depth += char === '(' ? 1 : -1;
      plain.push('');
    } else if (/[\w \-:;,=<>@#%&!~'`]/.test(char) && depth === 0 && !isQuantified) {
      plain[plain.length - 1] += char;
    } else plain.push('');
  }
  return plain.reduce((best, part) => (part.length > best.length ? part : best), '');
}

function endOfSet(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === ']') return i;
  }
  return source.length;
}

/** `^` and `$` are those of a line. Unicode mode where the expression allows it, because it has `\p{…}`. */
function compile(source: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'gim' : 'gm';
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
      throw new UserError(`"${source}" is not a regular expression (${reason})`, 'use --exact to look for it as it is');
    }
  }
}
