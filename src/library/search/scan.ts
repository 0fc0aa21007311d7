// --exact and --regex: the decoded text of the documents is searched, so that the hits are always right. The index and the
// raw bytes only exclude documents that cannot match.
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { exactPattern, expressionPattern } from '../../base/text/index.ts';
import type { Database } from '../index/index.ts';
import {
  DocumentReader,
  type DocumentRow,
  documentColumns,
  documentRow,
  filesOf,
  innerWords,
  quotePhrase,
  type Scope,
} from '../text/index.ts';
import { judgeLine, keyOf, type Verdict } from './judge-line.ts';
import { LineSearch } from './line-search.ts';

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
  /** A text that is in every match and that JSON writes as it is, or as `\u` escapes; `undefined` if none is certain. */
  readonly literal: string | undefined;
  /** It is all that is looked for. */
  readonly isLiteral: boolean;
  /** Other texts of that kind that are in every match. */
  readonly others: readonly string[];
}

export function planScan({ text, mode, ignoreCase }: ScanQuery): Scan {
  if (text === '') throw new UserError('there is nothing to look for', 'give a text');
  if (mode === 'exact') {
    // An ASCII letter equals no other letter than its own other case: `wordsOf` relies on that.
    const pattern = exactPattern(text, ignoreCase);
    const literal = ignoreCase ? undefined : plainPart(text);
    return { pattern, words: wordsOf(text, ignoreCase), literal, isLiteral: literal === text, others: [] };
  }
  const pattern = compile(text, ignoreCase);
  const [literal, ...others] = ignoreCase ? [] : requiredLiterals(text).flatMap((each) => plainPart(each) ?? []);
  return { pattern, words: undefined, literal, isLiteral: false, others };
}

/** The documents that match, in the order of the index. */
export function scanDocuments(database: Database, scan: Scan, scope: Scope): readonly DocumentRow[] {
  const one = new RegExp(scan.pattern.source, scan.pattern.flags.replace('g', ''));
  if (scan.words === undefined && scan.literal !== undefined) return searchLines(database, scan, one, scope);
  const reader = new DocumentReader('sequential');
  const found: DocumentRow[] = [];
  for (const row of candidates(database, scan, scope)) {
    const text = reader.read(row)?.text;
    if (text !== undefined && one.test(text)) found.push(row);
  }
  return found;
}

/** Looks only at lines that have the literal in their bytes, then asks the index for the documents of those that match. */
function searchLines(database: Database, scan: Scan, pattern: RegExp, scope: Scope): readonly DocumentRow[] {
  const search = new LineSearch(scan.literal ?? '');
  const plain = scan.isLiteral ? Buffer.from(scan.literal ?? '') : undefined;
  const judge = { pattern, plain, needed: scan.others.map((text) => Buffer.from(text)) };
  /** `undefined`: the line must be read first. */
  const lines = new Map<string, Verdict | undefined>();
  for (const { id, path, text_offset: end } of database.prepare(filesOf(scope)).all(...scope.fileValues)) {
    try {
      for (const { offset, bytes } of search.linesOf(String(path), Number(end))) {
        const verdict = bytes === undefined ? undefined : judgeLine(bytes, judge);
        if (verdict === undefined || verdict === 'only-text' || verdict.size > 0)
          lines.set(`[${id},${offset}]`, verdict);
      }
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      // Gone or unreadable: there is nothing to find in it.
    }
  }
  return documentsOf(database, lines, pattern, scope);
}

function documentsOf(
  database: Database,
  lines: ReadonlyMap<string, Verdict | undefined>,
  pattern: RegExp,
  scope: Scope,
): readonly DocumentRow[] {
  const rows = database
    .prepare(
      `SELECT ${documentColumns}, d.file
       FROM json_each(?) j CROSS JOIN documents d ON d.file = j.value ->> 0 AND d.offset = j.value ->> 1
       JOIN files f ON f.id = d.file WHERE true${scope.where} ORDER BY d.file, d.offset, d.id`,
    )
    .all(`[${[...lines.keys()].join(',')}]`, ...scope.values);
  const reader = new DocumentReader('scattered');
  return rows.flatMap((row) => {
    const document = documentRow(row);
    const verdict = lines.get(`[${row.file},${row.offset}]`);
    const isMatch =
      verdict === undefined
        ? pattern.test(reader.read(document)?.text ?? '')
        : verdict === 'only-text' || verdict.has(keyOf(document));
    return isMatch ? [document] : [];
  });
}

const select = `SELECT ${documentColumns} FROM documents d JOIN files f ON f.id = d.file`;

function* candidates(database: Database, { words }: Scan, scope: Scope): Generator<DocumentRow> {
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
  for (const file of database.prepare(filesOf(scope)).all(...scope.fileValues)) {
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
function plainPart(text: string): string | undefined {
  const longest = text
    .split(/[\0-\x1f"\\/\x7f\ufffd]|\p{Surrogate}/u)
    .reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.length < 2 && !/[^\0-\x7f]/.test(longest) ? undefined : longest;
}

/**
 * Texts that every match holds, the longest first: the runs of plain characters outside groups and sets, in an expression
 * without alternatives. An empty result is always correct; nothing is guessed.
 */
function requiredLiterals(source: string): readonly string[] {
  // Alternatives, and escapes that spell a character by its number.
  if (/\||\\[0-9ucxpPk]/.test(source)) return [];
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
  return plain.filter((part) => part !== '').sort((a, b) => b.length - a.length);
}

function endOfSet(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === ']') return i;
  }
  return source.length;
}

function compile(source: string, ignoreCase: boolean): RegExp {
  try {
    return expressionPattern(source, ignoreCase);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw new UserError(`"${source}" is not a regular expression (${reason})`, 'use --exact to look for it as it is');
  }
}
