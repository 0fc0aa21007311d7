// A text → the beginning that is read as Markdown, and the rest, which is shown as the plain text it is. A message of 60 MB
// is a program's output: as Markdown it costs a minute and gigabytes, whoever renders it.

export const maxMarkdownChars = 200_000;

export interface BoundedText {
  readonly markdown: string;
  /** Empty for nearly every text. */
  readonly rest: string;
}

/** Cut after a paragraph or a line where one ends near the limit; what is cut does not depend on what follows the limit. */
export function boundMarkdown(text: string, maxChars: number = maxMarkdownChars): BoundedText {
  if (text.length <= maxChars) return { markdown: text, rest: '' };
  const near = text.slice(Math.floor(maxChars / 2), maxChars);
  const ends = [near.lastIndexOf('\n\n') + 1, near.lastIndexOf('\n')];
  const end = ends.find((at) => at > 0);
  const cut = end === undefined ? wholeCharacter(text, maxChars) : maxChars - near.length + end + 1;
  return { markdown: text.slice(0, cut), rest: text.slice(cut) };
}

/** Not between the halves of a pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}
