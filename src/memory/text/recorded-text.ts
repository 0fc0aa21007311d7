// Text of a transcript → text that an agent may read: without secrets, without characters that move, hide or reorder text,
// and never longer than a limit, however long the original is.
import { neutralise } from '../../base/text/index.ts';
import { Placeholders, type RuleSet, redactText } from '../../surgery/secrets/index.ts';

/** Longer texts are cut before anything else is done with them. */
const longestText = 256 * 1024;
/** No secret is longer: what a cut may have split is left out. */
const margin = 8 * 1024;

/** Invisible characters, of which whole hidden texts can be made, and lines that only some programs break. */
const invisible = /(?!\u200c|\u200d|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const lineBreaks = /[\u0085\u2028\u2029]/g;

/** Without control characters, terminal sequences, bidi controls and invisible characters. */
export function plainRecorded(text: string): string {
  return neutralise(text.replace(lineBreaks, '\n').replace(invisible, ''))
    .replace(/[ \t]{33,}/g, ' '.repeat(32))
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
}

/** The start of a text as far as it may be shown, and whether more was left out. */
export function cutText(text: string): { readonly text: string; readonly isCut: boolean } {
  const isCut = text.length > longestText;
  return { text: isCut ? text.slice(0, longestText) : text, isCut };
}

/** Replaces secrets. A value that one text gives away is known in all later ones. */
export class SecretFilter {
  readonly #rules: RuleSet;
  readonly #known = new Placeholders();

  constructor(rules: RuleSet) {
    this.#rules = rules;
  }

  /** A text that may be shown; `isCut`: it is only the start. */
  clean(text: string): { readonly text: string; readonly isCut: boolean } {
    const { text: start, isCut } = cutText(text);
    const redacted = redactText(plainRecorded(start), this.#known, this.#rules).text;
    return { text: isCut ? redacted.slice(0, Math.max(0, redacted.length - margin)) : redacted, isCut };
  }

  /** The same as one line of at most so many characters. */
  line(text: string, most: number): string {
    // Secrets are found before the cut: half of one would not be recognised.
    const line = this.clean(text.slice(0, most * 4 + margin))
      .text.replace(/\s+/g, ' ')
      .trim();
    return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
  }
}
