// The words of a text as the full-text index splits it, and what a user typed as terms to look for. Pure text: the search
// and the page use it, so that both find and mark the same.

/** A word or a phrase, folded. */
export interface Term {
  readonly words: readonly string[];
  /** The last word is a prefix. */
  readonly isPrefix: boolean;
}

/** One part of a query, as it was typed. */
export interface QueryPart {
  readonly text: string;
  readonly isPrefix: boolean;
  readonly isExcluded: boolean;
}

/** The parts that have a word in them: words, "phrases", beginnings* and -exclusions; a --flag is a word. */
export function queryParts(text: string): readonly QueryPart[] {
  return [...text.matchAll(/(?<=^|\s)(-(?!-))?(?:"([^"]*)"?(\*)?|(\S+))/g)]
    .map(([, minus, phrase, phraseStar, word]) => ({
      isExcluded: minus !== undefined,
      text: phrase ?? word ?? '',
      isPrefix: phraseStar !== undefined || word?.endsWith('*') === true,
    }))
    .filter((part) => hasTokens(part.text));
}

export function termOf({ text, isPrefix }: QueryPart): Term {
  return { words: [...tokensOf(text)].map((token) => token.word), isPrefix };
}

export const cjkRanges =
  '\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{323af}';

export interface Token {
  /** Folded: lower case, without diacritics. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const wordChar = '\\p{L}\\p{N}\\p{Co}\\p{M}';
const everyToken = new RegExp(`[${cjkRanges}]|(?:(?![${cjkRanges}])[${wordChar}])+`, 'gu');

/** The words of a text, for showing where a document matches; SQLite's own tables are older, so it may differ a little. */
export function* tokensOf(text: string, from: number = 0): Generator<Token> {
  const next = new RegExp(everyToken);
  next.lastIndex = from;
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    yield { word: fold(match[0]), start: match.index, end: match.index + match[0].length };
  }
}

function hasTokens(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text);
}

/** Lower case, without diacritics. */
export function fold(word: string): string {
  if (/^[a-z0-9]+$/.test(word)) return word;
  return word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

/** An expression with the flag `g` that finds the terms in folded text, as whole words or beginnings of words. */
export function termPattern(terms: readonly Term[]): RegExp {
  const longestFirst = [...terms].sort((a, b) => b.words.length - a.words.length);
  return new RegExp(longestFirst.map(patternOf).join('|') || '(?!)', 'gu');
}

const cjk = new RegExp(`^[${cjkRanges}]$`, 'u');
/** A character that continues a word; each CJK character is a word. */
const inside = `(?![${cjkRanges}])[${wordChar}]`;

function patternOf({ words, isPrefix }: Term): string {
  const pieces = words.map((word, i) => {
    const isOwn = cjk.test(word);
    const before = isOwn ? '' : `(?<!${inside})`;
    const after = isOwn ? '' : isPrefix && i === words.length - 1 ? `(?:${inside})*` : `(?!${inside})`;
    return `${before}${word}${after}`;
  });
  return pieces.join(`[^${wordChar}]*`);
}

export interface FoldedText {
  readonly text: string;
  /** The offset in the original of each offset in `text`; `undefined` if they are the same. */
  readonly offsets: readonly number[] | undefined;
}

/** A text in lower case and without diacritics, with the way back to its own offsets. */
export function foldText(text: string): FoldedText {
  if (/^[\0-\x7f]*$/.test(text)) return { text: text.toLowerCase(), offsets: undefined };
  const parts: string[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const char of text) {
    const folded = char < '\x80' ? char.toLowerCase() : fold(char);
    parts.push(folded);
    for (let i = 0; i < folded.length; i++) offsets.push(at);
    at += char.length;
  }
  offsets.push(at);
  return { text: parts.join(''), offsets };
}
