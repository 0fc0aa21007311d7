// A text → about how many tokens the API counts for it, without a tokenizer. The rates were fitted to the counts of real
// sessions (docs/context.md); `estimateTextTokens` is the low estimate for limits.

/** Tokens for each thing that is counted in a text. */
const rates = {
  /** A run of letters. */
  word: 1.19,
  /** Each letter of a run after the eighth. */
  longLetter: 0.46,
  digit: 0.71,
  /** A character of ASCII that is neither a letter, a digit nor a space. */
  mark: 0.575,
  /** A line end with the indent after it, or two spaces and more. */
  gap: 1.2,
  /** A character outside ASCII: a letter with an accent, Cyrillic, Greek, a symbol. */
  other: 0.5,
  /** A character of Chinese, Japanese or Korean. */
  ideograph: 1.1,
} as const;

const longWord = 8;

/** Models since Opus 4.7 have another tokenizer, which makes so many times the tokens. */
export const newTokenizerFactor = 1.36;

/** About how many tokens a text has for a model before Opus 4.7. */
export function textTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  let spaces = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) {
      run++;
      if (run === 1) tokens += rates.word;
      else if (run > longWord) tokens += rates.longLetter;
      spaces = 0;
      continue;
    }
    run = 0;
    if (code === 32 || (code >= 9 && code <= 13)) {
      spaces++;
      if (spaces === 2 || (spaces === 1 && code === 10)) tokens += rates.gap;
      continue;
    }
    spaces = 0;
    if (code >= 48 && code <= 57) tokens += rates.digit;
    else if (code < 128) tokens += rates.mark;
    else if (code >= 0x2e80 && code < 0xd800) tokens += rates.ideograph;
    else tokens += rates.other;
  }
  return tokens;
}
