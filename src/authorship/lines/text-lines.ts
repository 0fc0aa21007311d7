// Text → its lines, and what makes a line count as evidence: `}` and `return;` are in every file, so finding one of them
// again proves nothing.

/** Lines without their ends; CRLF and a missing last newline make no difference. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A line without its whitespace: what a formatter that re-indents keeps. */
export function squeezed(line: string): string {
  return line.replace(/\s+/g, '');
}

const leastLetters = 6;
const keywords =
  /\b(?:return|break|continue|else|elif|then|try|catch|finally|default|begin|end|endif|done|pass|null|none|nil|true|false|undefined|do|if)\b/gi;

/** Long enough that two people do not write it by chance in one place. */
export function isDistinctive(line: string): boolean {
  let letters = 0;
  for (const _ of line.replace(keywords, '').matchAll(/[\p{L}\p{N}]/gu)) if (++letters >= leastLetters) return true;
  return false;
}

const closing = /^\s*(?:[\])}>]+[;,)]*|end|fi|done|esac|<\/[\w-]+>)\s*$/;

/** A line that ends a block: nobody begins what they insert with it. */
export function isClosing(line: string): boolean {
  return closing.test(line);
}

export function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
