// A word that a reader looks for → its place in a text. The server and an exported page use the same rules, so that both
// find the same.

export interface WordMatch {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** Case does not matter; white space in the word matches any white space, as the page draws it. */
export function wordPattern(text: string): RegExp | undefined {
  const words = text.slice(0, 200).trim();
  if (words === '') return undefined;
  const escaped = words.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(escaped.join('\\s{1,20}'), 'iu');
}

const aroundChars = 60;

export function matchWord(pattern: RegExp, text: string): WordMatch | undefined {
  const found = text === '' ? null : pattern.exec(text);
  if (found === null) return undefined;
  const { index, 0: words } = found;
  const end = index + words.length;
  return {
    before: text.slice(Math.max(0, index - aroundChars), index).toWellFormed(),
    match: words.toWellFormed(),
    after: text.slice(end, end + aroundChars).toWellFormed(),
  };
}
