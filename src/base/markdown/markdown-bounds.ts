// A text → the start that is rendered as Markdown, and the rest, which is shown as plain text. Rendering a message of
// 60 MB as Markdown takes a minute and gigabytes.

export const maxMarkdownChars = 200_000;

export interface BoundedText {
  readonly markdown: string;
  readonly rest: string;
}

/** Cuts after a paragraph or a line if one ends near the limit. The cut does not depend on text after the limit. */
export function boundMarkdown(text: string, maxChars: number = maxMarkdownChars): BoundedText {
  if (text.length <= maxChars) return { markdown: text, rest: '' };
  const near = text.slice(Math.floor(maxChars / 2), maxChars);
  const ends = [near.lastIndexOf('\n\n') + 1, near.lastIndexOf('\n')];
  const end = ends.find((at) => at > 0);
  const cut = end === undefined ? wholeCharacter(text, maxChars) : maxChars - near.length + end + 1;
  return { markdown: text.slice(0, cut), rest: text.slice(cut) };
}

/** Avoids a cut inside a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}
