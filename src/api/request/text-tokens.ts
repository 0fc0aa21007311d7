// A text → about how many tokens the API counts for it, without a tokenizer. The rates were fitted to the counts of real
// sessions (docs/context.md); `estimateTextTokens` is the low estimate for limits.

/** Tokens for each thing that is counted in a text. */
interface Rates {
  /** A run of letters. */
  readonly word: number;
  /** A letter. */
  readonly letter: number;
  readonly digit: number;
  /** A character of ASCII that is neither a letter, a digit nor a space. */
  readonly mark: number;
  /** A run of spaces of more than one, or of line ends. */
  readonly gap: number;
  /** A character outside ASCII: a letter with an accent, Cyrillic, Greek, a symbol. */
  readonly other: number;
  /** A character of Chinese, Japanese or Korean. */
  readonly ideograph: number;
}

const rates: Rates = { word: 0.55, letter: 0.115, digit: 0.6, mark: 0.55, gap: 0.5, other: 0.7, ideograph: 1.1 };

/** Models since Opus 4.7 have another tokenizer, with about that many times the tokens. */
export const newTokenizerFactor = 1.35;

/** About how many tokens a text has for a model before Opus 4.7. */
export function textTokens(text: string): number {
  let words = 0;
  let letters = 0;
  let digits = 0;
  let marks = 0;
  let gaps = 0;
  let others = 0;
  let ideographs = 0;
  let isWord = false;
  let spaces = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (isLetter) {
      letters++;
      if (!isWord) words++;
    } else if (code === 32 || (code >= 9 && code <= 13)) {
      // Counted below.
    } else if (code >= 48 && code <= 57) digits++;
    else if (code < 128) marks++;
    else if (code >= 0x2e80 && code < 0xd800) ideographs++;
    else others++;
    isWord = isLetter;
    if (code === 32 || (code >= 9 && code <= 13)) {
      spaces++;
      if (spaces === 2 || (spaces === 1 && code === 10)) gaps++;
    } else spaces = 0;
  }
  return (
    rates.word * words +
    rates.letter * letters +
    rates.digit * digits +
    rates.mark * marks +
    rates.gap * gaps +
    rates.other * others +
    rates.ideograph * ideographs
  );
}
