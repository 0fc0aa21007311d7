// Text → what the index makes of it: words as SQLite's unicode61 cuts and folds them, and every Chinese, Japanese or
// Korean character a word of its own, for documents and queries alike.

// Ideographs, kana, hangul, half-width kana and the ideographs of the higher planes.
const cjkRanges =
  '\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{323af}';
const everyCjk = new RegExp(`[${cjkRanges}]`, 'gu');
/** Without the slow flag `u`: also true for other characters of the higher planes, which does no harm. */
const mayHoldCjk = /[\u3005-\ud7a3\ud800-\udbff\uf900-\ufaff\uff66-\uff9f]/;

/** The text as it is given to FTS5: CJK characters apart, and no NUL, which some binding might take for the end. */
export function indexable(text: string): string {
  const whole = text.includes('\0') ? text.replaceAll('\0', ' ') : text;
  return mayHoldCjk.test(whole) ? whole.replace(everyCjk, ' $& ') : whole;
}

export interface Token {
  /** Folded: lower case, without diacritics. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const everyToken = new RegExp(`[${cjkRanges}]|(?:(?![${cjkRanges}])[\\p{L}\\p{N}\\p{Co}\\p{M}])+`, 'gu');

/** The words of a text, for showing where a document matches; SQLite's own tables are older, so it may differ a little. */
export function* tokensOf(text: string, from: number = 0): Generator<Token> {
  const next = new RegExp(everyToken);
  next.lastIndex = from;
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    yield { word: fold(match[0]), start: match.index, end: match.index + match[0].length };
  }
}

export function hasTokens(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text);
}

function fold(word: string): string {
  if (/^[a-z0-9]+$/.test(word)) return word;
  return word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

const cjkOrSeparator = new RegExp(`[${cjkRanges}]|[\\0-/:-@[-\`{-\\x7f]`, 'gu');

/**
 * The part of a text that is cut into the same words wherever the text stands: from the first place at which a word is
 * sure to end to the last such place. ASCII separators and CJK characters are sure; of other characters SQLite and
 * JavaScript may think differently.
 */
export function innerWords(text: string): string {
  let start = -1;
  let end = -1;
  for (const { 0: found, index } of text.matchAll(cjkOrSeparator)) {
    const isSeparator = found.length === 1 && found < '\x80';
    if (start < 0) start = isSeparator ? index + 1 : index;
    end = isSeparator ? index : index + found.length;
  }
  return start < 0 || end <= start ? '' : text.slice(start, end);
}
