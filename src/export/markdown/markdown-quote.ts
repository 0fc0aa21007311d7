// A prompt → a quote. It keeps its lines, which Markdown would join, and its headings become text.
import { safeMarkdown } from './markdown-text.ts';

export function quoted(text: string): string {
  const lines = safeMarkdown(text).split('\n');
  let isCode = false;
  const shown = lines.map((line, i) => {
    if (isFence.test(line)) isCode = !isCode;
    const next = lines[i + 1] ?? '';
    const isBroken = !isCode && isPlain.test(line) && isPlain.test(next);
    return `> ${line}${isBroken ? '  ' : ''}`.replace(/^> $/, '>');
  });
  return shown.join('\n');
}

const isFence = /^\s*(?:```|~~~)/;
/** Not empty, and no mark of a list, a table, a quote or a fence. */
const isPlain = /^(?!\s*(?:$|[-*+|>]\s|\||\d+[.)]\s|```|~~~))/;
